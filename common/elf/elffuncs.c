/* SPDX-License-Identifier: ISC */
/* The only file that knows which of several symbols names an address. */
#include "elf/elffuncs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elffile.h"
#include "base/xalloc.h"

enum {
	NAME_MAX_LEN = 16 << 10, /* bytes of a symbol's name that count */
	NAME_CMP = 256		 /* bytes that order aliases */
};

static void
add_symbol(const struct elf_symbol *sym, void *arg)
{
	struct elffuncs *t = arg;
	struct elffunc *f;

	if (t->n >= UINT32_MAX / 2)
		return;
	t->v = xgrow(t->v, t->n + 1, &t->cap, sizeof *t->v);
	f = &t->v[t->n++];
	f->name = sym->name;
	f->len = (uint32_t)strnlen(sym->name, NAME_MAX_LEN);
	f->rank = (uint8_t)(sym->binding + (sym->func ? 0 : 4));
	f->addr = sym->addr;
	f->end = sym->addr;
	if (sym->size > 0)
		f->end = sym->addr + sym->size;
	if (f->end < f->addr)
		f->end = UINT64_MAX;
}

static size_t
underscores(const struct elffunc *f)
{
	size_t n = 0;

	while (n < f->len && n < NAME_CMP && f->name[n] == '_')
		n++;
	return n;
}

/* By address, the longer first; of aliases the preferred one first. */
static int
cmp_func(const void *va, const void *vb)
{
	const struct elffunc *a = va, *b = vb;
	size_t ua, ub;
	int c;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	ua = underscores(a);
	ub = underscores(b);
	if (ua != ub)
		return ua < ub ? -1 : 1;
	c = strncmp(a->name, b->name, NAME_CMP);
	if (c != 0)
		return c;
	return (a->name > b->name) - (a->name < b->name);
}

/*
 * Drops aliases that were not chosen, and labels without size where a sized
 * function is; the others' ends are cut to their section.
 */
static void
choose_functions(struct elffuncs *t, const struct elffile *file)
{
	uint64_t reach = 0; /* the end of sized functions so far */
	size_t n = 0;

	if (t->n > 0)
		qsort(t->v, t->n, sizeof *t->v, cmp_func);
	for (size_t i = 0; i < t->n; i++) {
		struct elffunc f = t->v[i];
		const uint64_t limit = elffile_code_end(file, f.addr);
		const bool sized = f.end > f.addr;

		if (f.end > limit)
			f.end = limit;
		if (n > 0 && t->v[n - 1].addr == f.addr &&
		    t->v[n - 1].end == f.end)
			continue;
		if (!sized && f.addr < reach)
			continue;
		if (sized && f.end > reach)
			reach = f.end;
		t->v[n++] = f;
	}
	t->n = n;
}

static void
index_functions(struct elffuncs *t, const struct elffile *file)
{
	struct seg_range *r = xreallocn(NULL, t->n, sizeof *r);

	for (size_t i = t->n; i-- > 0;) {
		struct elffunc *f = &t->v[i];

		if (f->end == f->addr) {
			f->end = elffile_code_end(file, f->addr);
			if (i + 1 < t->n && t->v[i + 1].addr < f->end)
				f->end = t->v[i + 1].addr;
		}
		r[i] = (struct seg_range){f->addr, f->end, (uint32_t)i};
	}
	segs_build(r, t->n, &t->segs);
	free(r);
}

void
elffuncs_read(struct elffuncs *t, struct elffile *f, struct buf *err)
{
	elffile_symbols(f, add_symbol, t, err);
	choose_functions(t, f);
	index_functions(t, f);
}

void
elffuncs_done(struct elffuncs *t)
{
	segs_done(&t->segs);
	free(t->v);
}

const struct elffunc *
elffuncs_find(const struct elffuncs *t, uint64_t addr)
{
	const uint32_t id = segs_find(&t->segs, addr, NULL);

	return id == SEG_NONE ? NULL : &t->v[id];
}
