/* SPDX-License-Identifier: ISC */
#include "module.h"
#include "base/bound.h"
#include "base/fault.h"
#include "base/msg.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "data.h"
#include "text/events.h"
#include "base/in.h"
#include "base/intern.h"
#include "base/num.h"
#include "elf/elfsym.h"
#include "elfs.h"
#include "spec.h"
#include "base/xalloc.h"

void
modules_init(struct modules *s, const char *dir, bool lp64)
{
	struct buf info = BUF_INIT;
	struct stat st;

	memset(s, 0, sizeof *s);
	s->dir = dir;
	s->lp64 = lp64;
	s->paths = intern_new();
	s->text = intern_new();
	s->bad.what = "line that is not a symbol";
	buf_printf(&info, "%s/info", dir);
	if (stat(buf_str(&info), &st) == 0 || stat(dir, &st) == 0)
		s->trace = st.st_mtime;
	buf_done(&info);
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

bool
word_next(const char **p, const char *end, const char **w, size_t *len)
{
	const char *a = *p;

	while (a < end && (*a == ' ' || *a == '\t'))
		a++;
	*w = a;
	while (a < end && *a != ' ' && *a != '\t')
		a++;
	*len = (size_t)(a - *w);
	*p = a;
	return *len > 0;
}

bool
word_hex(const char **p, const char *end, uint64_t *v)
{
	const char *w;
	size_t len;

	if (!word_next(p, end, &w, &len))
		return false;
	if (len > 2 && w[0] == '0' && w[1] == 'x') {
		w += 2;
		len -= 2;
	}
	return num_hex(w, len, v) == 0;
}

static const char *
keep_text(struct modules *s, const char *p, size_t len, uint32_t *kept_len)
{
	size_t n;
	const char *t = intern_str(s->text, intern_id(s->text, p, len), &n);

	*kept_len = (uint32_t)n;
	return t;
}

/* `ADDR [SIZE] TYPE NAME`; type `?` marks the end of the function before. */
static bool
parse_sym(struct modules *s, const char *line, size_t len, struct func *f)
{
	const char *tab =
	    memchr(line, '\t', len); /* kallsyms: NAME\t[MODULE] */
	const char *p = line, *end = tab ? tab : line + len, *w;
	struct buf name = BUF_INIT;
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
	f->raw = keep_text(s, p, (size_t)(end - p), &f->raw_len);
	event_escape(&name, f->raw, f->raw_len);
	f->name = keep_text(s, name.p, name.len, &f->name_len);
	buf_done(&name);
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

static void
read_sym_lines(struct modules *s, struct module *m, struct in *in)
{
	const char *line;
	size_t len;

	while (in_next(in, &line, &len)) {
		struct func f;

		if (len == 0 || line[0] == '#')
			continue;
		if (!parse_sym(s, line, len, &f)) {
			fault_say(&s->bad, in, "not a symbol: '%s'",
			    msg_text(line, len));
			continue;
		}
		m->funcs = xgrow(m->funcs, m->n + 1, &m->cap, sizeof *m->funcs);
		f.order = (uint32_t)m->n;
		m->funcs[m->n++] = f;
	}
}

/* `F: ADDR NAME`, then that function's `A: @SPEC` and `R: @SPEC`. */
static void
read_dbg_lines(struct modules *s, struct module *m, struct in *in)
{
	struct func *f = NULL;
	const char *line;
	size_t len;

	while (in_next(in, &line, &len)) {
		const char *p = line + 3, *end = line + len;
		uint64_t addr;

		if (len < 4 || line[1] != ':')
			continue;
		if (line[0] == 'F') {
			f = NULL;
			if (word_hex(&p, end, &addr))
				f = module_func(m, addr & MASK48);
			if (f && f->addr != (addr & MASK48))
				f = NULL;
		} else if (f && *p == '@' && line[0] == 'A' && !f->args) {
			f->args = spec_parse(
			    p + 1, (size_t)(end - p - 1), s->lp64, false);
		} else if (f && *p == '@' && line[0] == 'R' && !f->ret) {
			f->ret = spec_parse(
			    p + 1, (size_t)(end - p - 1), s->lp64, true);
		}
	}
}

typedef void read_lines(struct modules *s, struct module *m, struct in *in);

/* Reads the file, if it is there. */
static void
read_path(struct modules *s, struct module *m, char *path, read_lines *lines)
{
	struct in in;

	if (!data_has(path))
		return;
	in_init_folder(&in, &path, 1, 1 << 14);
	lines(s, m, &in);
	s->failed |= in_failed(&in);
	in_done(&in);
}

/*
 * Reads DIR/BASENAME.SUFFIX or, for modules of one basename, DIR/BASENAME-
 * BUILD.SUFFIX with the first four digits of the build id.
 */
static void
read_file(struct modules *s, struct module *m, const char *build,
    const char *suffix, read_lines *lines)
{
	const char *slash = strrchr(m->path, '/');
	const char *base = slash ? slash + 1 : m->path;
	struct buf path = BUF_INIT;

	if (*build)
		buf_printf(&path, "%s/%s-%.4s.%s", s->dir, base, build, suffix);
	if (!*build || !data_has(buf_str(&path))) {
		path.len = 0;
		buf_printf(&path, "%s/%s.%s", s->dir, base, suffix);
	}
	read_path(s, m, buf_str(&path), lines);
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
	read_file(s, m, build, "sym", read_sym_lines);
	sort_funcs(m);
	if (m->n)
		read_file(s, m, build, "dbg", read_dbg_lines);
	return id;
}

uint32_t
modules_kernel(struct modules *s)
{
	static const char key[] = "\n"; /* no file's path */
	uint32_t id = intern_id(s->paths, key, 1);
	struct module *m = add_module(s, key, "");
	struct buf path = BUF_INIT;

	m->has_looked = true;
	buf_printf(&path, "%s/kallsyms", s->dir);
	read_path(s, m, buf_str(&path), read_sym_lines);
	buf_done(&path);
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
