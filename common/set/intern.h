/* SPDX-License-Identifier: ISC */
/*
 * A set of byte strings, each stored once and numbered 0, 1, 2 … in order of
 * first sight. Strings never move; where all lengths are multiples of 4, so are
 * their addresses.
 */
#ifndef KST_INTERN_H
#define KST_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *t);

/* The string's number; a new one is copied. len < 2^32. */
uint32_t intern_id(struct intern *t, const char *p, size_t len);

/* The string's number, or UINT32_MAX if it is not in the set. */
uint32_t intern_find(const struct intern *t, const char *p, size_t len);

/* The number of strings, and the memory of the set in bytes. */
uint32_t intern_count(const struct intern *t);
size_t intern_bytes(const struct intern *t);

/* The string's number, or UINT32_MAX if it is new and the set has `max`. */
static inline uint32_t
intern_within(struct intern *t, const char *p, size_t len, uint32_t max)
{
	return intern_count(t) < max ? intern_id(t, p, len)
				     : intern_find(t, p, len);
}

/* A number's string, valid while the set lives. */
const char *intern_str(const struct intern *t, uint32_t id, size_t *len);

/* Frees what finds strings: from now on none is added or looked up. */
void intern_seal(struct intern *t);

#endif
