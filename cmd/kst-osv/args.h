/* SPDX-License-Identifier: ISC */
/*
 * The arguments of a binary record: packed by a signature of one letter each
 * (c b B h H i I q Q ? f d P, 50p a counted string in a slot of 50 bytes, * a
 * blob), printed by a format as OSv's strace does.
 */
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* How many bytes at most one argument takes: a blob's length has 16 bits. */
enum { ARG_BYTES_MAX = 2 + 65535 };

/* One argument: where it is in the packed bytes. */
struct arg {
	char type; /* letter of the signature */
	const char *p;
	size_t len; /* of the value; of the text for p and * */
};

/*
 * Walks the signature over packed bytes: takes the next argument at *at.
 * Returns 1, 0 at the signature's end, or -1: `want` more bytes than `len`
 * are needed (in *want, from the beginning of the arguments), or, with *want
 * 0, the signature is wrong.
 */
int arg_next(const char **sig, const char *sig_end, const char *packed,
    size_t len, size_t *at, bool big, struct arg *a, size_t *want);

/* Appends the text of the format with the n arguments filled in. */
void args_format(struct buf *b, const char *format, size_t format_len,
    const struct arg *args, size_t n, bool big);

#endif
