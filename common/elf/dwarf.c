/* SPDX-License-Identifier: ISC */
/* Lookups by address. */
#include "elf/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { NAME_LEN_MAX = 16 << 10 }; /* bytes of a name that count */

struct dwarf *
dwarf_new(struct elffile *f, bool lines, bool tails, struct buf *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->lines = lines;
	d->tails = tails;
	if (dwunits_init(d, f, err) == 0)
		return d;
	dwarf_free(d);
	return NULL;
}

void
dwarf_free(struct dwarf *d)
{
	if (d == NULL)
		return;
	dwunits_done(d);
	free(d);
}

struct dwunit *
dwarf_unit(struct dwarf *d, uint64_t addr, struct buf *err)
{
	struct dwunit *u = dwunits_at(d, addr, err);

	if (u != NULL && !u->indexed)
		dwindex_make(d, u, err);
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
	i = segs_find(&u->segs, addr);
	while (i < u->n_inlined && n < max) {
		struct inlined *in = &u->inlined[i];
		struct dwarf_call *call = &calls[n++];

		if (in->name == NULL) {
			in->name = dwindex_name(u->cu, in->entry);
			in->name_len =
			    (uint32_t)strnlen(in->name, NAME_LEN_MAX);
		}
		*call = (struct dwarf_call){in->name, in->name_len, {0}};
		dwlines_file(d, u, in->file, in->line, &call->from, err);
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
	if (d->lines)
		u = dwunits_at(d, addr, err);
	return u != NULL && dwlines_find(d, u, addr, pos, err);
}
