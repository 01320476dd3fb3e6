/* SPDX-License-Identifier: ISC */
/*
 * The fields of protobuf's messages, read where they lie. A message is what is
 * left of it.
 */
#ifndef FIELD_H
#define FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct field {
	uint64_t number, value; /* value: if it is a number */
	bool is_bytes;
	struct piece bytes; /* else of any kind */
};

/* Takes a field off a message: 1, 0 at the end, or -1 if it is damaged. */
int field_next(struct piece *m, struct field *f);

/* Takes the next field of that number, bytes; returns as field_next(). */
int field_bytes(struct piece *m, uint64_t number, struct piece *bytes);

/*
 * Takes the next of a field's repeated numbers; returns as field_next().
 * `some`, empty at first, keeps those that came in one field.
 */
int field_repeated(
    struct piece *m, uint64_t number, struct piece *some, uint64_t *v);

/* A message's numbers: v[0] is field 1, v[n - 1] field n; false: damaged. */
bool field_numbers(struct piece m, uint64_t *v, size_t n);

#endif
