/* SPDX-License-Identifier: ISC */
/*
 * The arguments of a binary record: packed by a signature of one letter each (c
 * b B h H i I q Q ? f d P, 50p a counted string in 50 bytes, * a blob), printed
 * by a format as OSv's strace does.
 */
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* The most bytes of an argument: a blob's length has 16 bits. */
enum { ARG_BYTES_MAX = 2 + 65535 };

/* An argument in the packed bytes. */
struct arg {
	char type; /* letter of the signature */
	const char *p;
	size_t len; /* of the value; of the text for p and * */
};

/*
 * Takes the next argument of the signature, packed at *at. Returns 1; 0 at the
 * signature's end; or -1, with *want the bytes that are needed from the
 * beginning of the arguments, or 0 if the signature is wrong.
 */
int arg_next(const char **sig, const char *sig_end, const char *packed,
    size_t len, size_t *at, bool big, struct arg *a, size_t *want);

/* Appends the format's text with the n arguments filled in. */
void args_format(struct buf *b, const char *format, size_t format_len,
    const struct arg *args, size_t n, bool big);

#endif
