/* SPDX-License-Identifier: ISC */
#include "folder/syms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder/module.h"
#include "folder/elfs.h"
#include "base/buf.h"
#include "folder/lines.h"
#include "base/bytes.h"
#include "set/intern.h"
#include "io/fault.h"
#include "base/msg.h"
#include "base/xalloc.h"

/* With more views, a library hides the one whose place it takes at all times.
 */
enum { LATER_VIEWS_MAX = 1024 };

struct map {
	uint64_t start, end;
	uint32_t module;
};

/* The mappings of a session, those of later libraries last. */
struct space {
	bool machine;
	struct map *maps;
	size_t n, cap;
	uint32_t newest; /* view */
};

/* The first n mappings, as they are until one takes another's place. */
struct view {
	uint32_t space;
	size_t n;
};

struct syms {
	bool relative, failed, too_many;
	uint32_t n_later;
	struct modules modules;
	struct space *spaces; /* by number of the session's id */
	struct view *views;
	uint32_t n_spaces, n_views;
	size_t cap_views;
	struct intern *sids;
	struct elfs *elfs;
	struct fault bad;
};

struct syms *
syms_new(const char *dir, bool relative, bool lp64, struct elfs *elfs)
{
	struct syms *s = xmalloc(sizeof *s);

	*s = (struct syms){.relative = relative,
	    .elfs = elfs,
	    .sids = intern_new(),
	    .bad.what = "line that is not a mapping"};
	modules_init(&s->modules, dir, lp64);
	return s;
}

void
syms_free(struct syms *s)
{
	if (s == NULL)
		return;
	modules_done(&s->modules);
	for (uint32_t i = 0; i < s->n_spaces; i++)
		free(s->spaces[i].maps);
	free(s->spaces);
	free(s->views);
	intern_free(s->sids);
	free(s);
}

bool
syms_failed(const struct syms *s)
{
	uint64_t faults = fault_sum(&s->bad, 1);

	faults += fault_sum(&s->modules.bad, 1);
	return faults != 0 || s->failed || s->modules.failed;
}

static void
add_map(struct syms *s, struct space *sp, uint64_t start, uint64_t end,
    const char *path, const char *build)
{
	uint32_t module = modules_get(&s->modules, path, build);

	/* A file's segments are on consecutive lines. */
	if (sp->n && sp->maps[sp->n - 1].module == module &&
	    sp->maps[sp->n - 1].start <= start) {
		sp->maps[sp->n - 1].end = end;
		return;
	}
	*xpush(sp->maps, sp->n, sp->cap) = (struct map){start, end, module};
}

struct mapping {
	struct syms *s;
	struct space *sp;
};

/*
 * `START-END PROT OFFSET DEV INODE PATH [build-id:HEX]`; false for another
 * line.
 */
