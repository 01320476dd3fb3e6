/* SPDX-License-Identifier: ISC */
/*
 * In a machine's trace a file is at the addresses it was linked for; in a
 * program's it is where its name is mapped, unless the user says where it was
 * loaded.
 */

#include "folder/elfs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/elfsym.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"

struct elf {
	struct elfsym *sym;
	bool placed; /* by the user */
	bool at_zero;
};

struct elfs {
	struct elf *v;
	size_t n;
};

struct elfs *
elfs_new(void)
{
	return xcalloc(1, sizeof(struct elfs));
}

void
elfs_free(struct elfs *e)
{
	for (size_t i = 0; i < e->n; i++)
		elfsym_free(e->v[i].sym);
	free(e->v);
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
	path = msg_str(elfsym_path(elf.sym));
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
		wrong = "newer than the trace";
	} else {
		/* So that no @ in the path is taken for an address. */
		buf_printf(&spec, "%s@+0", path);
		elf = elfsym_load(buf_str(&spec), ELFSYM_PLAIN, &err);
		if (elf && *build && strcmp(build, elfsym_build_id(elf)) != 0)
			wrong = "of another build than the trace";
	}
	if (wrong) {
		msg("%s is %s and was not used; -e overrides this",
		    msg_str(path), wrong);
		elfsym_free(elf);
		elf = NULL;
	}
	buf_done(&spec);
	buf_done(&err);
	return elf;
}

bool
elfs_find(const struct elfs *e, uint64_t addr, struct elfsym_func *func)
{
	for (size_t i = 0; i < e->n; i++)
		if (elfsym_find(e->v[i].sym, addr, func))
			return true;
	return false;
}

bool
elfs_find_mapped(struct elfs *e, const char *path, uint64_t start, uint64_t at,
    struct elfsym_func *func)
{
	for (size_t i = 0; i < e->n; i++) {
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
		if (elfsym_find(elf->sym, addr, func))
			return true;
	}
	return false;
}
