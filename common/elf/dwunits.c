/* SPDX-License-Identifier: ISC */
/*
 * Opens debug information. libdw interns units one after another, and reads all
 * kinds of entries of a root at once, so both are stepped over here first,
 * under a time limit. It opens .dwo files by itself, so their paths are checked
 * first: a file that is not regular could block.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/dwarf.h"
#include "elf/elffile.h"

enum {
	CPU_MIN = 250000000, /* ns for any file */
	CPU_BYTE = 120,	     /* and for each byte: 20 times what is usual */
	STEPS = 32,	     /* between looks at the clock */
	UNITS_MIN = 1024,
	UNIT_BYTES = 32, /* at least, on average: libdw takes 1 KiB for one */
	RANGES_MAX = 1 << 22,
	ITEMS_MIN = 1 << 16,
	ITEMS_MAX = 1 << 25,
	PATH_LEN_MAX = 4096
};

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

bool
dwunits_spend(struct dwarf *d, int64_t *clock)
{
	struct timespec ts;
	int64_t now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	now = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	if (*clock != 0)
		d->left -= now - *clock;
	*clock = now;
	return d->left > 0;
}

/* Whether a path is a regular file: 1, 0 if it does not exist, or -1. */
static int
is_regular(const char *dir, const char *name, char path[PATH_LEN_MAX])
{
	struct stat st;
	const int n = snprintf(path, PATH_LEN_MAX, "%s%s%s",
	    *name == '/' ? "" : dir,
	    *name == '/' || *dir == 0 || dir[strlen(dir) - 1] == '/' ? "" : "/",
	    name);

	if (n < 0 || n >= PATH_LEN_MAX)
		return -1;
	if (stat(path, &st) != 0)
		return 0;
	return S_ISREG(st.st_mode) ? 1 : -1;
}

static const char *
text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute at;

	return dwarf_formstring(dwarf_attr(die, name, &at));
}

static uint64_t
number_of(Dwarf_Die *die, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute at;
	Dwarf_Word n;

	if (dwarf_formudata(dwarf_attr(die, name, &at), &n) == 0 ||
	    dwarf_formudata(dwarf_attr(die, gnu_name, &at), &n) == 0)
		return n;
	return 0;
}

/* Opening --------------------------------------------------------------- */

/* The file to which dwz moved common entries, if it is the right one. */
static int
open_alt(struct dwarf *d, struct buf *err)
{
	const char *name;
	const void *id, *alt_id;
	const ssize_t len = dwelf_dwarf_gnu_debugaltlink(d->dw, &name, &id);
	char path[PATH_LEN_MAX];
	Dwarf *alt;

	if (len <= 0)
		return 0;
	if (is_regular(d->dir, name, path) < 0) {
		buf_adds(err, "its supplementary file is not a regular file");
		return -1;
	}
	alt = dwarf_getalt(d->dw);
	if (alt == NULL) {
		buf_printf(err, "its supplementary file is missing: %s", path);
		return 0;
	}
	if (dwelf_elf_gnu_build_id(dwarf_getelf(alt), &alt_id) == len &&
	    memcmp(id, alt_id, (size_t)len) == 0)
		return 0;
	buf_adds(err, "its supplementary file has another build-id");
	return -1;
}

/* Lists the units, and has libdw intern each. */
static int
scan(struct dwarf *d, uint64_t size, struct buf *err)
{
	const size_t max = UNITS_MIN + size / UNIT_BYTES;
	int64_t clock = 0;
	uint64_t off = 0;

	dwunits_spend(d, &clock);
	while (off < size) {
		struct dwunit u = {.start = off};
		Dwarf_Die die;
		size_t head;
		int status = dwarf_next_unit(d->dw, off, &off, &head, NULL,
		    NULL, NULL, NULL, NULL, NULL);

		if (status > 0)
			break;
		u.die = u.start + head;
		u.end = off < size ? off : size;
		if (status < 0 || u.die >= u.end ||
		    dwarf_offdie(d->dw, u.die, &die) == NULL) {
			dw_damage(err, "damaged head of a unit", u.start);
			break;
		}
		dwp_check_memory();
		if (d->n == max ||
		    (d->n % STEPS == 0 && !dwunits_spend(d, &clock))) {
			dw_damage(err, "too many units", u.start);
			break;
		}
		d->v = xgrow(d->v, d->n + 1, &d->cap, sizeof *d->v);
		d->v[d->n++] = u;
		if (d->n % STEPS == 0)
			elffile_forget(d->file);
	}
	return d->n > 0 ? 0 : -1;
}

