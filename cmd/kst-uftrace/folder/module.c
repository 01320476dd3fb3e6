/* SPDX-License-Identifier: ISC */
#include "folder/module.h"

#include "folder/elfs.h"
#include "set/bound.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/port.h"
#include "folder/lines.h"
#include "set/intern.h"
#include "elf/elfsym.h"
#include "folder/spec.h"
#include "base/xalloc.h"

void
modules_init(struct modules *s, const char *dir, bool lp64)
{
	char *info = lines_path(dir, "info");
	struct stat st;

	*s = (struct modules){.dir = dir,
	    .lp64 = lp64,
	    .paths = intern_new(),
	    .text = intern_new(),
	    .bad.what = "line that is not a symbol"};
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
			free(m->syms[k].specs[0]);
			free(m->syms[k].specs[1]);
		}
		elfsym_free(m->elf);
		free(m->syms);
		free(m->build);
		free(m->path);
	}
	free(s->v);
	intern_free(s->paths);
	intern_free(s->text);
}

/* `ADDR [SIZE] TYPE NAME`; type `?` marks the end of the function before. */
static bool
parse_sym(struct modules *s, char *line, struct sym *f)
{
	char *p = line, *name;
	uint64_t size = 0;
	size_t len;

	memset(f, 0, sizeof *f);
	f->addr = strtoull(line, &p, 16) & MASK48;
	if (!isxdigit((unsigned char)*line) || p - line > 18)
		return false;
	if (p[0] == ' ' && p[1] && p[2] != ' ')
		size = strtoull(p, &p, 16);
	if (size)
		f->end = f->addr + size;
	if (p[0] != ' ' || !p[1] || p[2] != ' ')
		return false;
	name = p + 3 + strspn(p + 3, " ");
	for (len = strlen(name); len && strchr(" \r", name[len - 1]);)
		len--;
	f->len = (uint32_t)len;
	if (p[1] != '?')
		f->name =
		    intern_str(s->text, intern_id(s->text, name, len), &len);
	return f->len > 0;
}

struct sym *
module_sym(const struct module *m, uint64_t addr)
{
	size_t i = bound_above(
	    m->syms, m->n, sizeof *m->syms, offsetof(struct sym, addr), addr);

	return i ? &m->syms[i - 1] : NULL;
}

/* By address; module_sym() finds the last, the first in the file with a name.
 */
static int
compare(const void *pa, const void *pb)
{
	const struct sym *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (!a->name != !b->name)
		return a->name ? 1 : -1;
	return (a->order < b->order) - (a->order > b->order);
}

/* A module that is read. */
struct reading {
	struct modules *s;
	struct module *m;
	struct sym *f; /* of a .dbg file: of the last `F:` */
};

static bool
sym_line(void *reading, char *line)
{
	struct reading *r = reading;
	struct module *m = r->m;
	struct sym f;

	if (!parse_sym(r->s, line, &f))
		return false;
	f.order = (uint32_t)m->n;
	*xpush(m->syms, m->n, m->cap) = f;
	return true;
}

/* `F: ADDR NAME`, then that function's `A: @SPEC` and `R: @SPEC`. */
static bool
dbg_line(void *reading, char *line)
{
	struct reading *r = reading;
	struct sym *f = r->f;
	bool ret = line[0] == 'R';
	uint64_t addr;
	char *end;

	if (strlen(line) < 4 || line[1] != ':')
		return false;
	if (line[0] == 'F') {
		addr = strtoull(line + 3, &end, 16) & MASK48;
		f = module_sym(r->m, addr);
		r->f = end > line + 3 && f && f->addr == addr ? f : NULL;
	} else if (f && line[3] == '@' && (ret || line[0] == 'A') &&
		   f->specs[ret] == NULL) {
		f->specs[ret] =
		    spec_parse(line + 4, strlen(line + 4), r->s->lp64, ret);
	}
	return true;
}

/*
 * Reads DIR/BASENAME.SUFFIX or, for modules of one basename, DIR/BASENAME-
 * BUILD.SUFFIX with the first four digits of the build id, if it is there.
 */
static void
read_file(struct modules *s, struct module *m, const char *build,
    const char *suffix, lines_take *take)
{
	const char *base = port_basename(m->path);
	struct reading r = {.s = s, .m = m};
	struct buf name = BUF_INIT;

	if (*build)
		buf_printf(&name, "%s-%.4s.%s", base, build, suffix);
	if (!*build || !lines_has(s->dir, buf_str(&name))) {
		name.len = 0;
		buf_printf(&name, "%s.%s", base, suffix);
	}
	if (lines_has(s->dir, buf_str(&name)))
		s->failed |= !lines_read(s->dir, buf_str(&name), take, &r,
		    take == sym_line ? &s->bad : NULL, "not a symbol");
	if (m->n > 0 && take == sym_line)
		qsort(m->syms, m->n, sizeof *m->syms, compare);
	buf_done(&name);
}

uint32_t
modules_get(struct modules *s, const char *path, const char *build)
{
	uint32_t id = intern_id(s->paths, path, strlen(path));
	struct module *m;

	if (id < s->n)
		return id;
	m = xpush(s->v, s->n, s->cap);
	*m = (struct module){.path = xstrdup(path), .build = xstrdup(build)};
	read_file(s, m, build, "sym", sym_line);
	if (m->n)
		read_file(s, m, build, "dbg", dbg_line);
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
