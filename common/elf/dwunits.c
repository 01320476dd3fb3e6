/* SPDX-License-Identifier: ISC */
/*
 * Opens debug information. libdw opens .dwo files by itself, so their paths are
 * checked first: a file that is not regular could block.
 */

#include "elf/dwunits.h"

#include <errno.h>
#ifdef __GLIBC__
#include <error.h>
#endif
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
#include "elffile/elffile.h"

enum {
	TIME_MIN = 250000000, /* ns for any file */
	TIME_BYTE = 120,      /* and for each byte: 20 times what is usual */
	BYTES_MIN = 32 << 20, /* of memory for any file */
	BYTES_BYTE = 64,
	BYTES_LINE = 256,  /* and for each byte of .debug_line, unpacked */
	STEPS = 64,	   /* between looks at the clock */
	UNIT_BYTES = 1024, /* libdw's, and ours */
	FORGET = 32,	   /* units whose pages may stay in memory */
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

static int64_t
cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

void
dwunits_start(struct dwarf *d)
{
	d->clock = cpu_time();
}

bool
dwunits_spend(struct dwarf *d, uint64_t bytes)
{
	d->bytes -= bytes < d->bytes ? bytes : d->bytes;
	if (++d->steps % STEPS == 0) {
		const int64_t now = cpu_time();

		d->time -= now - d->clock;
		d->clock = now;
	}
	return d->bytes > 0 && d->time > 0;
}

/* For libdw, which would end the command with status 1. */
static _Noreturn void
out_of_memory(void)
{
	msg_die(EXIT_SYSTEM, "out of memory");
}

/* Opening --------------------------------------------------------------- */

/*
 * Whether a path is a regular file: 1, 0 if there is none, or -1. Where `dir`
 * is NULL, it is relative to the folder of the file.
 */
static int
is_regular(const struct dwarf *d, const char *dir, const char *name,
    char path[PATH_LEN_MAX])
{
	const char *slash = strrchr(d->path, '/');
	struct stat st;
	int n;

	xalloc_check(); /* a path that is not there changes errno */
	if (*name == '/')
		n = snprintf(path, PATH_LEN_MAX, "%s", name);
	else if (dir != NULL)
		n = snprintf(path, PATH_LEN_MAX, "%s/%s", dir, name);
	else
		n = snprintf(path, PATH_LEN_MAX, "%.*s%s",
		    slash ? (int)(slash + 1 - d->path) : 0, d->path, name);
	if (n < 0 || n >= PATH_LEN_MAX)
		return -1;
	if (stat(path, &st) != 0)
		return 0;
	return S_ISREG(st.st_mode) ? 1 : -1;
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
	if (is_regular(d, NULL, name, path) < 0) {
		buf_adds(err, "its supplementary file is not a regular file");
		return -1;
	}
	alt = dwarf_getalt(d->dw);
	xalloc_check();
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

/*
 * Lists the units that have code. .debug_aranges is not always there or
 * complete, and not faster.
 */
static int
scan(struct dwarf *d, struct buf *err)
{
	struct seg_range *r = NULL;
	size_t n = 0, cap = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die = {0};
	int status;

	dwunits_start(d);
	while ((status = dwarf_get_units(
		    d->dw, cu, &cu, NULL, NULL, &die, NULL)) == 0) {
		Dwarf_Addr base, lo, hi;
		ptrdiff_t at = 0;
		int tag;

		/* 0.188 does not look whether a unit's table got memory */
		xalloc_check();
		tag = dwarf_tag(&die);
		if (!dwunits_spend(d, UNIT_BYTES)) {
			dw_damage(err, "too many units", dwarf_dieoffset(&die));
			break;
		}
		if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
			continue;
		while ((at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0 &&
		       dwunits_spend(d, SEG_BYTES))
			*xpush(r, n, cap) =
			    (struct seg_range){lo, hi, (uint32_t)d->n};
		if (at < 0)
			dw_damage(err, "damaged unit", dwarf_dieoffset(&die));
		*xpush(d->v, d->n, d->cap) = (struct dwunit){.cu = cu};
		if (d->n % FORGET == 0)
			elffile_forget(d->file);
	}
	if (status < 0)
		dw_damage(err, "damaged header after the unit",
		    die.addr ? dwarf_dieoffset(&die) : 0);
	segs_build(r, n, &d->segs);
	free(r);
	return d->n > 0 ? 0 : -1;
}

static int
open_units(struct dwarf *d, struct buf *err)
{
	Elf *elf = d->file->elf;
	struct elf_section info, line;

	if (elf_check_debug(elf, err) != 0)
		return -1;
	d->bytes = BYTES_MIN + (uint64_t)d->file->len * BYTES_BYTE;
	d->time = TIME_MIN + (int64_t)d->file->len * TIME_BYTE;
	d->dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	xalloc_check();
	if (d->dw == NULL)
		return -1;
	dwarf_new_oom_handler(d->dw, out_of_memory);
#ifdef __GLIBC__
	/* of the files that it opens itself, by way of error(3) */
	error_print_progname = out_of_memory;
#endif
	if (elf_find_section(elf, ".debug_info", &info, err) != 0 ||
	    info.len == 0 || open_alt(d, err) != 0)
		return -1;
	if (elf_find_section(elf, ".debug_line", &line, err) == 0)
		d->bytes += (uint64_t)line.len * BYTES_LINE;
	return scan(d, err);
}

struct dwarf *
dwarf_new(struct elffile *f, bool lines, bool tails, struct buf *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->file = f;
	d->lines = lines;
	d->tails = tails;
	d->path = elffile_path(f);
	if (d->path == NULL)
		d->path = xstrdup("");
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
		free(d->v[i].item);
	}
	dwarf_end(d->dw);
	segs_done(&d->segs);
	free(d->v);
	free(d->path);
	free(d);
}

struct dwunit *
dwunits_at(struct dwarf *d, uint64_t addr)
{
	const uint32_t id = segs_find(&d->segs, addr);

	return id == SEG_NONE ? NULL : &d->v[id];
}

/* Split DWARF ----------------------------------------------------------- */

bool
dwunits_entries(struct dwarf *d, struct dwunit *u, struct buf *err)
{
	const char *dir, *name;
	char package[PATH_LEN_MAX], path[PATH_LEN_MAX];
	Dwarf_Attribute at;
	Dwarf_Die die, split;
	int here, there, packed;
	bool found = false;

	dwarf_cu_info(u->cu, NULL, NULL, &die, NULL, NULL, NULL, NULL);
	name = dwarf_formstring(dwarf_attr(&die, DW_AT_dwo_name, &at));
	if (name == NULL)
		name =
		    dwarf_formstring(dwarf_attr(&die, DW_AT_GNU_dwo_name, &at));
	u->entries = u->cu;
	if (name == NULL)
		return true;
	dir = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &at));
	snprintf(package, sizeof package, "%s.dwp", d->path);
	here = is_regular(d, NULL, name, path);
	there = dir != NULL ? is_regular(d, dir, name, path) : 0;
	packed = is_regular(d, NULL, package, path);
	errno = 0;
	if (here >= 0 && there >= 0 && packed >= 0 && here + there + packed > 0)
		found = dwarf_cu_info(u->cu, NULL, NULL, NULL, &split, NULL,
			    NULL, NULL) == 0 &&
			split.cu != NULL;
	xalloc_check();
	if (found) {
		u->entries = split.cu;
		return true;
	}
	dw_damage(err,
	    packed > 0 ? "split unit not found: libdw reads .dwp files since "
			 "0.191,"
		       : "split unit without its .dwo file",
	    dwarf_dieoffset(&die) - dwarf_cuoffset(&die));
	return false;
}
