/* SPDX-License-Identifier: ISC */
/* Allocation that ends the command when memory runs out. free() the result. */
#ifndef KST_XALLOC_H
#define KST_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);

/* n * size bytes; a product that overflows counts as too much. */
void *xreallocn(void *p, size_t n, size_t size);

/*
 * An array with room for n items of `size` bytes: v, or, if *cap items are too
 * few, v moved and at least doubled. v is NULL while *cap is 0.
 */
void *xgrow_past(void *v, size_t n, size_t *cap, size_t size);

static inline void *
xgrow(void *v, size_t n, size_t *cap, size_t size)
{
	return n <= *cap ? v : xgrow_past(v, n, cap, size);
}

/* The same; new items are zeroed. */
void *xgrow0(void *v, size_t n, size_t *cap, size_t size);

/*
 * A new item at the end of an array of n, and item i of an array that may have
 * to grow for it. Arguments are named more than once.
 */
#define xpush(v, n, cap) \
	((v) = xgrow(v, (size_t)(n) + 1, &(cap), sizeof *(v)), &(v)[(n)++])
#define xitem(v, i, cap) \
	((v) = xgrow(v, (size_t)(i) + 1, &(cap), sizeof *(v)), &(v)[i])
#define xitem_zeroed(v, i, cap) \
	((v) = xgrow0(v, (size_t)(i) + 1, &(cap), sizeof *(v)), &(v)[i])

/*
 * Ends the command in the same way if errno, which was 0, says that a library
 * found no memory: many of them call that damage, or nothing at all.
 */
void xalloc_check(void);

/* A copy of len bytes with a NUL after it. */
char *xmemdup0(const char *p, size_t len);
char *xstrdup(const char *s);

#endif
