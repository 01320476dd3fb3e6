/* SPDX-License-Identifier: ISC */
#include "calls.h"

#include "base/xalloc.h"

/* Open calls that are noted; uftrace itself records 1024 at most. */
enum { DEPTH_MAX = 4096 };

void
calls_push(struct calls *c, uint64_t addr)
{
	if (c->n >= DEPTH_MAX) {
		c->more++;
		return;
	}
	if (c->n == c->cap)
		c->addr = xgrow(c->addr, c->n + 1, &c->cap, sizeof *c->addr);
	c->addr[c->n++] = addr;
}

void
calls_pop(struct calls *c, uint64_t addr)
{
	size_t n = c->n;

	if (c->more) {
		c->more--;
		return;
	}
	while (n > 0 && c->addr[n - 1] != addr)
		n--;
	if (n > 0)
		c->n = n - 1;
}
