/* SPDX-License-Identifier: ISC */
/* Lookups by address. */
#include "elf/dwarf.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "elf/dwindex.h"
#include "elf/dwlines.h"
#include "elf/dwunits.h"

struct dwarf {
	struct dwunits units;
};

struct dwarf *
dwarf_new(struct elffile *f, bool lines, bool tails, struct buf *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->units.lines = lines;
	d->units.tails = tails;
	if (dwunits_init(&d->units, f, err) == 0)
		return d;
	dwarf_free(d);
	return NULL;
}

void
dwarf_free(struct dwarf *d)
{
	if (d == NULL)
		return;
	dwunits_done(&d->units);
	free(d);
}

struct dwunit *
dwarf_unit(struct dwarf *d, uint64_t addr, struct buf *err)
{
	struct dwunit *u = dwunits_at(&d->units, addr, err);

	if (u != NULL && !u->indexed)
		dwindex_make(&d->units, u, err);
	return u;
}

size_t
dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err)
{
	struct dwunit *u = dwarf_unit(d, addr, err);
	uint32_t i;
	size_t n = 0;

	if (u == NULL)
		return 0;
	i = segs_find(&u->segs, addr, NULL);
	while (i < u->n_inlined && n < max) {
		struct inlined *in = &u->inlined[i];
		struct dwarf_call *call = &calls[n++];

		dwindex_name(u, in);
		*call = (struct dwarf_call){in->name, in->name_len, {0}};
		dwlines_file(
		    &d->units, u, in->file, in->line, &call->from, err);
		i = in->parent;
	}
	return n;
}

bool
dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err)
{
	struct dwunit *u = NULL;

	*pos = (struct dwarf_pos){NULL, 0, 0};
	if (d->units.lines)
		u = dwunits_at(&d->units, addr, err);
	return u != NULL && dwlines_find(&d->units, u, addr, pos, err);
}
