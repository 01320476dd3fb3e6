/* SPDX-License-Identifier: ISC */
/*
 * Knows how files are matched with programs in memory. A file stays known
 * when it was matched: two processes can run one program.
 */
#include "guest/programs.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/hash.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct file {
	char *path;
	const char *name;
	uint64_t hash, size, low; /* of .text; low: where the image begins */
};

struct loaded {
	const struct file *file;
	uint64_t base;
	struct program program;
};

struct programs {
	struct file *file;
	size_t n_file;
	struct loaded **loaded;
	size_t n_loaded;
};

static void
add_file(struct programs *p, const char *dir, const char *name)
{
	struct buf path = BUF_INIT, err = BUF_INIT;
	const unsigned char *text;
	uint64_t addr, size;
	struct elfsym *sym;
	struct stat st;

	buf_printf(&path, "%s/%s", dir, name);
	if (stat(buf_str(&path), &st) != 0 || !S_ISREG(st.st_mode)) {
		buf_done(&path);
		return;
	}
	sym = elfsym_load(path.p, 0, &err);
	if (sym != NULL && elfsym_section(sym, ".text", &addr, &size, &text) &&
	    text != NULL && size > 0) {
		struct file *f;

		p->file = xreallocn(p->file, p->n_file + 1, sizeof *p->file);
		f = &p->file[p->n_file++];
		f->path = xmemdup0(path.p, path.len);
		f->name = f->path + path.len - strlen(name);
		f->size = size;
		f->hash = hash_bytes(text, size);
	}
	if (sym != NULL)
		elfsym_free(sym);
	buf_done(&path);
	buf_done(&err);
}

struct programs *
programs_open(const char *dir)
{
	struct programs *p = xcalloc(1, sizeof *p);
	DIR *d = opendir(dir);
	struct dirent *e;

	if (d == NULL) {
		msg_errno("%s", dir);
		free(p);
		return NULL;
	}
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			add_file(p, dir, e->d_name);
	closedir(d);
	if (p->n_file == 0)
		msg("%s: no program with a .text in it", dir);
	return p;
}

void
programs_close(struct programs *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_loaded; i++) {
		if (p->loaded[i]->program.sym != NULL)
			elfsym_free(p->loaded[i]->program.sym);
		free(p->loaded[i]);
	}
	for (size_t i = 0; i < p->n_file; i++)
		free(p->file[i].path);
	free(p->loaded);
	free(p->file);
	free(p);
}

bool
programs_sized(const struct programs *p, uint64_t text_size)
{
	for (size_t i = 0; i < p->n_file; i++)
		if (p->file[i].size == text_size)
			return true;
	return false;
}

static const struct program *
load(struct programs *p, const struct file *f, uint64_t base,
    struct unwinder *u, bool names)
{
	struct loaded *l = xcalloc(1, sizeof *l);
	struct buf err = BUF_INIT;
	const char *why;

	l->file = f;
	l->base = base;
	l->program.name = f->name;
	l->program.module = unwinder_add_at(u, f->path, base, &why);
	if (l->program.module == NULL)
		msg("%s: %s", f->path, why);
	else
		unwind_module_use(l->program.module, false);
	if (names)
		l->program.sym =
		    elfsym_load(f->path, ELFSYM_INLINE | ELFSYM_TAILS, &err);
	if (l->program.sym != NULL) {
		elfsym_rebase(l->program.sym, base);
		l->program.bias = elfsym_bias(l->program.sym);
	}
	buf_done(&err);
	p->loaded =
	    xreallocn(p->loaded, p->n_loaded + 1, sizeof(struct loaded *));
	p->loaded[p->n_loaded++] = l;
	return &l->program;
}

const struct program *
programs_find(struct programs *p, uint64_t hash, uint64_t base,
    struct unwinder *u, bool names)
{
	for (size_t i = 0; i < p->n_loaded; i++)
		if (p->loaded[i]->file->hash == hash &&
		    p->loaded[i]->base == base)
			return &p->loaded[i]->program;
	for (size_t i = 0; i < p->n_file; i++)
		if (p->file[i].hash == hash)
			return load(p, &p->file[i], base, u, names);
	return NULL;
}
