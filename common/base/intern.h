/* SPDX-License-Identifier: ISC */
/*
 * A set of byte strings: each distinct string gets a number, 0, 1, 2 … in
 * order of first sight, and is stored once. Strings never move.
 */
#ifndef KST_INTERN_H
#define KST_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *t);

/* The string's number; the bytes are copied when it is new. len < 2^32. */
uint32_t intern_id(struct intern *t, const char *p, size_t len);

/* As intern_id(), but UINT32_MAX when the string is not in the set. */
uint32_t intern_find(const struct intern *t, const char *p, size_t len);

/* The bytes of a number that intern_id() gave, valid while the set lives. */
const char *intern_str(const struct intern *t, uint32_t id, size_t *len);

/* How many strings there are, and how much memory the set takes, in bytes. */
uint32_t intern_count(const struct intern *t);
size_t intern_bytes(const struct intern *t);

/* Forgets all strings; keeps the memory of the tables. */
void intern_clear(struct intern *t);

#endif
