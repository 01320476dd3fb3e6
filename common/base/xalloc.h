/* SPDX-License-Identifier: ISC */
/*
 * Allocation that ends the command when there is no memory: the one error
 * that is not returned. Free the result with free().
 */
#ifndef KST_XALLOC_H
#define KST_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);

/* n * size bytes; an overflow of the product counts as no memory. */
void *xreallocn(void *p, size_t n, size_t size);

/* A copy of len bytes with a NUL behind. */
char *xmemdup0(const char *p, size_t len);
char *xstrdup(const char *s);

#endif
