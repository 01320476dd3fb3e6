/* SPDX-License-Identifier: ISC */
/* The files are small, so whatever they say is kept in memory, sorted. */
#include "syms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "events.h"
#include "in.h"
#include "intern.h"
#include "msg.h"
#include "opt.h"
#include "spec.h"
#include "xalloc.h"

static const uint64_t MASK48 = 0xffffffffffff;

struct module {
	char *path;
	struct func *funcs;
	size_t n, cap;
};

struct map {
	uint64_t start, end;
	uint32_t module;
};

struct space {
	char *sid;
	bool machine;
	struct map *maps;
	size_t n;
};

struct syms {
	char *dir;
	bool relative, lp64, failed;
	struct module *modules;
	uint32_t n_modules;
	struct space *spaces;
	uint32_t n_spaces;
	struct intern *text; /* all names */
	struct fault bad[2];
};

enum { BAD_SYM, BAD_MAP };

struct syms *
syms_new(const char *dir, bool relative, bool lp64)
{
	struct syms *s = xcalloc(1, sizeof *s);

	s->dir = xstrdup(dir);
	s->relative = relative;
	s->lp64 = lp64;
	s->text = intern_new();
	s->bad[BAD_SYM].what = "line that is no symbol";
	s->bad[BAD_MAP].what = "line that is no mapping";
	return s;
}

void
syms_free(struct syms *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->n_modules; i++) {
		struct module *m = &s->modules[i];

		for (size_t k = 0; k < m->n; k++) {
			free(m->funcs[k].args);
			free(m->funcs[k].ret);
		}
		free(m->funcs);
		free(m->path);
	}
	for (uint32_t i = 0; i < s->n_spaces; i++) {
		free(s->spaces[i].sid);
		free(s->spaces[i].maps);
	}
	free(s->modules);
	free(s->spaces);
	intern_free(s->text);
	free(s->dir);
	free(s);
}

bool
syms_failed(const struct syms *s)
{
	return msg_fault_sum(s->bad, 2) != 0 || s->failed;
}

/* The next word between blanks; false at the end of the line. */
static bool
next_word(const char **p, const char *end, const char **w, size_t *len)
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

static bool
word_hex(const char **p, const char *end, uint64_t *v)
{
	const char *w;
	size_t len;

	if (!next_word(p, end, &w, &len))
		return false;
	if (len > 2 && w[0] == '0' && w[1] == 'x') {
		w += 2;
		len -= 2;
	}
	return num_hex(w, len, v) == 0;
}

static const char *
keep_text(struct syms *s, const char *p, size_t len, uint32_t *kept_len)
{
	size_t n;
	const char *t = intern_str(s->text, intern_id(s->text, p, len), &n);

	*kept_len = (uint32_t)n;
	return t;
}

