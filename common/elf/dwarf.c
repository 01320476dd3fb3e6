/* SPDX-License-Identifier: ISC */
/*
 * The index of inlined calls, made for a unit when an address in it is first
 * asked for: one walk over its entries, forward only, which keeps the inlined
 * calls, what each is in, and their ranges flattened (segs.h).
 */
#include "elf/dwarf.h"

#include <stdlib.h>

#include "base/buf.h"
#include "elf/dwunit.h"
#include "base/xalloc.h"

enum {
	DEPTH_MAX = 2048,	 /* entries in entries */
	CHAIN_MAX = 16,		 /* references from entry to entry */
	NAME_LEN_MAX = 16 << 10, /* bytes of a name that count */
	WORK_FACTOR = 16,	 /* see dw_spend() */
	ITEMS_MIN = 1 << 16,	 /* see struct dwarf */
	ITEMS_MAX = 1 << 25
};

static const char *const section_names[S_N] = {
    [S_INFO] = ".debug_info",
    [S_ABBREV] = ".debug_abbrev",
    [S_STR] = ".debug_str",
    [S_LINE_STR] = ".debug_line_str",
    [S_LINE] = ".debug_line",
    [S_RANGES] = ".debug_ranges",
    [S_RNGLISTS] = ".debug_rnglists",
    [S_ADDR] = ".debug_addr",
    [S_STR_OFFSETS] = ".debug_str_offsets",
};

/* Reads a section in; returns -1 when it is damaged. */
static int
load_section(struct dwarf *d, enum dwsection s, struct buf *err)
{
	static const unsigned char none[1]; /* no section: no bytes */
	struct dwread *r = &d->section[s];
	struct elf_section sec;
	struct buf why = BUF_INIT;
	int status = elffile_section(d->file, section_names[s], &sec, &why);

	*r = (struct dwread){none, none, d->big, false};
	if (status == 0 && sec.len > 0) {
		r->p = sec.data;
		r->end = sec.data + sec.len;
	}
	if ((s == S_STR || s == S_LINE_STR) && r->p != r->end) {
		const unsigned char *nul = memrchr(r->p, 0, dw_left(r));

		r->end = nul != NULL ? nul + 1 : r->p;
	}
	d->left[s] = dw_left(r);
	if (s == S_INFO || s == S_RANGES || s == S_RNGLISTS)
		d->left[s] = WORK_FACTOR * d->left[s] + 4096;
	if (status < 0)
		buf_printf(err, "%s%s: %s", err->len > 0 ? "; " : "",
		    section_names[s], buf_str(&why));
	buf_done(&why);
	return status < 0 ? -1 : 0;
}

struct dwarf *
dwarf_new(struct elffile *f, bool lines, struct buf *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->file = f;
	d->big = elffile_big_endian(f);
	d->want_lines = lines;
	for (int s = 0; s < S_N; s++)
		if (load_section(d, s, err) != 0)
			goto fail;
	d->items = ITEMS_MIN;
	for (int s = 0; s < S_N; s++)
		if (s == S_INFO || s == S_LINE || s == S_RANGES ||
		    s == S_RNGLISTS)
			d->items += dw_left(&d->section[s]);
	if (d->items > ITEMS_MAX)
		d->items = ITEMS_MAX;
	if (dw_left(&d->section[S_INFO]) > 0 && dwunit_scan(d, err) == 0)
		return d;
fail:
	dwarf_free(d);
	return NULL;
}

void
dwarf_free(struct dwarf *d)
{
	if (d == NULL)
		return;
	dwunit_free(d);
	free(d);
}

/* The index --------------------------------------------------------------- */

struct indexer {
	struct dwarf *d;
	struct unit *u;
	size_t n, cap; /* of u->inlined */
	struct seg_range *range;
	size_t n_ranges, cap_ranges;
	uint32_t
	    around[DEPTH_MAX]; /* by depth: the call that children are in */
	size_t depth;
};

static void
add_range(uint64_t lo, uint64_t hi, void *arg)
{
	struct indexer *x = arg;

	if (x->d->items == 0)
		return;
	x->d->items--;
	x->range =
	    xgrow(x->range, x->n_ranges + 1, &x->cap_ranges, sizeof *x->range);
	x->range[x->n_ranges++] = (struct seg_range){lo, hi, (uint32_t)x->n};
}

static bool
want_code(unsigned tag)
{
	return tag == TAG_INLINED;
}

/*
 * Takes an inlined call that has code. Returns whether it could be read;
 * *self becomes its number, or stays what is around it when it has no code.
 */
