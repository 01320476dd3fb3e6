/* SPDX-License-Identifier: ISC */
#include "beside.h"
#include "emit.h"
#include "base/xalloc.h"
#include "text/range.h"

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

void
cut_enter(struct emit *e, struct track *t)
{
	for (size_t i = 0; i < t->calls.n; i++)
		emit_made(e, t, e->range->from, false, t->calls.addr[i]);
	for (size_t i = 0; i < t->inside.n; i++)
		beside_made(e, t, e->range->from, false, t->inside.addr[i]);
	if (t->switched)
		emit_made_switch(e, t, e->range->from, false);
}

/* What is open ends with the range. */
static void
leave(struct emit *e, struct track *t)
{
	if (t->switched)
		emit_made_switch(e, t, e->range->to, true);
	for (size_t i = t->inside.n; i-- > 0;)
		beside_made(e, t, e->range->to, true, t->inside.addr[i]);
	for (size_t i = t->calls.n; i-- > 0;)
		emit_made(e, t, e->range->to, true, t->calls.addr[i]);
	t->left = true;
}

/* Whether it is a call or a return, without a payload. */
static inline bool
is_plain(const struct dat *d)
{
	return dat_type(d) <= DAT_EXIT && !dat_more(d);
}

bool
cut_skip(struct track *t, uint64_t limit)
{
	struct calls *c = &t->calls;
	uint64_t n = 0;

	if (c->more)
		return false;
	t->more = true;
	while (t->more && t->dat.time <= limit && is_plain(&t->dat)) {
		uint64_t addr = dat_addr(&t->dat);
		size_t back = dat_type(&t->dat) == DAT_EXIT;

		/* without a branch that is taken at random */
		if (c->n == c->cap || c->n < back)
			break;
		c->addr[c->n] = addr;
		if (c->addr[c->n - back] != addr)
			break;
		c->n += 1 - 2 * back;
		n++;
		t->more = dat_next(&t->dat);
	}
	t->open = c->n;
	return n > 0;
}

void
cut_record(struct emit *e, struct track *t)
{
	enum dat_type type = dat_type(&t->dat);

	if (t->dat.time >= e->range->to) {
		leave(e, t);
		return;
	}
	emit_record(e, t);
	if (type == DAT_ENTRY)
		calls_push(&t->calls, dat_addr(&t->dat));
	else if (type == DAT_EXIT)
		calls_pop(&t->calls, dat_addr(&t->dat));
}
