/* SPDX-License-Identifier: ISC */
#include "memory/memory.h"
#include <string.h>
#include "base/num.h"

void
snap_clear(struct snap *s)
{
	s->bytes.len = 0;
	s->n = 0;
}

void
snap_done(struct snap *s)
{
	buf_done(&s->bytes);
	s->n = 0;
}

uint8_t *
snap_add(struct snap *s, uint64_t addr, size_t n)
{
	struct snap_part *last = s->n ? &s->part[s->n - 1] : NULL;
	size_t off = s->bytes.len;

	if (last != NULL && last->addr + last->len == addr &&
	    last->off + last->len == off) {
		last->len += n;
	} else {
		if (s->n == SNAP_PARTS)
			return NULL;
		s->part[s->n++] = (struct snap_part){addr, n, off};
	}
	buf_room(&s->bytes, n);
	s->bytes.len += n;
	return (uint8_t *)s->bytes.p + off;
}

/* The part that has the byte at addr, NULL if none has. */
static const struct snap_part *
part_at(const struct snap *s, uint64_t addr)
{
	for (size_t i = 0; i < s->n; i++)
		if (addr - s->part[i].addr < s->part[i].len)
			return &s->part[i];
	return NULL;
}

int
snap_bytes(const struct snap *s, uint64_t addr, uint8_t *to, size_t n)
{
	while (n > 0) {
		const struct snap_part *p = part_at(s, addr);
		size_t at, len;

		if (p == NULL)
			return -1;
		at = (size_t)(addr - p->addr);
		len = p->len - at < n ? p->len - at : n;
		memcpy(to, s->bytes.p + p->off + at, len);
		addr += len;
		to += len;
		n -= len;
	}
	return 0;
}

void
snap_missing(const struct snap *s, uint64_t *addr, size_t *n)
{
	const struct snap_part *p;

	while (*n > 0 && (p = part_at(s, *addr)) != NULL) {
		size_t left = (size_t)(p->addr + p->len - *addr);

		left = left < *n ? left : *n;
		*addr += left;
		*n -= left;
	}
	while (*n > 0 && (p = part_at(s, *addr + *n - 1)) != NULL)
		*n = p->addr > *addr ? (size_t)(p->addr - *addr) : 0;
}

int
snap_word(const struct snap *s, uint64_t addr, size_t n, uint64_t *word)
{
	uint8_t b[8];

	if (snap_bytes(s, addr, b, n) != 0)
		return -1;
	*word = uint_load(b, n, false);
	return 0;
}

static const uint8_t *
block_at(struct code *c, uint64_t addr, code_fetch *fetch, void *arg)
{
	struct code_block *b = &c->block[addr / CODE_BLOCK % CODE_BLOCKS];
	uint8_t bytes[CODE_BLOCK];

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