static int
cmp_offset(const void *key, const void *item)
{
	const uint64_t off = *(const uint64_t *)key;
	const struct dwunit *u = item;

	return off < u->start ? -1 : off >= u->end;
}

/* Takes the ranges of .debug_aranges, which saves reading the units' roots. */
static void
read_aranges(struct dwarf *d)
{
	struct seg_range *r;
	Dwarf_Aranges *a;
	size_t n, n_ranges = 0;

	if (d->left <= 0 || dwarf_getaranges(d->dw, &a, &n) != 0 || n == 0)
		return;
	r = xreallocn(NULL, n, sizeof *r);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr start;
		Dwarf_Word len;
		Dwarf_Off off;
		const struct dwunit *u;

		if (dwarf_getarangeinfo(
			dwarf_onearange(a, i), &start, &len, &off) != 0)
			continue;
		u = bsearch(&off, d->v, d->n, sizeof *d->v, cmp_offset);
		if (u != NULL)
			r[n_ranges++] = (struct seg_range){
			    start, start + len, (uint32_t)(u - d->v)};
	}
	segs_build(r, n_ranges, &d->segs);
	free(r);
}

/* Limits what is kept to the ranges and calls that the sizes explain. */
static uint32_t
items_of(struct elffile *f, uint64_t n)
{
	static const char *const names[] = {".debug_ranges", ".debug_rnglists"};
	struct buf err = BUF_INIT;
	struct elf_section s;

	for (size_t i = 0; i < 2; i++)
		if (elf_find_section(f->elf, names[i], &s, &err) == 0)
			n += s.len;
	buf_done(&err);
	return n < ITEMS_MAX - ITEMS_MIN ? (uint32_t)n + ITEMS_MIN : ITEMS_MAX;
}

int
dwunits_init(struct dwarf *d, struct elffile *f, struct buf *err)
{
	struct elf_section info;
	int status;

	d->file = f;
	d->dir = elffile_path(f);
	if (d->dir == NULL)
		d->dir = xstrdup("");
	else
		strrchr(d->dir, '/')[1] = 0;
	if (elf_check_debug(f->elf, err) != 0)
		return -1;
	d->dw = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (d->dw == NULL)
		return -1;
	dwarf_new_oom_handler(d->dw, dwp_out_of_memory);
	status = elf_find_section(f->elf, ".debug_info", &info, err);
	if (status != 0 || info.len == 0)
		return -1;
	d->items = items_of(f, info.len);
	d->left = CPU_MIN + (int64_t)info.len * CPU_BYTE;
	if (open_alt(d, err) != 0 || scan(d, info.len, err) != 0)
		return -1;
	read_aranges(d);
	return 0;
}

void
dwunits_done(struct dwarf *d)
{
	for (size_t i = 0; i < d->n; i++) {
		segs_done(&d->v[i].segs);
		free(d->v[i].inlined);
		free(d->v[i].lines);
		free(d->v[i].tails.func);
		free(d->v[i].tails.site);
	}
	dwp_close(d->dwp);
	dwarf_end(d->dw);
	segs_done(&d->segs);
	free(d->v);
	free(d->dir);
}

/* Finding --------------------------------------------------------------- */