/* `ADDR [SIZE] TYPE NAME`; type `?` marks where the function before ends. */
static bool
parse_sym(struct syms *s, const char *line, size_t len, struct func *f)
{
	const char *p = line, *end = line + len, *w;
	struct buf name = BUF_INIT;
	uint64_t size = 0;
	size_t n;

	memset(f, 0, sizeof *f);
	if (!word_hex(&p, end, &f->addr) || !next_word(&p, end, &w, &n))
		return false;
	if (n > 1 && (num_hex(w, n, &size) || !next_word(&p, end, &w, &n)))
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

static struct func *
find_func(const struct module *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->funcs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &m->funcs[lo - 1] : NULL;
}

/* By address; of equal ones the first in the file is kept. */
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
read_sym_lines(struct syms *s, struct module *m, struct in *in)
{
	const char *line;
	size_t len;

	while (in_next(in, &line, &len)) {
		struct func f;

		if (len == 0 || line[0] == '#')
			continue;
		if (!parse_sym(s, line, len, &f)) {
			msg_fault(&s->bad[BAD_SYM], in, "no symbol: '%s'",
			    msg_text(line, len));
			continue;
		}
		if (m->n == m->cap) {
			m->cap = m->cap ? m->cap * 2 : 64;
			m->funcs =
			    xreallocn(m->funcs, m->cap, sizeof *m->funcs);
		}
		f.order = (uint32_t)m->n;
		m->funcs[m->n++] = f;
	}
}

/* `F: ADDR NAME`, then of that function `A: @SPEC` and `R: @SPEC`. */
static void
read_dbg_lines(struct syms *s, struct module *m, struct in *in)
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
				f = find_func(m, addr & MASK48);
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

typedef void read_lines(struct syms *s, struct module *m, struct in *in);

/*
 * Reads DIR/BASENAME.SUFFIX or, where modules share their basename,
 * DIR/BASENAME-BUILD.SUFFIX with the first four digits of the build id.
 */
static void
read_file(struct syms *s, struct module *m, const char *build,
    const char *suffix, read_lines *lines)
{
	const char *slash = strrchr(m->path, '/');
	const char *base = slash ? slash + 1 : m->path;
	struct buf path = BUF_INIT;
	char *operand;
	struct in in;

	if (*build)
		buf_printf(&path, "%s/%s-%.4s.%s", s->dir, base, build, suffix);
	if (!*build || access(buf_str(&path), F_OK) != 0) {
		path.len = 0;
		buf_printf(&path, "%s/%s.%s", s->dir, base, suffix);
	}
	operand = buf_str(&path);
	if (access(operand, F_OK) == 0) {
		in_init_sized(&in, &operand, 1, 1 << 14);
		lines(s, m, &in);
		s->failed |= in_failed(&in);
		in_done(&in);
	}
	buf_done(&path);
}

static uint32_t
module_of(struct syms *s, const char *path, const char *build)
{
	struct module *m;

	for (uint32_t i = 0; i < s->n_modules; i++) {
		if (strcmp(s->modules[i].path, path) == 0)
			return i;
	}
	s->modules =
	    xreallocn(s->modules, s->n_modules + 1, sizeof *s->modules);
	m = &s->modules[s->n_modules];
	memset(m, 0, sizeof *m);
	m->path = xstrdup(path);
	read_file(s, m, build, "sym", read_sym_lines);
	sort_funcs(m);
	if (m->n)
		read_file(s, m, build, "dbg", read_dbg_lines);
	return s->n_modules++;
}

static void
add_map(struct syms *s, struct space *sp, uint64_t start, uint64_t end,
    const char *path, const char *build)
{
	uint32_t module = module_of(s, path, build);

	/* The segments of one file stand in lines behind each other. */
	if (sp->n && sp->maps[sp->n - 1].module == module &&
	    sp->maps[sp->n - 1].start <= start) {
		sp->maps[sp->n - 1].end = end;
		return;
	}
	sp->maps = xreallocn(sp->maps, sp->n + 1, sizeof *sp->maps);
	sp->maps[sp->n++] = (struct map){start, end, module};
}

/* `START-END PROT OFFSET DEV INODE PATH [build-id:HEX]`; false if it is none */
static bool
parse_map(struct syms *s, struct space *sp, const char *line, size_t len)
{
	static const char build_key[] = "build-id:";
	const char *p = line, *end = line + len, *w, *dash;
	uint64_t from, to;
	char *path, *build = NULL;
	size_t n;

	if (!next_word(&p, end, &w, &n) || !(dash = memchr(w, '-', n)) ||
	    num_hex(w, (size_t)(dash - w), &from) ||
	    num_hex(dash + 1, n - (size_t)(dash + 1 - w), &to))
		return false;
	for (int i = 0; i < 4; i++) {
		if (!next_word(&p, end, &w, &n))
			return false;
	}
	if (!next_word(&p, end, &w, &n))
		return true; /* a mapping without a file */
	if (n >= 6 && memcmp(w, "[stack", 6) == 0)
		sp->machine = from == MASK48;
	if (w[0] == '[')
		return true;
	path = xmemdup0(w, n);
	if (next_word(&p, end, &w, &n) && n > sizeof build_key - 1 &&
	    memcmp(w, build_key, sizeof build_key - 1) == 0)
		build = xmemdup0(
		    w + sizeof build_key - 1, n - (sizeof build_key - 1));
	add_map(s, sp, from & MASK48, to > MASK48 ? MASK48 : to, path,
	    build ? build : "");
	free(build);
	free(path);
	return true;
}

static void
read_map(struct syms *s, struct space *sp)
{
	struct buf path = BUF_INIT;
	const char *line;
	char *operand;
	struct in in;
	size_t len;

	sp->machine = true;
	buf_printf(&path, "%s/sid-%s.map", s->dir, sp->sid);
	operand = buf_str(&path);
	in_init_sized(&in, &operand, 1, 1 << 14);
	while (in_next(&in, &line, &len)) {
		if (len > 0 && line[len - 1] == '\r')
			len--;
		if (len && line[0] != '#' && !parse_map(s, sp, line, len))
			msg_fault(&s->bad[BAD_MAP], &in, "no mapping: '%s'",
			    msg_text(line, len));
	}
	s->failed |= in_failed(&in);
	in_done(&in);
	buf_done(&path);
}

uint32_t
syms_space(struct syms *s, const char *sid, size_t len)
{
	struct space *sp;

	for (uint32_t i = 0; i < s->n_spaces; i++) {
		if (strlen(s->spaces[i].sid) == len &&
		    memcmp(s->spaces[i].sid, sid, len) == 0)
			return i;
	}
	if (s->n_spaces == SPACES_MAX)
		return SPACES_MAX - 1;
	s->spaces = xreallocn(s->spaces, s->n_spaces + 1, sizeof *s->spaces);
	sp = &s->spaces[s->n_spaces];
	memset(sp, 0, sizeof *sp);
	sp->sid = xmemdup0(sid, len);
	read_map(s, sp);
	return s->n_spaces++;
}

void
syms_dlopen(struct syms *s, uint32_t space, uint64_t base, const char *path)
{
	struct space *sp = &s->spaces[space];
	uint32_t module = module_of(s, path, "");
	uint64_t end = base & MASK48;

	if (s->modules[module].n) {
		const struct module *m = &s->modules[module];
		const struct func *last = &m->funcs[m->n - 1];

		end += (last->end ? last->end : last->addr + 1);
	}
	sp->maps = xreallocn(sp->maps, sp->n + 1, sizeof *sp->maps);
	sp->maps[sp->n++] = (struct map){base & MASK48, end, module};
}

bool
syms_is_machine(const struct syms *s, uint32_t space)
{
	return s->spaces[space].machine;
}

const struct func *
syms_find(const struct syms *s, uint32_t space, uint64_t addr)
{
	const struct space *sp = &s->spaces[space];

	for (size_t i = sp->n; i-- > 0;) { /* what came later covers */
		const struct map *map = &sp->maps[i];
		const struct func *f;
		uint64_t at;

		if (addr < map->start || addr >= map->end)
			continue;
		at = s->relative ? addr - map->start : addr;
		f = find_func(&s->modules[map->module], at);
		if (f && f->raw && (f->end == 0 || at < f->end))
			return f;
	}
	return NULL;
}
