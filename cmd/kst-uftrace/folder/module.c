/* SPDX-License-Identifier: ISC */
#include "folder/syms.h"
#include "base/bound.h"
#include "io/fault.h"
#include "base/msg.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "folder/lines.h"
#include "set/intern.h"
#include "base/num.h"
#include "elf/elfsym.h"
#include "folder/spec.h"
#include "base/xalloc.h"

void
modules_init(struct modules *s, const char *dir, bool lp64)
{
	char *info = lines_path(dir, "info");
	struct stat st;

	memset(s, 0, sizeof *s);
	s->dir = dir;
	s->lp64 = lp64;
	s->paths = intern_new();
	s->text = intern_new();
	s->bad.what = "line that is not a symbol";
	if (stat(info, &st) == 0 || stat(dir, &st) == 0)
		s->trace = st.st_mtime;
	free(info);
}

void
modules_done(struct modules *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct module *m = &s->v[i];

		for (size_t k = 0; k < m->n; k++) {
			free(m->funcs[k].args);
			free(m->funcs[k].ret);
		}
		elfsym_free(m->elf);
		free(m->funcs);
		free(m->build);
		free(m->path);
	}
	free(s->v);
	intern_free(s->paths);
	intern_free(s->text);
}

/* `ADDR [SIZE] TYPE NAME`; type `?` marks the end of the function before. */
static bool
parse_sym(struct modules *s, const char *line, size_t len, struct func *f)
{
	const char *tab =
	    memchr(line, '\t', len); /* kallsyms: NAME\t[MODULE] */
	const char *p = line, *end = tab ? tab : line + len, *w;
	uint64_t size = 0;
	size_t n;

	memset(f, 0, sizeof *f);
	if (!word_hex(&p, end, &f->addr) || !word_next(&p, end, &w, &n))
		return false;
	if (n > 1 && (num_hex(w, n, &size) || !word_next(&p, end, &w, &n)))
		return false;
	f->addr &= MASK48;
	if (size)
		f->end = f->addr + size;
	while (p < end && *p == ' ')
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (n != 1 || p == end)
		return false;
	if (*w == '?')
		return true;
	func_set_name(f, s->text, p, (size_t)(end - p));
	return true;
}

struct func *
module_func(const struct module *m, uint64_t addr)
{
	size_t i = bound_above(m->funcs, m->n, sizeof *m->funcs,
	    offsetof(struct func, addr), addr);

	return i ? &m->funcs[i - 1] : NULL;
}

/* By address, then by place in the file: the first is kept. */
static int
compare(const void *pa, const void *pb)
{
	const struct func *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void
sort_funcs(struct module *m)
{
	size_t n = 0;

	if (m->n == 0)
		return;
	qsort(m->funcs, m->n, sizeof *m->funcs, compare);
	for (size_t i = 1; i < m->n; i++) {
		if (m->funcs[i].addr != m->funcs[n].addr)
			m->funcs[++n] = m->funcs[i];
		else if (m->funcs[n].raw == NULL)
			m->funcs[n] = m->funcs[i];
	}
	m->n = n + 1;
}

/* A module that is read. */
struct reading {
	struct modules *s;
	struct module *m;
	struct func *f; /* of a .dbg file: of the last `F:` */
};

static bool
sym_line(void *reading, const char *line, size_t len)
{
	struct reading *r = reading;
	struct module *m = r->m;
	struct func f;

	if (!parse_sym(r->s, line, len, &f))
		return false;
	m->funcs = xgrow(m->funcs, m->n + 1, &m->cap, sizeof *m->funcs);
	f.order = (uint32_t)m->n;
	m->funcs[m->n++] = f;
	return true;
}

/* `F: ADDR NAME`, then that function's `A: @SPEC` and `R: @SPEC`. */
static bool
dbg_line(void *reading, const char *line, size_t len)
{
	struct reading *r = reading;
	struct func *f = r->f;
	const char *p = line + 3, *end = line + len;
	bool ret = line[0] == 'R';
	struct spec **spec;
	uint64_t addr;

	if (len < 4 || line[1] != ':')
		return false;
	if (line[0] == 'F') {
		r->f = NULL;
		if (word_hex(&p, end, &addr))
			f = r->f = module_func(r->m, addr & MASK48);
		if (f && f->addr != (addr & MASK48))
			r->f = NULL;
	} else if (f && *p == '@' && (ret || line[0] == 'A')) {
		spec = ret ? &f->ret : &f->args;
		if (*spec == NULL)
			*spec = spec_parse(
			    p + 1, (size_t)(end - p - 1), r->s->lp64, ret);
	}
	return true;
}

/* Reads the file, if it is there. */
static void
read_path(struct modules *s, struct module *m, char *path, lines_take *take)
{
	struct reading r = {.s = s, .m = m};

	if (lines_has(path))
		s->failed |= !lines_read(path, take, &r,
		    take == sym_line ? &s->bad : NULL, "not a symbol");
}

/*
 * Reads DIR/BASENAME.SUFFIX or, for modules of one basename, DIR/BASENAME-
 * BUILD.SUFFIX with the first four digits of the build id.
 */
static void
read_file(struct modules *s, struct module *m, const char *build,
    const char *suffix, lines_take *take)
{
	const char *base = basename(m->path);
	struct buf path = BUF_INIT;

	if (*build)
		buf_printf(&path, "%s/%s-%.4s.%s", s->dir, base, build, suffix);
	if (!*build || !lines_has(buf_str(&path))) {
		path.len = 0;
		buf_printf(&path, "%s/%s.%s", s->dir, base, suffix);
	}
	read_path(s, m, buf_str(&path), take);
	buf_done(&path);
}

/* A module of that path, which has no functions yet. */
static struct module *
add_module(struct modules *s, const char *path, const char *build)
{
	struct module *m;

	s->v = xgrow(s->v, (size_t)s->n + 1, &s->cap, sizeof *s->v);
	m = &s->v[s->n++];
	memset(m, 0, sizeof *m);
	m->path = xstrdup(path);
	m->build = xstrdup(build);
	return m;
}

uint32_t
modules_get(struct modules *s, const char *path, const char *build)
{
	uint32_t id = intern_id(s->paths, path, strlen(path));
	struct module *m;

	if (id < s->n)
		return id;
	m = add_module(s, path, build);
	read_file(s, m, build, "sym", sym_line);
	sort_funcs(m);
	if (m->n)
		read_file(s, m, build, "dbg", dbg_line);
	return id;
}

uint32_t
modules_kernel(struct modules *s)
{
	static const char key[] = "\n"; /* no file's path */
	uint32_t id = intern_id(s->paths, key, 1);
	struct module *m = add_module(s, key, "");
	char *path = lines_path(s->dir, "kallsyms");

	m->has_looked = true;
	read_path(s, m, path, sym_line);
	free(path);
	sort_funcs(m);
	return id;
}

const struct elfsym *
modules_elf(struct modules *s, uint32_t module, bool linked)
{
	struct module *m = &s->v[module];

	if (!m->has_looked && m->n == 0)
		m->elf = elfs_open(m->path, m->build, s->trace);
	if (m->elf && !m->has_looked && !linked)
		elfsym_rebase(m->elf, 0);
	m->has_looked = true;
	return m->elf;
}