static bool
add_inlined(struct indexer *x, const struct entry *e, uint32_t *self)
{
	struct unit *u = x->u;
	const size_t n_ranges = x->n_ranges;

	if (!dw_ranges(x->d, u, e, add_range, x)) {
		x->n_ranges = n_ranges;
		return false;
	}
	if (x->n_ranges == n_ranges)
		return true;
	if (x->n >= UINT32_MAX - 1 || x->d->items == 0) {
		x->n_ranges = n_ranges;
		return false;
	}
	u->inlined = xgrow(u->inlined, x->n + 1, &x->cap, sizeof *u->inlined);
	u->inlined[x->n] = (struct inlined){.parent = *self,
	    .file = e->call_file,
	    .line = e->call_line,
	    .origin = e->origin.class != DW_NONE ? e->origin.n : UINT64_MAX};
	*self = (uint32_t)x->n++;
	x->d->items--;
	return true;
}

/* One entry, at depth; false when the unit cannot be read on from here. */
static bool
index_entry(struct indexer *x, struct dwread *r)
{
	uint32_t self = x->around[x->depth];
	struct entry e;

	if (!dwunit_entry(x->d, x->u, r, want_code, &e))
		return false;
	if (e.abbrev == NULL) {
		if (x->depth > 0)
			x->depth--;
		return true;
	}
	if (e.abbrev->tag == TAG_INLINED && !add_inlined(x, &e, &self))
		return false;
	if (e.abbrev->tag == TAG_SUBPROGRAM)
		self = UINT32_MAX;
	if (e.abbrev->children) {
		if (x->depth + 1 == DEPTH_MAX)
			return false;
		x->around[++x->depth] = self;
	}
	return true;
}

static void
index_unit(struct dwarf *d, struct unit *u, struct buf *err)
{
	struct indexer *x = xcalloc(1, sizeof *x);
	struct dwread r = dw_at(d, S_INFO, u->entries, u->end);

	u->indexed = true;
	x->d = d;
	x->u = u;
	x->around[0] = UINT32_MAX;
	while (r.p != r.end) {
		const uint64_t at = (uint64_t)(r.p - d->section[S_INFO].p);

		if (!index_entry(x, &r)) {
			dw_damage(err, "damaged entry", at);
			break;
		}
	}
	u->n_inlined = (uint32_t)x->n;
	segs_build(x->range, x->n_ranges, &u->segs);
	free(x->range);
	free(x);
}

/* Lookups ----------------------------------------------------------------- */

/*
 * The name of the function whose entry is at an offset: the first linkage
 * name on the way over its origins, or else the first name, or else "".
 */
static const char *
name_at(struct dwarf *d, uint64_t offset)
{
	const char *name = NULL, *linkage = NULL;

	for (int i = 0; i < CHAIN_MAX && linkage == NULL; i++) {
		struct unit *u = dwunit_at(d, offset);
		struct dwread r;
		struct entry e;

		if (u == NULL)
			break;
		r = dw_at(d, S_INFO, offset, u->end);
		if (!dwunit_entry(d, u, &r, dw_want_all, &e) ||
		    e.abbrev == NULL)
			break;
		linkage = dw_text(d, u, &e.linkage_name);
		if (name == NULL)
			name = dw_text(d, u, &e.name);
		if (e.origin.class == DW_NONE)
			break;
		offset = e.origin.n;
	}
	if (linkage != NULL && *linkage != 0)
		return linkage;
	return name != NULL ? name : "";
}

static void
fill_call(struct dwarf *d, struct unit *u, struct inlined *in,
    struct dwarf_call *call, struct buf *err)
{
	if (in->name == NULL) {
		in->name = name_at(d, in->origin);
		in->name_len = (uint32_t)strnlen(in->name, NAME_LEN_MAX);
	}
	call->name = in->name;
	call->name_len = in->name_len;
	call->from = (struct dwarf_pos){NULL, 0, 0};
	if (d->want_lines && in->line != 0 &&
	    dwlines_file(
		d, u, in->file, &call->from.file, &call->from.file_len, err))
		call->from.line = in->line;
}

size_t
dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err)
{
	const uint32_t id = segs_find(&d->segs, addr, NULL);
	struct unit *u;
	uint32_t i;
	size_t n = 0;

	if (id == SEG_NONE)
		return 0;
	u = &d->units[id];
	if (!u->indexed)
		index_unit(d, u, err);
	i = segs_find(&u->segs, addr, NULL);
	for (; i < u->n_inlined && n < max; i = u->inlined[i].parent)
		fill_call(d, u, &u->inlined[i], &calls[n++], err);
	return n;
}

bool
dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err)
{
	const uint32_t id = segs_find(&d->segs, addr, NULL);
	uint32_t file;

	*pos = (struct dwarf_pos){NULL, 0, 0};
	if (id == SEG_NONE || !d->want_lines)
		return false;
	if (!dwlines_find(d, &d->units[id], addr, &file, &pos->line, err))
		return false;
	return dwlines_file(
	    d, &d->units[id], file, &pos->file, &pos->file_len, err);
}
