/* SPDX-License-Identifier: ISC */
/*
 * From a file's first bytes, says what the file is if it is not what the
 * command reads, and which command of kst reads it.
 */
#ifndef KST_SIGNS_H
#define KST_SIGNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct in;

/*
 * How a file begins. It is taken while the file is read, and reported if the
 * file gave nothing.
 */
struct signs {
	const char *name; /* in_name() of the file */
	size_t len;
	char text[4096];
};

/* Call it when a file begins, after in_fill() and before reading from it. */
void signs_look(struct signs *s, const struct in *in);

/*
 * Says `FILE: FAULT`, `no stacks found` or another, and what the file looks
 * like, with the command that reads it or helps.
 */
void signs_say(const struct signs *s, const char *fault);

/*
 * Reads all files: `read` takes what it wants of the current one, and returns
 * NULL or the fault to say. Returns how many files had a fault.
 */
typedef const char *signs_reader(void *ctx, struct in *in);
uint64_t signs_files(struct in *in, signs_reader *read, void *ctx);

/* Of a capture: the command that unpacks it from a pipe, NULL-ended, or NULL.
 */
char *const *look_unpacker(const char *p, size_t n);

/* Whether it is packed in another way. */
bool look_foreign(const char *p, size_t n);

bool look_json(const char *p, size_t n);

#endif
