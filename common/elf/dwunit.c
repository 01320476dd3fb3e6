/* SPDX-License-Identifier: ISC */
/* Units, and the attributes of their entries. */
#include "elf/dwunit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bound.h"
#include "base/buf.h"
#include "base/xalloc.h"

void
dw_damage(struct buf *err, const char *kind, uint64_t offset)
{
	static const char more[] = "; and more";

	if (err->len < 150)
		buf_printf(err, "%s%s at %#" PRIx64 " of .debug_info",
		    err->len > 0 ? "; " : "", kind, offset);
	else if (memmem(err->p, err->len, more, sizeof more - 1) == NULL)
		buf_adds(err, more);
}

struct dwread
dw_at(const struct dwarf *d, enum dwsection s, uint64_t from, uint64_t to)
{
	struct dwread r = d->section[s];
	const size_t len = dw_left(&r);

	if (from > len || to < from) {
		dw_fail(&r);
		return r;
	}
	if (to < len)
		r.end = r.p + to;
	r.p += from;
	return r;
}

bool
dw_spend(struct dwarf *d, enum dwsection s, uint64_t n)
{
	if (n > d->left[s]) {
		d->left[s] = 0;
		return false;
	}
	d->left[s] -= n;
	return true;
}

/* Entries --------------------------------------------------------------- */

static void
take_value(struct entry *e, unsigned name, const struct dwvalue *val,
    const struct unit *u)
{
	switch (name) {
	case AT_NAME:
		e->name = *val;
		break;
	case AT_LINKAGE_NAME:
	case AT_MIPS_LINKAGE_NAME:
		e->linkage_name = *val;
		break;
	case AT_LOW_PC:
		e->low_pc = *val;
		break;
	case AT_HIGH_PC:
		e->high_pc = *val;
		break;
	case AT_RANGES:
		e->ranges = *val;
		break;
	case AT_ABSTRACT_ORIGIN:
	case AT_SPECIFICATION:
		e->origin = *val;
		if (val->class == DW_UNIT_REF)
			e->origin.n += u->start;
		else if (val->class != DW_INFO_REF)
			e->origin.class = DW_NONE;
		break;
	case AT_CALL_FILE:
		e->call_file = (uint32_t)val->n;
		break;
	case AT_CALL_LINE:
		e->call_line = (uint32_t)val->n;
		break;
	case AT_STMT_LIST:
		e->stmt_list = *val;
		break;
	case AT_ADDR_BASE:
	case AT_GNU_ADDR_BASE:
		e->addr_base = *val;
		break;
	case AT_STR_OFFSETS_BASE:
		e->str_base = *val;
		break;
	case AT_RNGLISTS_BASE:
		e->rnglists_base = *val;
		break;
	default:
		break;
	}
}

bool
dwunit_entry(struct dwarf *d, struct unit *u, struct dwread *r,
    bool (*want)(unsigned tag), struct entry *e)
{
	const struct abbrevs *t = dwabbrev_of(d, u);
	const uint64_t code = dw_uleb(r);
	const struct abbrev *a;
	const struct spec *s;
	struct dwvalue val;

	e->abbrev = NULL;
	if (code == 0)
		return !r->bad;
	a = dwabbrev_find(t, code);
	if (a == NULL)
		return false;
	if (!want(a->tag)) {
		e->abbrev = a;
		if (a->fixed) {
			dw_skip(r,
			    a->size.bytes +
				(uint64_t)a->size.addresses * u->sizes.address +
				(uint64_t)a->size.offsets * u->sizes.offset);
			return !r->bad;
		}
	} else {
		memset(e, 0, sizeof *e);
		e->abbrev = a;
	}
	if (a->n_specs == 0)
		return true;
	if (!dw_spend(d, S_INFO, a->n_specs))
		return false;
	s = t->spec + a->spec;
	for (uint32_t i = 0; i < a->n_specs; i++, s++) {
		if (!dwform_read(r, s->form, s->implicit, &u->sizes, &val))
			return false;
		if (want(a->tag))
			take_value(e, s->name, &val, u);
	}
	return true;
}

const char *
dw_text(struct dwarf *d, const struct unit *u, const struct dwvalue *val)
{
	struct dwread r;
	uint64_t at = val->n;

	switch (val->class) {
	case DW_TEXT:
		return val->str;
	case DW_STR:
		r = dw_at(d, S_STR, at, UINT64_MAX);
		break;
	case DW_LINE_STR:
		r = dw_at(d, S_LINE_STR, at, UINT64_MAX);
		break;
	case DW_STR_INDEX:
		if (at > UINT64_MAX / 16)
			return NULL;
		r = dw_at(d, S_STR_OFFSETS, u->str_base + at * u->sizes.offset,
		    UINT64_MAX);
		at = dw_uint(&r, u->sizes.offset);
		if (r.bad)
			return NULL;
		r = dw_at(d, S_STR, at, UINT64_MAX);
		break;
	default:
		return NULL;
	}
	/* dwarf_new() cut these sections behind their last NUL */
	return r.p != r.end ? (const char *)r.p : NULL;
}

