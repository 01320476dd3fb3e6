/* SPDX-License-Identifier: ISC */
/*
 * Kinds of entries (.debug_abbrev). A table of kinds is read once, however
 * many units name it, and only as much as the section is long in all: tables
 * that overlap would otherwise cost their number times their size.
 */
#include "elf/dwunit.h"

#include <stdlib.h>

#include "base/bound.h"
#include "base/msg.h"
#include "base/xalloc.h"

#define uthash_fatal(text) msg_die(EXIT_FAILED, "%s", text)
#include <uthash.h>

/* A table with what finds it again. */
struct table {
	struct abbrevs kinds;
	uint64_t offset; /* in .debug_abbrev: the key */
	UT_hash_handle hh;
};

static int
cmp_abbrev(const void *va, const void *vb)
{
	const struct abbrev *a = va, *b = vb;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return (a->spec > b->spec) - (a->spec < b->spec);
}

/* Reads a kind's attributes up to the pair of zeros. */
static void
read_specs(struct dwread *r, struct abbrevs *t, struct abbrev *a, size_t *cap)
{
	a->fixed = true;
	for (;;) {
		const uint64_t name = dw_uleb(r), form = dw_uleb(r);
		struct spec *s;

		if (r->bad || (name == 0 && form == 0))
			return;
		t->spec = xgrow(t->spec, t->n_specs + 1, cap, sizeof *t->spec);
		s = &t->spec[t->n_specs++];
		s->name = name > UINT16_MAX ? UINT16_MAX : (uint16_t)name;
		s->form = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form;
		s->implicit = form == DW_IMPLICIT_CONST ? dw_sleb(r) : 0;
		a->n_specs++;
		if (a->fixed)
			a->fixed = dwform_fixed(s->form, &a->size);
	}
}

static void
read_table(struct dwarf *d, uint64_t offset, struct abbrevs *t)
{
	struct dwread r = dw_at(d, S_ABBREV, offset, UINT64_MAX);
	const unsigned char *start = r.p;
	size_t cap = 0, cap_specs = 0;

	if (d->left[S_ABBREV] < dw_left(&r))
		r.end = r.p + d->left[S_ABBREV];
	for (;;) {
		struct abbrev a = {.code = dw_uleb(&r)};

		if (r.bad || a.code == 0)
			break;
		a.tag = (uint16_t)dw_uleb(&r);
		a.children = dw_u8(&r) != 0;
		a.spec = (uint32_t)t->n_specs;
		read_specs(&r, t, &a, &cap_specs);
		t->v = xgrow(t->v, t->n + 1, &cap, sizeof *t->v);
		t->v[t->n++] = a;
	}
	dw_spend(d, S_ABBREV, (uint64_t)(r.p - start));
	if (t->n > 0)
		qsort(t->v, t->n, sizeof *t->v, cmp_abbrev);
}

const struct abbrevs *
dwabbrev_of(struct dwarf *d, struct unit *u)
{
	struct table *t;

	if (u->abbrevs != NULL)
		return u->abbrevs;
	HASH_FIND(hh, d->tables, &u->abbrev_offset, sizeof u->abbrev_offset, t);
	if (t == NULL) {
		t = xcalloc(1, sizeof *t);
		t->offset = u->abbrev_offset;
		read_table(d, t->offset, &t->kinds);
		HASH_ADD(hh, d->tables, offset, sizeof t->offset, t);
	}
	u->abbrevs = &t->kinds;
	return u->abbrevs;
}

const struct abbrev *
dwabbrev_find(const struct abbrevs *t, uint64_t code)
{
	size_t i;

	/* nearly always they are 1, 2, 3 ... */
	if (code - 1 < t->n && t->v[code - 1].code == code)
		return &t->v[code - 1];
	i = bound_above(
	    t->v, t->n, sizeof *t->v, offsetof(struct abbrev, code), code - 1);
	return i < t->n && t->v[i].code == code ? &t->v[i] : NULL;
}

void
dwabbrev_free(struct dwarf *d)
{
	struct table *t, *next;

	HASH_ITER(hh, d->tables, t, next)
	{
		HASH_DEL(d->tables, t);
		free(t->kinds.v);
		free(t->kinds.spec);
		free(t);
	}
}