static bool
map_line(void *mapping, char *line)
{
	struct mapping *m = mapping;
	uint64_t from, to;
	char *path, *end, build[64] = "";
	int n = 0;

	sscanf(
	    line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s%n", &from, &to, &n);
	if (n == 0)
		return false;
	path = line + n + strspn(line + n, " \t");
	if (bytes_starts(path, strlen(path), "[stack"))
		m->sp->machine = from == MASK48;
	if (*path == 0 || *path == '[') /* a mapping without a file */
		return true;
	end = path + strcspn(path, " \t");
	sscanf(end, " build-id:%63s", build);
	*end = 0;
	add_map(
	    m->s, m->sp, from & MASK48, to > MASK48 ? MASK48 : to, path, build);
	return true;
}

/* A view of all that is mapped in a space now, and its newest one. */
static void
add_view(struct syms *s, uint32_t space)
{
	struct space *sp = &s->spaces[space];

	*xpush(s->views, s->n_views, s->cap_views) =
	    (struct view){space, sp->n};
	sp->newest = s->n_views - 1;
}

/* A new space, the last one; the others may move. */
static struct space *
add_space(struct syms *s)
{
	struct space *sp;

	s->spaces = xreallocn(s->spaces, s->n_spaces + 1, sizeof *s->spaces);
	sp = &s->spaces[s->n_spaces++];
	*sp = (struct space){.machine = true};
	return sp;
}

uint32_t
syms_view(struct syms *s, const char *sid, size_t len)
{
	uint32_t id = intern_find(s->sids, sid, len);
	struct mapping m = {.s = s};
	struct buf name = BUF_INIT;

	if (id != UINT32_MAX)
		return s->spaces[id].newest;
	if (s->n_views == VIEWS_MAX) {
		if (!s->too_many)
			msg("%s: more than %d sessions; the names of the "
			    "others' functions may be wrong",
			    msg_str(s->modules.dir), VIEWS_MAX);
		s->too_many = s->failed = true;
		return VIEWS_MAX - 1;
	}
	intern_id(s->sids, sid, len);
	m.sp = add_space(s);
	buf_printf(&name, "sid-%.*s.map", (int)len, sid);
	if (!lines_read(s->modules.dir, buf_str(&name), map_line, &m, &s->bad,
		"not a mapping")) {
		msg("without this file functions are shown as addresses; "
		    "the program that recorded the trace writes the file "
		    "when it ends");
		s->failed = true;
	}
	buf_done(&name);
	add_view(s, s->n_spaces - 1);
	return s->n_views - 1;
}

/* Whether another file is mapped there. */
static bool
is_taken(const struct space *sp, const struct map *map)
{
	for (size_t i = 0; i < sp->n; i++) {
		const struct map *m = &sp->maps[i];

		if (m->start < map->end && map->start < m->end &&
		    m->module != map->module)
			return true;
	}
	return false;
}

uint32_t
syms_dlopen(struct syms *s, uint32_t view, uint64_t base, const char *path)
{
	uint32_t space = s->views[view].space;
	struct space *sp = &s->spaces[space];
	struct map map = {
	    base & MASK48, base & MASK48, modules_get(&s->modules, path, "")};
	const struct module *m = &s->modules.v[map.module];

	if (m->n) {
		const struct sym *last = &m->syms[m->n - 1];

		map.end += last->end ? last->end : last->addr + 1;
	}
	if (is_taken(sp, &map) && s->n_later < LATER_VIEWS_MAX &&
	    s->n_views < VIEWS_MAX) {
		s->n_later++;
		add_view(s, space);
	}
	*xpush(sp->maps, sp->n, sp->cap) = map;
	s->views[sp->newest].n = sp->n;
	return sp->newest;
}

static uint64_t
full_addr(const struct space *sp, uint64_t addr)
{
	return sp->machine && addr >> 47 ? addr | ~MASK48 : addr;
}

uint64_t
syms_full_addr(const struct syms *s, uint32_t view, uint64_t addr)
{
	return full_addr(&s->spaces[s->views[view].space], addr);
}

/* The function at an address of a file that is mapped. */
static bool
find_in(struct syms *s, const struct space *sp, const struct map *map,
    uint64_t addr, struct func *func)
{
	const struct module *m = &s->modules.v[map->module];
	const uint64_t in_map = addr - map->start;
	const uint64_t at = s->relative ? in_map : addr;
	struct elfsym_func ef;
	const struct elfsym *elf;
	const struct sym *f;

	if (sp->machine ||
	    !elfs_find_mapped(s->elfs, m->path, map->start, in_map, &ef)) {
		f = module_sym(m, at);
		if (f && f->name && (f->end == 0 || at < f->end)) {
			*func = (struct func){
			    f->name, f->len, {f->specs[0], f->specs[1]}};
			return true;
		}
		if (m->n > 0)
			return false;
		elf = modules_elf(&s->modules, map->module, sp->machine);
		if (elf == NULL ||
		    !elfsym_find(
			elf, sp->machine ? full_addr(sp, addr) : in_map, &ef))
			return false;
	}
	*func = (struct func){ef.name, ef.len, {0}};
	return true;
}

bool
syms_find(struct syms *s, uint32_t view, uint64_t addr, struct func *func)
{
	const struct view *v = &s->views[view];
	const struct space *sp = &s->spaces[v->space];
	struct elfsym_func ef;

	if (sp->machine && elfs_find(s->elfs, full_addr(sp, addr), &ef)) {
		*func = (struct func){ef.name, ef.len, {0}};
		return true;
	}
	/* later mappings cover earlier ones */
	for (size_t i = v->n; i-- > 0;) {
		const struct map *map = &sp->maps[i];

		if (addr >= map->start && addr < map->end &&
		    find_in(s, sp, map, addr, func))
			return true;
	}
	return false;
}