/* The ranges of all units; .debug_aranges is not always there or complete. */
static void
scan_ranges(struct dwarf *d, struct buf *err)
{
	struct seg_range *r = NULL;
	size_t n = 0, cap = 0;
	int64_t clock = 0;

	d->scanned = true;
	for (size_t i = 0; i < d->n && n < RANGES_MAX; i++) {
		Dwarf_Addr base, lo, hi;
		Dwarf_Die die;
		ptrdiff_t at = 0;

		if (!dwunits_spend(d, &clock) ||
		    dwarf_offdie(d->dw, d->v[i].die, &die) == NULL) {
			dw_damage(err, "damaged unit", d->v[i].start);
			break;
		}
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		while (n < RANGES_MAX &&
		       (at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0) {
			r = xgrow(r, n + 1, &cap, sizeof *r);
			r[n++] = (struct seg_range){lo, hi, (uint32_t)i};
		}
		if (at < 0)
			dw_damage(err, "damaged unit", d->v[i].start);
		if (i % STEPS == 0)
			elffile_forget(d->file);
	}
	segs_done(&d->segs);
	segs_build(r, n, &d->segs);
	free(r);
}

struct dwunit *
dwunits_at(struct dwarf *d, uint64_t addr, struct buf *err)
{
	uint32_t id = segs_find(&d->segs, addr);

	if (id == SEG_NONE && !d->scanned && d->left > 0) {
		scan_ranges(d, err);
		id = segs_find(&d->segs, addr);
	}
	return id == SEG_NONE ? NULL : &d->v[id];
}

/* Split DWARF ----------------------------------------------------------- */

/* Fills *root from the package, if the unit is in it. */
static bool
root_in_package(struct dwarf *d, Dwarf_Die *skeleton, uint64_t id,
    struct dwroot *root, struct buf *err)
{
	const struct dwp_unit *found;

	if (!d->dwp_tried)
		d->dwp = dwp_open(d->file, err);
	d->dwp_tried = true;
	if (d->dwp == NULL)
		return false;
	found = dwp_find(d->dwp, id,
	    number_of(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base),
	    number_of(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
	if (found == NULL)
		return false;
	*root = (struct dwroot){.dw = found->dw,
	    .die = found->die,
	    .end = found->end,
	    .package = found};
	if (dwarf_lowpc(skeleton, &root->base) != 0)
		root->base = 0;
	return true;
}

/* Has libdw open the .dwo file of a unit, if that is a regular file. */
static bool
root_in_file(
    struct dwarf *d, Dwarf_Die *skeleton, const char *name, struct dwroot *root)
{
	const char *dir = text_of(skeleton, DW_AT_comp_dir);
	char path[PATH_LEN_MAX];
	const int here = is_regular(d->dir, name, path);
	const int there = dir != NULL ? is_regular(dir, name, path) : 0;
	Dwarf_Die die;

	if (here < 0 || there < 0 || (here == 0 && there == 0) ||
	    dwarf_cu_info(
		skeleton->cu, NULL, NULL, NULL, &die, NULL, NULL, NULL) != 0 ||
	    die.cu == NULL)
		return false;
	root->dw = dwarf_cu_getdwarf(die.cu);
	root->die = dwarf_dieoffset(&die);
	root->end = 0;
	while (root->end <= root->die)
		if (dwarf_next_unit(root->dw, root->end, &root->end, NULL, NULL,
			NULL, NULL, NULL, NULL, NULL) != 0)
			return false;
	return true;
}

bool
dwunits_root(struct dwarf *d, const struct dwunit *u, struct dwroot *root,
    struct buf *err)
{
	Dwarf_Die die;
	uint8_t type;
	uint64_t id;
	const char *name;

	*root = (struct dwroot){.dw = d->dw, .die = u->die, .end = u->end};
	if (dwarf_offdie(d->dw, u->die, &die) == NULL ||
	    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, &id, NULL, NULL) !=
		0) {
		dw_damage(err, "damaged unit", u->start);
		return false;
	}
	if (type != DW_UT_skeleton)
		return true;
	name = text_of(&die, DW_AT_dwo_name);
	if (name == NULL)
		name = text_of(&die, DW_AT_GNU_dwo_name);
	if (name != NULL && (root_in_file(d, &die, name, root) ||
				root_in_package(d, &die, id, root, err)))
		return true;
	dw_damage(err, "split unit without its .dwo file", u->start);
	return false;
}
