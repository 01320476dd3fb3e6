/* SPDX-License-Identifier: ISC */
/*
 * In a machine's trace a file is at the addresses it was linked for; in a
 * program's it is where its name is mapped, unless the user says where it was
 * loaded.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "elf/elfsym.h"
#include "set/intern.h"
#include "base/msg.h"
#include "base/port.h"
#include "folder/syms.h"
#include "base/xalloc.h"
#include "text/events.h"

struct elf {
	struct elfsym *sym;
	bool placed; /* by the user */
	bool at_zero;
};

struct elfs {
	struct elf *v;
	size_t n;
	/* A function for each name. */
	struct intern *names, *text;
	struct func **funcs;
	size_t n_funcs, cap_funcs;
};

struct elfs *
elfs_new(void)
{
	struct elfs *e = xcalloc(1, sizeof *e);

	e->names = intern_new();
	e->text = intern_new();
	return e;
}

void
elfs_free(struct elfs *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->n; i++)
		elfsym_free(e->v[i].sym);
	for (size_t i = 0; i < e->n_funcs; i++)
		free(e->funcs[i]);
	free(e->v);
	free(e->funcs);
	intern_free(e->names);
	intern_free(e->text);
	free(e);
}

int
elfs_add(struct elfs *e, const char *spec)
{
	struct buf err = BUF_INIT;
	struct elf elf = {.placed = strchr(spec, '@') != NULL};
	struct elfsym_func any;
	const char *damage, *path;

	elf.sym = elfsym_load(spec, ELFSYM_PLAIN, &err);
	if (elf.sym == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return -1;
	}
	buf_done(&err);
	path = elfsym_path(elf.sym);
	path = msg_str(path);
	damage = elfsym_damage(elf.sym);
	if (damage)
		msg("%s: %s", path, damage);
	if (!elfsym_nth(elf.sym, 0, &any))
		msg("%s: no symbols", path);
	e->v = xreallocn(e->v, e->n + 1, sizeof *e->v);
	e->v[e->n++] = elf;
	return 0;
}

struct elfsym *
elfs_open(const char *path, const char *build, time_t trace)
{
	struct buf spec = BUF_INIT, err = BUF_INIT;
	struct elfsym *elf = NULL;
	const char *wrong = NULL;
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (!*build && st.st_mtime > trace) {
		wrong = "younger than the trace";
	} else {
		/* So that no @ in the path is taken for an address. */
		buf_printf(&spec, "%s@+0", path);
		elf = elfsym_load(buf_str(&spec), ELFSYM_PLAIN, &err);
		if (elf && *build && strcmp(build, elfsym_build_id(elf)) != 0)
			wrong = "another build id than in the trace";
	}
	if (wrong) {
		msg("%s: %s; -e uses it anyway", msg_str(path), wrong);
		elfsym_free(elf);
		elf = NULL;
	}
	buf_done(&spec);
	buf_done(&err);
	return elf;
}

static const char *
keep_text(struct intern *text, const char *p, size_t len, uint32_t *kept_len)
{
	size_t n;
	const char *t = intern_str(text, intern_id(text, p, len), &n);

	*kept_len = (uint32_t)n;
	return t;
}

void
func_set_name(struct func *f, struct intern *text, const char *p, size_t len)
{
	struct buf b = BUF_INIT;

	event_escape(&b, p, len);
	f->raw = keep_text(text, p, len, &f->raw_len);
	f->name = keep_text(text, b.p, b.len, &f->name_len);
	buf_done(&b);
}

static const struct func *
func_of(struct elfs *e, const struct elfsym_func *ef)
{
	uint32_t id = intern_id(e->names, ef->name, ef->len);
	struct func *f;

	if (id < e->n_funcs)
		return e->funcs[id];
	f = xcalloc(1, sizeof *f);
	func_set_name(f, e->text, ef->name, ef->len);
	return *xpush(e->funcs, e->n_funcs, e->cap_funcs) = f;
}

const struct func *
elfs_find_in(struct elfs *e, const struct elfsym *elf, uint64_t addr)
{
	struct elfsym_func ef;

	return elfsym_find(elf, addr, &ef) ? func_of(e, &ef) : NULL;
}

const struct func *
elfs_find(struct elfs *e, uint64_t addr)
{
	const struct func *f = NULL;

	for (size_t i = 0; f == NULL && i < e->n; i++)
		f = elfs_find_in(e, e->v[i].sym, addr);
	return f;
}

const struct func *
elfs_find_mapped(struct elfs *e, const char *path, uint64_t start, uint64_t at)
{
	const struct func *f = NULL;

	for (size_t i = 0; f == NULL && i < e->n; i++) {
		struct elf *elf = &e->v[i];
		uint64_t addr = start + at;

		if (!elf->placed) {
			if (strcmp(port_basename(elfsym_path(elf->sym)),
				port_basename(path)) != 0)
				continue;
			if (!elf->at_zero)
				elfsym_rebase(elf->sym, 0);
			elf->at_zero = true;
			addr = at;
		}
		f = elfs_find_in(e, elf->sym, addr);
	}
	return f;
}
