/* SPDX-License-Identifier: ISC */
/*
 * Messages on stderr in one form: `kst-fold: FILE:LINE: what is wrong`.
 *
 * Text from input goes through msg_text(), so that no control character reaches
 * a terminal.
 */
#ifndef KST_MSG_H
#define KST_MSG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

/*
 * Exit statuses of every command: FAILED is damaged input, the rest of which
 * was processed; SYSTEM is a lack of memory or of room to write.
 */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 4 };

/* The command's name, from argv[0]. */
extern const char *msg_prog;

/* First of all in main(); makes sure that descriptors 0 to 2 are open. */
void msg_init(const char *argv0);

/* One line on stderr: `PROG: TEXT`. */
void msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As msg(), with `: strerror(errno)` appended. */
void msg_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As msg(), then exits with the status. For main() and its options only. */
noreturn void msg_die(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A printable copy of input text in one of four static buffers: control bytes
 * and invalid UTF-8 become `?`, and after 200 bytes `...` follows.
 */
const char *msg_text(const char *p, size_t len);

/* msg_text() of a C string. */
const char *msg_str(const char *s);

/* `PROG: N WHAT`, unless n is 0. */
void msg_count(uint64_t n, const char *what);

#endif
