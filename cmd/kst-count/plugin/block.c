/* SPDX-License-Identifier: ISC */
/* The blocks of code, each once, however often QEMU translates it. */
#include "plugin/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "set/slots.h"
#include "trace/cover.h"
#include "trace/spans.h"
#include "plugin/tree.h"

static struct {
	struct block **v;
	size_t n, cap;
	struct slots slots;
	uint64_t *entry; /* blocks that were entered, sorted */
	size_t entries, cap_entries;
} all;

/* A function without an entry near it is told by its address. */
enum { FUNC_MAX = 1 << 16 };

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct block *a = ((struct block *const *)of)[id], *b = key;

	return a->pc == b->pc && a->n == b->n && a->last.kind == b->last.kind &&
	       a->last.target == b->last.target &&
	       a->last.bits == b->last.bits && a->fits == b->fits &&
	       a->program == b->program &&
	       memcmp(a->after, b->after, a->n * sizeof *a->after) == 0;
}

struct block *
block_new(uint64_t pc, size_t n)
{
	struct block *b = xcalloc(1, sizeof *b + n * sizeof *b->after);

	b->pc = pc;
	b->first = b;
	return b;
}

struct block *
block_keep(struct block *b)
{
	const uint64_t hash = (b->pc ^ (uint64_t)b->n << 48 ^
				  (uint64_t)b->program << 58 ^ b->last.target) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (all.n == 0)
		slots_init(&all.slots);
	id = slots_find(&all.slots, hash, same, all.v, b);
	if (id != SLOTS_NONE) {
		free(b);
		return all.v[id];
	}
	b->number = (uint32_t)all.n;
	b->at = block_place(b, 0);
	b->end = block_addr(b, b->n);
	b->to = b->last.direct && b->last.bits == 64 ? b->last.target : b->end;
	b->goes = b->last.kind <= INSN_BRANCH && !b->fits && !b->tail
		      ? b->n
		      : BLOCK_NEVER;
	slots_add(&all.slots, hash);
	return *xpush(all.v, all.n, all.cap) = b;
}

void
block_move(void)
{
	for (size_t i = 0; i < all.n; i++)
		all.v[i]->at = block_place(all.v[i], 0);
	spans_move(tree_in_file);
}

struct block *
block_as(struct block *b, unsigned program)
{
	struct block *v = b;

	while (v && v->program != program)
		v = v->other;
	if (v != NULL)
		return v;
	v = block_new(b->pc, b->n);
	memcpy(v->after, b->after, b->n * sizeof *b->after);
	v->n = b->n;
	v->last = b->last;
	v->fits = b->fits;
	v->program = program;
	v->first = b;
	v = block_keep(v);
	v->other = b->other;
	return b->other = v;
}

uint64_t
block_place(const struct block *b, uint64_t i)
{
	return programs_apart(b->program, tree_in_file(block_addr(b, i)));
}

struct block *
block_of(uint64_t part, uint32_t *n)
{
	*n = part & UINT16_MAX;
	return all.v[part >> 16];
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void
block_sort_entries(void)
{
	all.entries = 0;
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i]->entered)
			*xpush(all.entry, all.entries, all.cap_entries) =
			    all.v[i]->pc;
	if (all.entries > 0)
		qsort(all.entry, all.entries, sizeof *all.entry, compare);
}

uint64_t
block_function(uint64_t addr)
{
	size_t low = 0, high = all.entries;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (all.entry[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && addr - all.entry[low - 1] < FUNC_MAX
		   ? all.entry[low - 1]
		   : addr;
}

/* What it has added is one of the whole block each. */
static void
give(struct block *b)
{
	if (b->added == 0)
		return;
	tree_add(b->leaf, b->added);
	b->ran += b->added;
	b->added = 0;
}

void
block_on(struct block *b, uint32_t node)
{
	if (b->parent == node)
		return;
	give(b);
	b->parent = node;
	b->call = 0;
	b->leaf = tree_child(node, TREE_CODE, block_part(b, b->n));
}

void
block_add_all(void)
{
	for (size_t i = 0; i < all.n; i++)
		give(all.v[i]);
}

void
block_ran(struct block *b, uint64_t insns, int64_t n)
{
	if (insns == b->n) {
		b->ran += (uint64_t)n;
	} else if (insns > 0 && insns < b->n) {
		if (b->less == NULL)
			b->less = xcalloc(b->n, sizeof *b->less);
		b->less[insns] += (uint64_t)n;
	}
}

void
block_judge(uint64_t *judged, uint64_t *differ)
{
	*judged = *differ = 0;
	for (size_t k = 0; k < all.n; k++) {
		const struct block *b = all.v[k];
		uint64_t count = b->ran;

		for (uint32_t i = b->n; b->judged && i-- > 0;) {
			*judged += b->judged[i];
			*differ += b->judged[i] > count ? b->judged[i] - count
							: count - b->judged[i];
			count += b->less && i > 0 ? b->less[i] : 0;
		}
	}
}

void
block_went(struct block *b, uint64_t pc)
{
	if (b->last.kind != INSN_BRANCH)
		return;
	if (insn_leads_to(&b->last, pc))
		b->taken++;
	else if (pc == block_addr(b, b->n))
		b->on++;
}

static void
put_block(const struct block *b, struct cover_head *h, FILE *f)
{
	uint64_t count = b->ran;

	for (uint32_t i = b->n; i-- > 0; h->insns++) {
		const struct cover_insn x = {
		    block_place(b, i), count, block_place(b, i + 1)};

		fwrite(&x, sizeof x, 1, f);
		count += b->less && i > 0 ? b->less[i] : 0;
	}
}

bool
block_write(const char *path)
{
	struct cover_head h = {0};
	FILE *f = *path ? fopen(path, "r+e") : NULL;
	bool whole;

	if (*path == 0)
		return true;
	if (f == NULL)
		return false;
	fwrite(&h, sizeof h, 1, f);
	for (size_t i = 0; i < all.n; i++)
		put_block(all.v[i], &h, f);
	for (size_t i = 0; i < all.n; i++) {
		const struct block *b = all.v[i];
		const struct cover_jump x = {block_place(b, b->n - 1),
		    programs_apart(b->program, tree_in_file(b->last.target)),
		    b->on, b->taken};

		if (b->last.kind != INSN_BRANCH || b->on + b->taken == 0)
			continue;
		fwrite(&x, sizeof x, 1, f);
		h.jumps++;
	}
	h.size = sizeof h;
	whole = fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0 &&
		fwrite(&h, sizeof h, 1, f) == 1;
	return fclose(f) == 0 && whole;
}
