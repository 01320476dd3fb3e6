/* SPDX-License-Identifier: ISC */
/*
 * Opens debug information. libdw interns units one after another, and reads all
 * kinds of entries of a root at once, so both are stepped over here first,
 * under a time limit. It opens .dwo files by itself, so their paths are checked
 * first: a file that is not regular could block.
 */
#include "elf/dwunits.h"

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
#include "elf/dwp.h"
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
dwunits_spend(struct dwunits *us, int64_t *clock)
{
	struct timespec ts;
	int64_t now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	now = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	if (*clock != 0)
		us->left -= now - *clock;
	*clock = now;
	return us->left > 0;
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
open_alt(struct dwunits *us, struct buf *err)
{
	const char *name;
	const void *id, *alt_id;
	const ssize_t len = dwelf_dwarf_gnu_debugaltlink(us->dw, &name, &id);
	char path[PATH_LEN_MAX];
	Dwarf *alt;

	if (len <= 0)
		return 0;
	if (is_regular(us->dir, name, path) < 0) {
		buf_adds(err, "its supplementary file is not a regular file");
		return -1;
	}
	alt = dwarf_getalt(us->dw);
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
scan(struct dwunits *us, uint64_t size, struct buf *err)
{
	const size_t max = UNITS_MIN + size / UNIT_BYTES;
	int64_t clock = 0;
	uint64_t off = 0;

	dwunits_spend(us, &clock);
	while (off < size) {
		struct dwunit u = {.start = off};
		Dwarf_Die die;
		size_t head;
		int status = dwarf_next_unit(us->dw, off, &off, &head, NULL,
		    NULL, NULL, NULL, NULL, NULL);

		if (status > 0)
			break;
		u.die = u.start + head;
		u.end = off < size ? off : size;
		if (status < 0 || u.die >= u.end ||
		    dwarf_offdie(us->dw, u.die, &die) == NULL) {
			dw_damage(err, "damaged head of a unit", u.start);
			break;
		}
		dwp_check_memory();
		if (us->n == max ||
		    (us->n % STEPS == 0 && !dwunits_spend(us, &clock))) {
			dw_damage(err, "too many units", u.start);
			break;
		}
		us->v = xgrow(us->v, us->n + 1, &us->cap, sizeof *us->v);
		us->v[us->n++] = u;
		if (us->n % STEPS == 0)
			elffile_forget(us->file);
	}
	return us->n > 0 ? 0 : -1;
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
read_aranges(struct dwunits *us)
{
	struct seg_range *r;
	Dwarf_Aranges *a;
	size_t n, n_ranges = 0;

	if (us->left <= 0 || dwarf_getaranges(us->dw, &a, &n) != 0 || n == 0)
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
		u = bsearch(&off, us->v, us->n, sizeof *us->v, cmp_offset);
		if (u != NULL)
			r[n_ranges++] = (struct seg_range){
			    start, start + len, (uint32_t)(u - us->v)};
	}
	segs_build(r, n_ranges, &us->segs);
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
		if (elffile_section(f, names[i], &s, &err) == 0)
			n += s.len;
	buf_done(&err);
	return n < ITEMS_MAX - ITEMS_MIN ? (uint32_t)n + ITEMS_MIN : ITEMS_MAX;
}

int
dwunits_init(struct dwunits *us, struct elffile *f, struct buf *err)
{
	struct elf_section info;
	int status;

	us->file = f;
	us->dir = elffile_path(f);
	if (us->dir == NULL)
		us->dir = xstrdup("");
	else
		strrchr(us->dir, '/')[1] = 0;
	if (elf_check_debug(elffile_elf(f), err) != 0)
		return -1;
	us->dw = dwarf_begin_elf(elffile_elf(f), DWARF_C_READ, NULL);
	if (us->dw == NULL)
		return -1;
	dwarf_new_oom_handler(us->dw, dwp_out_of_memory);
	status = elffile_section(f, ".debug_info", &info, err);
	if (status != 0 || info.len == 0)
		return -1;
	us->items = items_of(f, info.len);
	us->left = CPU_MIN + (int64_t)info.len * CPU_BYTE;
	if (open_alt(us, err) != 0 || scan(us, info.len, err) != 0)
		return -1;
	read_aranges(us);
	return 0;
}

void
dwunits_done(struct dwunits *us)
{
	for (size_t i = 0; i < us->n; i++) {
		segs_done(&us->v[i].segs);
		free(us->v[i].inlined);
		free(us->v[i].lines);
		dwtails_done(&us->v[i].tails);
	}
	dwp_close(us->dwp);
	dwarf_end(us->dw);
	segs_done(&us->segs);
	free(us->v);
	free(us->dir);
}

/* Finding --------------------------------------------------------------- */

/* The ranges of all units; .debug_aranges is not always there or complete. */
static void
scan_ranges(struct dwunits *us, struct buf *err)
{
	struct seg_range *r = NULL;
	size_t n = 0, cap = 0;
	int64_t clock = 0;

	us->scanned = true;
	for (size_t i = 0; i < us->n && n < RANGES_MAX; i++) {
		Dwarf_Addr base, lo, hi;
		Dwarf_Die die;
		ptrdiff_t at = 0;

		if (!dwunits_spend(us, &clock) ||
		    dwarf_offdie(us->dw, us->v[i].die, &die) == NULL) {
			dw_damage(err, "damaged unit", us->v[i].start);
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
			dw_damage(err, "damaged unit", us->v[i].start);
		if (i % STEPS == 0)
			elffile_forget(us->file);
	}
	segs_done(&us->segs);
	segs_build(r, n, &us->segs);
	free(r);
}

struct dwunit *
dwunits_at(struct dwunits *us, uint64_t addr, struct buf *err)
{
	uint32_t id = segs_find(&us->segs, addr, NULL);

	if (id == SEG_NONE && !us->scanned && us->left > 0) {
		scan_ranges(us, err);
		id = segs_find(&us->segs, addr, NULL);
	}
	return id == SEG_NONE ? NULL : &us->v[id];
}

/* Split DWARF ----------------------------------------------------------- */

/* Fills *root from the package, if the unit is in it. */
static bool
root_in_package(struct dwunits *us, Dwarf_Die *skeleton, uint64_t id,
    struct dwroot *root, struct buf *err)
{
	const struct dwp_unit *found;

	if (!us->dwp_tried)
		us->dwp = dwp_open(us->file, err);
	us->dwp_tried = true;
	if (us->dwp == NULL)
		return false;
	found = dwp_find(us->dwp, id,
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
root_in_file(struct dwunits *us, Dwarf_Die *skeleton, const char *name,
    struct dwroot *root)
{
	const char *dir = text_of(skeleton, DW_AT_comp_dir);
	char path[PATH_LEN_MAX];
	const int here = is_regular(us->dir, name, path);
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
dwunits_root(struct dwunits *us, const struct dwunit *u, struct dwroot *root,
    struct buf *err)
{
	Dwarf_Die die;
	uint8_t type;
	uint64_t id;
	const char *name;

	*root = (struct dwroot){.dw = us->dw, .die = u->die, .end = u->end};
	if (dwarf_offdie(us->dw, u->die, &die) == NULL ||
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
	if (name != NULL && (root_in_file(us, &die, name, root) ||
				root_in_package(us, &die, id, root, err)))
		return true;
	dw_damage(err, "split unit without its .dwo file", u->start);
	return false;
}
