/* SPDX-License-Identifier: ISC */
/*
 * Messages on stderr: `kst-fold: FILE:LINE: what is wrong`.
 *
 * Text from input goes through msg_text(), so that control characters cannot
 * reach a terminal.
 */
#ifndef KST_MSG_H
#define KST_MSG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

/*
 * Exit statuses of every command. FAILED: some input was damaged; the rest was
 * processed. SYSTEM: memory ran out or a device failed. kst-diff has two more:
 * REGRESSION, a gate fired; INCONCLUSIVE, a gate could not be decided.
 */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REGRESSION = 3,
	EXIT_SYSTEM = 4,
	EXIT_INCONCLUSIVE = 5
};

/* The command's name, from argv[0]. */
extern const char *msg_prog;

/* The first call in main(); makes sure that descriptors 0 to 2 are open. */
void msg_init(const char *argv0);

/* One line on stderr: `PROG: TEXT`. */
void msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Whether an errno means that the system failed, for example for lack of
 * memory. A wrong name or a missing permission is not such a failure.
 */
bool msg_is_system(int err);

/*
 * As msg(), with `: strerror(errno)` appended. If errno means that the system
 * failed, the command will end with EXIT_SYSTEM: see msg_status().
 */
void msg_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * As msg(), then exits with the status. Only main() and the code of its options
 * may call it.
 */
noreturn void msg_die(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The status to exit with: this one, or EXIT_SYSTEM if the system failed. */
int msg_status(int status);

/* Notes that the system has failed, after a message that said so. */
void msg_system(void);

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
