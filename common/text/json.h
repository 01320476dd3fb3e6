/* SPDX-License-Identifier: ISC */
/*
 * A streaming reader of JSON (RFC 8259): one value after the other, without a
 * document in memory. Every function returns false once something is wrong;
 * json->err then says what, and json_offset() where.
 */
#ifndef KST_JSON_H
#define KST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct in;

enum { JSON_DEPTH_MAX = 128 /* of values that are skipped */ };

/* Holds no memory; a copy of one that reads text goes on from there. */
struct json {
	const char *err; /* NULL: all is well */
	/* private */
	const char *p, *end, *mark;
	struct in *in; /* NULL: text in memory */
	unsigned file_no;
	uint64_t taken; /* bytes before mark */
	bool first;	/* nothing is between it and the begin */
};

/* The document is what is left of the current file, until json_done(). */
void json_init(struct json *j, struct in *in);
void json_done(struct json *j);

/* The document is this text. */
struct json json_of_text(const char *p, size_t len);

/* Bytes from the beginning of the document to the next unread one. */
uint64_t json_offset(const struct json *j);

/* The next byte that is not white space, not taken; -1 at the end. */
int json_peek(struct json *j);

/* Takes that byte, which must be c. */
bool json_take(struct json *j, char c);

/*
 * The items of an array, or the members of an object. json_begin() takes `[` or
 * `{`. json_item() takes what is before the next item and returns true, or
 * takes the end `]` or `}` and returns false. It also returns false after an
 * error.
 */
void json_begin(struct json *j, char begin);
bool json_item(struct json *j, char end);

/*
 * Takes a string and appends its bytes to *b (NULL: to nothing), which must
 * not grow beyond max.
 */
bool json_string(struct json *j, struct buf *b, size_t max);

/* Takes a number that has only digits. */
bool json_whole(struct json *j, uint64_t *v);

/* Skips any value. */
bool json_skip(struct json *j);

/* Sets the error, unless one is set. Returns false. */
bool json_fail(struct json *j, const char *err);

/*
 * For text in memory: the value of an object's first member of that name. An
 * empty text if there is none, or if j is not an object.
 */
struct json json_member(struct json j, const char *name);

/* False if the value is not an integer of 64 bits. */
bool json_integer(struct json j, int64_t *v);

/* How many bytes from p on are plain ASCII without quote and backslash. */
size_t json_plain(const char *p, const char *end);

#endif
