/* SPDX-License-Identifier: ISC */
/* The stretches of code of an entry: low and high, or a list (2 to 5). */
#include "elf/dwunit.h"

enum {
	RLE_END,
	RLE_BASEX,
	RLE_STARTX_ENDX,
	RLE_STARTX_LENGTH,
	RLE_OFFSET_PAIR,
	RLE_BASE,
	RLE_START_END,
	RLE_START_LENGTH
};

struct walk {
	struct dwarf *d;
	const struct unit *u;
	struct dwread r;
	uint64_t base;
	void (*fn)(uint64_t lo, uint64_t hi, void *arg);
	void *arg;
};

/*
 * Gives a range to fn if it is in code: functions that the linker threw away
 * keep their entries, at address 0 or near it.
 */
static void
give(const struct walk *w, uint64_t lo, uint64_t hi)
{
	if (lo < hi && elffile_code_end(w->d->file, lo) != lo)
		w->fn(lo, hi, w->arg);
}

/* .debug_ranges: pairs, up to a pair of zeros. */
static bool
walk_pairs(struct walk *w)
{
	const unsigned size = w->u->sizes.address;
	const uint64_t max =
	    size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;

	for (;;) {
		const uint64_t lo = dw_uint(&w->r, size);
		const uint64_t hi = dw_uint(&w->r, size);

		if (w->r.bad || !dw_spend(w->d, S_RANGES, 1))
			return false;
		if (lo == 0 && hi == 0)
			return true;
		if (lo == max)
			w->base = hi;
		else
			give(w, w->base + lo, w->base + hi);
	}
}

static bool
indexed(struct walk *w, uint64_t *addr)
{
	const struct dwvalue val = {
	    .class = DW_ADDR_INDEX, .n = dw_uleb(&w->r)};

	return dw_address(w->d, w->u, &val, addr);
}

/* One entry of .debug_rnglists; 0 at the end, -1 when it is damaged. */
static int
walk_entry(struct walk *w)
{
	const unsigned kind = dw_u8(&w->r), size = w->u->sizes.address;
	uint64_t lo, hi;

	switch (kind) {
	case RLE_END:
		return w->r.bad ? -1 : 0;
	case RLE_BASEX:
		return indexed(w, &w->base) ? 1 : -1;
	case RLE_BASE:
		w->base = dw_uint(&w->r, size);
		return 1;
	case RLE_STARTX_ENDX:
		if (!indexed(w, &lo) || !indexed(w, &hi))
			return -1;
		break;
	case RLE_STARTX_LENGTH:
		if (!indexed(w, &lo))
			return -1;
		hi = lo + dw_uleb(&w->r);
		break;
	case RLE_OFFSET_PAIR:
		lo = w->base + dw_uleb(&w->r);
		hi = w->base + dw_uleb(&w->r);
		break;
	case RLE_START_END:
		lo = dw_uint(&w->r, size);
		hi = dw_uint(&w->r, size);
		break;
	case RLE_START_LENGTH:
		lo = dw_uint(&w->r, size);
		hi = lo + dw_uleb(&w->r);
		break;
	default:
		return -1;
	}
	if (!w->r.bad)
		give(w, lo, hi);
	return 1;
}

static bool
walk_rnglist(struct walk *w)
{
	int status;

	while ((status = walk_entry(w)) > 0)
		if (w->r.bad || !dw_spend(w->d, S_RNGLISTS, 1))
			return false;
	return status == 0;
}

static bool
walk_list(struct walk *w, const struct dwvalue *val)
{
	const struct unit *u = w->u;
	uint64_t at = val->n;
	struct dwread r;

	if (u->sizes.version < 5 && val->class == DW_NUMBER) {
		w->r = dw_at(w->d, S_RANGES, at, UINT64_MAX);
		return walk_pairs(w);
	}
	if (val->class == DW_LIST_INDEX) {
		if (at > UINT64_MAX / 16)
			return false;
		r = dw_at(w->d, S_RNGLISTS,
		    u->rnglists_base + at * u->sizes.offset, UINT64_MAX);
		at = u->rnglists_base + dw_uint(&r, u->sizes.offset);
		if (r.bad)
			return false;
	} else if (val->class != DW_NUMBER) {
		return false;
	}
	w->r = dw_at(w->d, S_RNGLISTS, at, UINT64_MAX);
	return walk_rnglist(w);
}

bool
dw_ranges(struct dwarf *d, const struct unit *u, const struct entry *e,
    void (*fn)(uint64_t lo, uint64_t hi, void *arg), void *arg)
{
	struct walk w = {
	    .d = d, .u = u, .base = u->low_pc, .fn = fn, .arg = arg};
	uint64_t lo, hi;

	if (e->ranges.class != DW_NONE)
		return walk_list(&w, &e->ranges);
	if (e->low_pc.class == DW_NONE || e->high_pc.class == DW_NONE)
		return true;
	if (!dw_address(d, u, &e->low_pc, &lo))
		return false;
	if (e->high_pc.class == DW_NUMBER)
		hi = lo + e->high_pc.n;
	else if (!dw_address(d, u, &e->high_pc, &hi))
		return false;
	give(&w, lo, hi);
	return true;
}
