/* SPDX-License-Identifier: ISC */
/*
 * Finds patterns that cannot match a name, because the name lacks a text that
 * they need.
 */
#ifndef NEEDS_H
#define NEEDS_H

#include <stddef.h>
#include <stdint.h>

/* Ready when zeroed. */
struct needs {
	uint64_t has[256]; /* by byte: the places in literals that have it */
	uint64_t first;	   /* the places of their first bytes */
	unsigned bits;
};

/*
 * Adds a pattern. Returns a set of numbers. For each name that the pattern
 * matches, needs_find() returns a set that has a number in common with it. 0:
 * nothing is known about the pattern.
 */
uint64_t needs_add(struct needs *n, const char *pattern, size_t len);
uint64_t needs_find(const struct needs *n, const char *name, size_t len);

#endif