bool
dw_address(struct dwarf *d, const struct unit *u, const struct dwvalue *val,
    uint64_t *addr)
{
	struct dwread r;

	if (val->class == DW_ADDRESS) {
		*addr = val->n;
		return true;
	}
	if (val->class != DW_ADDR_INDEX || val->n > UINT64_MAX / 16)
		return false;
	r = dw_at(
	    d, S_ADDR, u->addr_base + val->n * u->sizes.address, UINT64_MAX);
	*addr = dw_uint(&r, u->sizes.address);
	return !r.bad;
}

/* Units ----------------------------------------------------------------- */

struct unit *
dwunit_at(struct dwarf *d, uint64_t offset)
{
	size_t i = bound_above(d->units, d->n_units, sizeof *d->units,
	    offsetof(struct unit, end), offset);

	return i < d->n_units && offset >= d->units[i].entries ? &d->units[i]
							       : NULL;
}

/*
 * Reads a unit's head. Returns 1, 0 for a unit that is of no use here (types,
 * parts of split DWARF), or -1 when it is damaged; r is at the next unit.
 */
static int
read_head(struct dwarf *d, struct dwread *r, struct unit *u)
{
	const unsigned char *info = d->section[S_INFO].p;
	unsigned type = 1;
	uint64_t len;
	struct dwread h;

	u->start = (uint64_t)(r->p - info);
	len = dw_length(r, &u->sizes.offset);
	if (r->bad || len > dw_left(r)) {
		dw_fail(r);
		return -1;
	}
	h = *r;
	h.end = h.p + len;
	r->p += len;
	u->end = (uint64_t)(h.end - info);
	u->sizes.version = (unsigned)dw_uint(&h, 2);
	if (u->sizes.version < 2 || u->sizes.version > 5)
		return -1;
	if (u->sizes.version == 5) {
		type = dw_u8(&h);
		u->sizes.address = dw_u8(&h);
		u->abbrev_offset = dw_uint(&h, u->sizes.offset);
	} else {
		u->abbrev_offset = dw_uint(&h, u->sizes.offset);
		u->sizes.address = dw_u8(&h);
	}
	u->entries = (uint64_t)(h.p - info);
	if (h.bad || (u->sizes.address != 8 && u->sizes.address != 4 &&
			 u->sizes.address != 2))
		return -1;
	return type == 1 || type == 3; /* compile and partial units */
}

bool
dw_want_all(unsigned tag)
{
	(void)tag;
	return true;
}

struct ranges {
	struct dwarf *d;
	struct seg_range *v;
	size_t n, cap;
	uint32_t id;
};

static void
add_range(uint64_t lo, uint64_t hi, void *arg)
{
	struct ranges *r = arg;

	if (r->d->items == 0)
		return;
	r->d->items--;
	r->v = xgrow(r->v, r->n + 1, &r->cap, sizeof *r->v);
	r->v[r->n++] = (struct seg_range){lo, hi, r->id};
}

/* Reads the unit's own entry: what the values of the others are based on. */
static bool
read_root(struct dwarf *d, struct unit *u, struct ranges *ranges)
{
	struct dwread r = dw_at(d, S_INFO, u->entries, u->end);
	struct entry e;

	if (!dwunit_entry(d, u, &r, dw_want_all, &e))
		return false;
	if (e.abbrev == NULL)
		return true;
	/* Without a base, values begin behind the head of the section. */
	u->addr_base = e.addr_base.n;
	u->str_base =
	    e.str_base.class != DW_NONE ? e.str_base.n : 2 * u->sizes.offset;
	if (u->sizes.version < 5 && e.str_base.class == DW_NONE)
		u->str_base = 0;
	u->rnglists_base = e.rnglists_base.n;
	u->has_lines = e.stmt_list.class == DW_NUMBER;
	u->stmt_list = e.stmt_list.n;
	if (!dw_address(d, u, &e.low_pc, &u->low_pc))
		u->low_pc = 0;
	return dw_ranges(d, u, &e, add_range, ranges);
}

int
dwunit_scan(struct dwarf *d, struct buf *err)
{
	struct dwread r = d->section[S_INFO];
	struct ranges ranges = {.d = d};
	size_t cap = 0, n;

	while (r.p != r.end && d->n_units < UINT32_MAX - 1) {
		struct unit u = {0};
		int status = read_head(d, &r, &u);

		if (status < 0)
			dw_damage(err, "damaged head of a unit", u.start);
		if (status <= 0)
			continue;
		ranges.id = (uint32_t)d->n_units;
		n = ranges.n;
		if (!read_root(d, &u, &ranges)) {
			ranges.n = n;
			dw_damage(err, "damaged unit", u.start);
			continue;
		}
		d->units =
		    xgrow(d->units, d->n_units + 1, &cap, sizeof *d->units);
		d->units[d->n_units++] = u;
	}
	segs_build(ranges.v, ranges.n, &d->segs);
	free(ranges.v);
	return d->n_units > 0 ? 0 : -1;
}

void
dwunit_free(struct dwarf *d)
{
	dwabbrev_free(d);
	for (size_t i = 0; i < d->n_units; i++) {
		segs_done(&d->units[i].segs);
		free(d->units[i].inlined);
		dwlines_free(d->units[i].lines);
	}
	free(d->units);
	segs_done(&d->segs);
}
