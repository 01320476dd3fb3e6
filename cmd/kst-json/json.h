/* SPDX-License-Identifier: ISC */
/*
 * A streaming reader of JSON (RFC 8259): one value after the other, without a
 * document in memory. Every function returns false once something is wrong;
 * json->err then says what, and json_offset() where.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct in;

enum { JSON_DEPTH_MAX = 128 /* of values that are skipped */ };

struct json {
	const char *err; /* NULL: all is well */
	/* private */
	struct in *in;
	unsigned file_no;
	uint64_t taken; /* bytes before mark */
	const char *mark;
};

/* The document is what is left of the current file. */
void json_init(struct json *j, struct in *in);

/* Bytes from the beginning of the document to the next unread one. */
uint64_t json_offset(const struct json *j);

/* The next byte that is not white space, not taken; -1 at the file's end. */
int json_peek(struct json *j);

/* Takes that byte, which must be c. */
bool json_take(struct json *j, char c);

/*
 * Takes a string and appends its bytes to *b (NULL: to nothing), which must
 * not grow beyond max.
 */
bool json_string(struct json *j, struct buf *b, size_t max);

/* Skips any value. */
bool json_skip(struct json *j);

/* Sets the error, unless one is set. Returns false. */
bool json_fail(struct json *j, const char *err);

/* Appends text as a JSON string with its quotes; what is not UTF-8 becomes
 * U+FFFD. */
void json_put(struct buf *b, const char *text, size_t len);

#endif
