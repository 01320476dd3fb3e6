/* SPDX-License-Identifier: ISC */
#include "code/part.h"

#include <inttypes.h>

#include "base/buf.h"

static bool
within(const struct code *c, uint64_t addr)
{
	return addr - c->of->addr < c->of->n;
}

void
code_target(const struct code *c, uint64_t to)
{
	if (!within(c, to))
		c->of->name(c->of->arg, to, c->b);
	else if (c->looks)
		c->target[to - c->of->addr] = true;
	else if (!c->of->loose)
		buf_printf(c->b, ">%" PRIu32 " ", c->before[to - c->of->addr]);
}

bool
code_is_address(const struct code *c, uint64_t v)
{
	return c->of->low >= 0x10000 && v >= c->of->low && v < c->of->high;
}
