/* SPDX-License-Identifier: ISC */
#include "cover/counts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"

static int
by_addr(const void *a, const void *b)
{
	const struct cover_insn *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int
by_target(const void *a, const void *b)
{
	const struct cover_jump *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

/* Reads n items at an offset, which is moved; NULL if they are not there. */
static void *
read_items(int file, uint64_t n, size_t size, off_t *at)
{
	const off_t left = lseek(file, 0, SEEK_END) - *at;
	char *p, *v;
	size_t len;
	ssize_t got = 1;

	if (left < 0 || n > (uint64_t)left / size)
		return NULL;
	p = v = xreallocn(NULL, n + 1, size);
	for (len = n * size; len > 0 && got > 0; len -= (size_t)got)
		if ((got = pread(file, p, len, *at)) > 0) {
			p += got;
			*at += got;
		}
	if (len == 0)
		return v;
	free(v);
	return NULL;
}

bool
counts_load(struct counts *c, int file)
{
	struct cover_head *h;
	off_t at = 0;
	size_t n = 0;

	h = read_items(file, 1, sizeof *h, &at);
	if (h == NULL || h->size != sizeof *h ||
	    (c->insn = read_items(file, h->insns, sizeof *c->insn, &at)) ==
		NULL ||
	    (c->jump = read_items(file, h->jumps, sizeof *c->jump, &at)) ==
		NULL) {
		free(h);
		return false;
	}
	c->n_insns = h->insns;
	c->n_jumps = h->jumps;
	free(h);
	qsort(c->insn, c->n_insns, sizeof *c->insn, by_addr);
	for (size_t i = 0; i < c->n_insns; i++)
		if (n > 0 && c->insn[n - 1].addr == c->insn[i].addr)
			c->insn[n - 1].count += c->insn[i].count;
		else
			c->insn[n++] = c->insn[i];
	c->n_insns = n;
	qsort(c->jump, c->n_jumps, sizeof *c->jump, by_target);
	return true;
}

uint64_t
counts_of(const struct counts *c, uint64_t addr)
{
	const struct cover_insn key = {addr, 0, 0},
				*x = bsearch(&key, c->insn, c->n_insns,
				    sizeof key, by_addr);

	return x ? x->count : 0;
}

const struct cover_jump *
counts_to(const struct counts *c, uint64_t target, size_t *n)
{
	const struct cover_jump key = {.target = target},
				*end = c->jump + c->n_jumps,
				*j = bsearch(&key, c->jump, c->n_jumps,
				    sizeof key, by_target);

	while (j && j > c->jump && j[-1].target == target)
		j--;
	*n = 0;
	while (j && j + *n < end && j[*n].target == target)
		++*n;
	return j;
}

void
counts_ways(const struct counts *c, uint64_t addr, uint64_t target,
    uint64_t *on, uint64_t *taken)
{
	size_t n;
	const struct cover_jump *j = counts_to(c, target, &n);

	for (*on = *taken = 0; n > 0; n--, j++)
		if (j->addr == addr) {
			*on += j->on;
			*taken += j->taken;
		}
}

void
counts_done(struct counts *c)
{
	free(c->insn);
	free(c->jump);
}
