/* SPDX-License-Identifier: ISC */
/* One place for each address; the last block there wins. */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct code_block {
	uint64_t addr;
	bool full;
	uint8_t bytes[CODE_BLOCK];
};

void
code_done(struct code *c)
{
	free(c->block);
	c->block = NULL;
}

static const uint8_t *
block_at(struct code *c, uint64_t addr, code_fetch *fetch, void *arg)
{
	uint8_t bytes[CODE_BLOCK];
	struct code_block *b;

	if (c->block == NULL) /* pages that are not used take no memory */
		c->block = xcalloc(CODE_BLOCKS, sizeof *c->block);
	b = &c->block[addr / CODE_BLOCK % CODE_BLOCKS];
	if (b->full && b->addr == addr)
		return b->bytes;
	if (fetch(arg, addr, bytes, CODE_BLOCK) != 0)
		return NULL;
	memcpy(b->bytes, bytes, CODE_BLOCK);
	b->addr = addr;
	b->full = true;
	return b->bytes;
}

size_t
code_bytes(struct code *c, uint64_t addr, uint8_t *to, size_t n,
    code_fetch *fetch, void *arg)
{
	size_t done = 0;

	while (done < n) {
		uint64_t at = (addr + done) % CODE_BLOCK;
		const uint8_t *p = block_at(c, addr + done - at, fetch, arg);
		size_t part = CODE_BLOCK - at;

		if (p == NULL)
			break;
		part = part < n - done ? part : n - done;
		memcpy(to + done, p + at, part);
		done += part;
	}
	return done;
}

bool
code_has(const struct code *c, uint64_t addr, size_t n)
{
	for (uint64_t at = addr - addr % CODE_BLOCK; at < addr + n;
	     at += CODE_BLOCK) {
		const struct code_block *b =
		    c->block ? &c->block[at / CODE_BLOCK % CODE_BLOCKS] : NULL;

		if (b == NULL || !b->full || b->addr != at)
			return false;
	}
	return true;
}
