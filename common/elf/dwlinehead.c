/* SPDX-License-Identifier: ISC */
/* The tables of files, which are quite different in version 5. */
#include "elf/dwlinehead.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
	LNCT_PATH = 1,
	LNCT_DIRECTORY = 2,

	FORMATS_MAX = 32
};

void
linehead_done(struct linehead *h)
{
	for (size_t i = 0; i < h->n_files; i++)
		free(h->file[i].text);
	free(h->dir);
	free(h->file);
}

static void
add_dir(struct linehead *h, const char *name)
{
	h->dir = xgrow(h->dir, h->n_dirs + 1, &h->cap_dirs, sizeof *h->dir);
	h->dir[h->n_dirs++] = name;
}

static void
add_file(struct linehead *h, const char *name, uint64_t dir)
{
	h->file =
	    xgrow(h->file, h->n_files + 1, &h->cap_files, sizeof *h->file);
	h->file[h->n_files++] = (struct linefile){.name = name, .dir = dir};
}

/*
 * The tables of version 2 to 4. Both count from 1 there: directory 0 is the
 * compiler's own, file 0 is none.
 */
static void
read_tables_old(struct linehead *h, struct dwread *r)
{
	add_dir(h, "");
	add_file(h, "", 0);
	while (!r->bad) {
		const char *name = dw_str(r);

		if (*name == 0)
			break;
		add_dir(h, name);
	}
	while (!r->bad) {
		const char *name = dw_str(r);
		uint64_t dir;

		if (*name == 0)
			break;
		dir = dw_uleb(r);
		dw_uleb(r); /* time */
		dw_uleb(r); /* length */
		add_file(h, name, dir);
	}
}

/* A table of version 5: how entries are made, then the entries. */
static void
read_table(struct dwarf *d, const struct unit *u, struct linehead *h,
    struct dwread *r, bool dirs)
{
	unsigned content[FORMATS_MAX], form[FORMATS_MAX];
	const unsigned n = dw_u8(r);
	uint64_t count;

	if (n > FORMATS_MAX) {
		dw_fail(r);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		content[i] = (unsigned)dw_uleb(r);
		form[i] = (unsigned)dw_uleb(r);
	}
	count = dw_uleb(r);
	if (count > dw_left(r)) /* an entry has at least a byte */
		dw_fail(r);
	for (; count > 0 && !r->bad; count--) {
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned i = 0; i < n; i++) {
			struct dwvalue val;

			if (!dwform_read(r, form[i], 0, &h->sizes, &val))
				return;
			if (content[i] == LNCT_PATH)
				name = dw_text(d, u, &val);
			else if (content[i] == LNCT_DIRECTORY)
				dir = val.n;
		}
		if (dirs)
			add_dir(h, name ? name : "");
		else
			add_file(h, name ? name : "", dir);
	}
}

bool
linehead_read(
    struct dwarf *d, const struct unit *u, struct linehead *h, struct dwread *r)
{
	uint64_t len = dw_length(r, &h->sizes.offset);
	const unsigned char *program;

	if (r->bad || len > dw_left(r))
		return false;
	r->end = r->p + len;
	h->version = (unsigned)dw_uint(r, 2);
	if (h->version < 2 || h->version > 5)
		return false;
	h->sizes.version = h->version;
	h->sizes.address = u->sizes.address;
	if (h->version == 5) {
		h->sizes.address = dw_u8(r);
		dw_u8(r); /* size of segment selectors */
	}
	len = dw_uint(r, h->sizes.offset);
	if (r->bad || len > dw_left(r) || h->sizes.address > 8)
		return false;
	program = r->p + len;
	h->min_inst = dw_u8(r);
	if (h->version >= 4)
		dw_u8(r); /* operations of a VLIW instruction */
	dw_u8(r);	  /* whether rows begin statements by default */
	h->line_base = (signed char)dw_u8(r);
	h->line_range = dw_u8(r);
	h->opcode_base = dw_u8(r);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->n_args[i] = (unsigned char)dw_u8(r);
	if (h->version == 5) {
		read_table(d, u, h, r, true);
		read_table(d, u, h, r, false);
	} else {
		read_tables_old(h, r);
	}
	if (r->bad || program < r->p || h->line_range == 0)
		return false;
	r->p = program;
	return true;
}
