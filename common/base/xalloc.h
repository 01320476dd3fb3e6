/* SPDX-License-Identifier: ISC */
/* Allocation that ends the command when memory runs out. free() the result. */
#ifndef KST_XALLOC_H
#define KST_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);

/*
 * realloc() to n * size bytes. A product that overflows counts as too much
 * memory.
 */
void *xreallocn(void *p, size_t n, size_t size);

/*
 * Makes room for n items of `size` bytes. If *cap items are enough, returns v;
 * else moves v to at least twice the room. v is NULL while *cap is 0.
 */
void *xgrow_past(void *v, size_t n, size_t *cap, size_t size);

static inline void *
xgrow(void *v, size_t n, size_t *cap, size_t size)
{
	return n <= *cap ? v : xgrow_past(v, n, cap, size);
}

/* As xgrow(), and sets new items to zero. */
void *xgrow0(void *v, size_t n, size_t *cap, size_t size);

/*
 * xpush() is a new item at the end of an array of n. xitem() is item i of an
 * array, which grows if it is too short; xitem_zeroed() sets new items to zero.
 * All evaluate their arguments more than once.
 */
#define xpush(v, n, cap) \
	((v) = xgrow(v, (size_t)(n) + 1, &(cap), sizeof *(v)), &(v)[(n)++])
#define xitem(v, i, cap) \
	((v) = xgrow(v, (size_t)(i) + 1, &(cap), sizeof *(v)), &(v)[i])
#define xitem_zeroed(v, i, cap) \
	((v) = xgrow0(v, (size_t)(i) + 1, &(cap), sizeof *(v)), &(v)[i])

/*
 * Ends the command as xmalloc() does if errno, which the caller had set to 0,
 * says that a library found no memory. Many libraries call a lack of memory
 * damage, or say nothing.
 */
void xalloc_check(void);

/* A copy of len bytes with a NUL after it. */
char *xmemdup0(const char *p, size_t len);
char *xstrdup(const char *s);

#endif
