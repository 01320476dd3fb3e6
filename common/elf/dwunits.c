/* SPDX-License-Identifier: ISC */
/*
 * Opens debug information. libdw interns units one after another, and reads all
 * kinds of entries of a root at once, so both are stepped over here first,
 * under a time limit. It opens .dwo files by itself, so their paths are checked
 * first: a file that is not regular could block.
 */

#include <errno.h>
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
#include "base/msg.h"
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

/* Whether a path is a regular file: 1, 0 if there is none, or -1. */
static int
is_regular(const char *dir, const char *name, char path[PATH_LEN_MAX])
{
	const bool joined = dir != NULL && *name != '/';
	const int n = snprintf(path, PATH_LEN_MAX, "%s%s%s", joined ? dir : "",
	    joined ? "/" : "", name);
	struct stat st;

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

/* Opening --------------------------------------------------------------- */

/* For libdw, which would abort. */
static _Noreturn void
out_of_memory(void)
{
	msg_die(EXIT_SYSTEM, "out of memory");
}

void
dwunits_check_memory(void)
{
	if (errno == ENOMEM)
		out_of_memory();
}

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
		dwunits_check_memory();
		if (d->n == max ||
		    (d->n % STEPS == 0 && !dwunits_spend(d, &clock))) {
			dw_damage(err, "too many units", u.start);
			break;
		}
		*xpush(d->v, d->n, d->cap) = u;
		if (d->n % STEPS == 0)
			elffile_forget(d->file);
	}
	return d->n > 0 ? 0 : -1;
}

/* .debug_aranges is not always there or complete, and not faster. */
static void
scan_ranges(struct dwarf *d, struct buf *err)
{
	struct seg_range *r = NULL;
	size_t n = 0, cap = 0;
	int64_t clock = 0;

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
			*xpush(r, n, cap) =
			    (struct seg_range){lo, hi, (uint32_t)i};
		}
		if (at < 0)
			dw_damage(err, "damaged unit", d->v[i].start);
		if (i % STEPS == 0)
			elffile_forget(d->file);
	}
	segs_build(r, n, &d->segs);
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

static int
open_units(struct dwarf *d, struct buf *err)
{
	Elf *elf = d->file->elf;
	struct elf_section info;

	if (elf_check_debug(elf, err) != 0)
		return -1;
	d->dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (d->dw == NULL)
		return -1;
	dwarf_new_oom_handler(d->dw, out_of_memory);
	if (elf_find_section(elf, ".debug_info", &info, err) != 0 ||
	    info.len == 0)
		return -1;
	d->items = items_of(d->file, info.len);
	d->left = CPU_MIN + (int64_t)info.len * CPU_BYTE;
	if (open_alt(d, err) != 0 || scan(d, info.len, err) != 0)
		return -1;
	scan_ranges(d, err);
	return 0;
}

struct dwarf *
dwarf_new(struct elffile *f, bool lines, bool tails, struct buf *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);
	struct buf package = BUF_INIT;

	d->file = f;
	d->lines = lines;
	d->tails = tails;
	d->dir = elffile_path(f);
	if (d->dir != NULL) {
		buf_printf(&package, "%s.dwp", d->dir);
		*strrchr(d->dir, '/') = 0;
	}
	d->package = buf_str(&package);
	if (open_units(d, err) == 0)
		return d;
	dwarf_free(d);
	return NULL;
}

void
dwarf_free(struct dwarf *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n; i++) {
		segs_done(&d->v[i].segs);
		free(d->v[i].inlined);
		free(d->v[i].lines);
		free(d->v[i].tails.func);
		free(d->v[i].tails.site);
	}
	dwarf_end(d->dw);
	segs_done(&d->segs);
	free(d->v);
	free(d->dir);
	free(d->package);
	free(d);
}

struct dwunit *
dwunits_at(struct dwarf *d, uint64_t addr)
{
	const uint32_t id = segs_find(&d->segs, addr);

	return id == SEG_NONE ? NULL : &d->v[id];
}

/* Split DWARF ----------------------------------------------------------- */

/*
 * Has libdw find a unit in FILE.dwp, or else in its .dwo file, if those that
 * exist are regular files: others could block.
 */
static bool
find_split(
    struct dwarf *d, struct dwunit *u, Dwarf_Die *skeleton, const char *name)
{
	const char *dir = text_of(skeleton, DW_AT_comp_dir);
	char path[PATH_LEN_MAX];
	const int here = is_regular(d->dir, name, path);
	const int there = dir != NULL ? is_regular(dir, name, path) : 0;
	const int package = is_regular(NULL, d->package, path);
	Dwarf_Die die;

	if (here < 0 || there < 0 || package < 0 ||
	    here + there + package == 0 ||
	    dwarf_cu_info(
		skeleton->cu, NULL, NULL, NULL, &die, NULL, NULL, NULL) != 0 ||
	    die.cu == NULL)
		return false;
	u->dw = dwarf_cu_getdwarf(die.cu);
	u->dw_die = dwarf_dieoffset(&die);
	u->dw_end = 0;
	while (u->dw_end <= u->dw_die)
		if (dwarf_next_unit(u->dw, u->dw_end, &u->dw_end, NULL, NULL,
			NULL, NULL, NULL, NULL, NULL) != 0)
			return false;
	return true;
}

bool
dwunits_root(struct dwarf *d, struct dwunit *u, struct buf *err)
{
	char path[PATH_LEN_MAX];
	const char *name;
	Dwarf_Die die;

	if (dwarf_offdie(d->dw, u->die, &die) == NULL) {
		dw_damage(err, "damaged unit", u->start);
		return false;
	}
	u->dw = d->dw;
	u->dw_die = u->die;
	u->dw_end = u->end;
	name = text_of(&die, DW_AT_dwo_name);
	if (name == NULL)
		name = text_of(&die, DW_AT_GNU_dwo_name);
	if (name == NULL || find_split(d, u, &die, name))
		return true;
	dw_damage(err,
	    is_regular(NULL, d->package, path) > 0
		? "split unit not found: libdw reads .dwp files since 0.191,"
		: "split unit without its .dwo file",
	    u->start);
	return false;
}
