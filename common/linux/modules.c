/* SPDX-License-Identifier: ISC */
/* Each module is in a list that begins in the kernel's variable `modules`. */
#include "linux/modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "linux/btf.h"
#include "linux/modfile.h"
#include "linux/object.h"
#include "unwind/unwind.h"

enum {
	LISTED_MAX = 4096, /* modules in the list */
	TEXT_MAX = 64 << 20,
	STRUCT_MAX = 8 << 10, /* bytes of struct module that are read */
	HEAD = 64,	      /* of struct mod_kallsyms */
	INIT_PART = 4,
	PAGE = 4096,
	MISSES = 64,
	WAITS_MAX = 63
};

enum member {
	LIST,
	NAME,
	KALLSYMS,
	TEXT,
	TEXT_SIZE,
	INIT, /* these may lack */
	INIT_SIZE,
	ORCS,
	ORC_IPS,
	ORC_ENTRIES, /* the last of struct module */
	SYMTAB,
	SYMBOLS,
	STRTAB,
	MEMBERS
};

/*
 * Since Linux 6.4, and before: the code is in the first of several parts, and
 * that which begins in number INIT_PART.
 */
static const char *const members[MEMBERS][2] = {{"module.list"},
    {"module.name"}, {"module.kallsyms"},
    {"module.mem+module_memory.base", "module.core_layout+module_layout.base"},
    {"module.mem+module_memory.size",
	"module.core_layout+module_layout.text_size"},
    {"module.init_layout+module_layout.base"},
    {"module.init_layout+module_layout.text_size"},
    {"module.arch+mod_arch_specific.num_orcs"},
    {"module.arch+mod_arch_specific.orc_unwind_ip"},
    {"module.arch+mod_arch_specific.orc_unwind"}, {"mod_kallsyms.symtab"},
    {"mod_kallsyms.num_symtab"}, {"mod_kallsyms.strtab"}};

/* A module as its structure tells. */
struct seen {
	uint64_t at, kallsyms;
	struct modfile file; /* but not its symbols */
};

struct module {
	struct seen seen;
	bool sure; /* it was there since the guest ran last */
	bool gone;
	struct elfsym *sym;
	struct unwind_module *module;
};

/* A page without a module. */
struct miss {
	uint64_t page;
	unsigned wait, waits; /* lookups that are left out, now and then */
};

struct modules {
	struct elfsym *kernel;
	struct unwinder *u;
	const struct reader *r;
	bool loaded, usable;
	uint64_t list; /* address of `modules` in the kernel's file */
	uint64_t at[MEMBERS];
	uint64_t len; /* of struct module, as far as it is needed */
	struct module *v;
	size_t n, cap;
	struct miss miss[MISSES];
};

struct modules *
modules_new(struct elfsym *kernel, struct unwinder *u, const struct reader *r)
{
	struct modules *m = xcalloc(1, sizeof *m);

	*m = (struct modules){.kernel = kernel, .u = u, .r = r};
	return m;
}

void
modules_free(struct modules *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++)
		elfsym_free(m->v[i].sym);
	free(m->v);
	free(m);
}

/* The same of the part that begins; -1: it does not exist. */
static int64_t
init_of(const struct modules *m, const struct btf *b, int word)
{
	const int64_t size = btf_size(b, "module_memory"),
		      at = (int64_t)m->at[TEXT + word];

	return size <= 0 || at < 0 ? -1 : at + INIT_PART * size;
}

/* Reads the kernel's file; returns whether modules can be read by it. */
static bool
load(struct modules *m)
{
	const unsigned char *p;
	uint64_t addr, size;
	struct btf b = {0};
	bool ok = true;

	if (m->loaded)
		return m->usable;
	m->loaded = true;
	if (!object_find(m->kernel, "modules", &m->list) ||
	    !elfsym_section(m->kernel, ".BTF", &addr, &size, &p) || p == NULL ||
	    btf_open(&b, p, size) != 0)
		return false;
	for (int i = 0; i < MEMBERS; i++) {
		int64_t at = btf_member(&b, members[i][0]);

		if (at < 0 && members[i][1] != NULL)
			at = btf_member(&b, members[i][1]);
		if ((i == INIT || i == INIT_SIZE) && at < 0)
			at = init_of(m, &b, i - INIT);
		m->at[i] = (uint64_t)at;
		if (i >= INIT && i <= ORC_ENTRIES && at < 0)
			m->at[i] = UINT64_MAX;
		else
			ok = ok && at >= 0 &&
			     at <= (i < SYMTAB ? STRUCT_MAX - MODULE_NAME
					       : HEAD - 8);
		if (ok && i <= ORC_ENTRIES && at >= 0 &&
		    m->at[i] + MODULE_NAME > m->len)
			m->len = m->at[i] + MODULE_NAME;
	}
	btf_close(&b);
	m->usable = ok && m->len <= STRUCT_MAX;
	return m->usable;
}

static uint64_t
word(const struct modules *m, const uint8_t *p, enum member i, size_t n)
{
	return m->at[i] == UINT64_MAX ? 0 : uint_load(p + m->at[i], n, false);
}

/* Reads the structure at `at`; *next is the list's next link. */
static bool
look(struct modules *m, uint64_t at, struct seen *s, uint64_t *next)
{
	uint8_t p[STRUCT_MAX];

	if (m->r->read(m->r->arg, at, p, m->len) != 0)
		return false;
	*s = (struct seen){.at = at,
	    .kallsyms = word(m, p, KALLSYMS, 8),
	    .file = {.text = word(m, p, TEXT, 8),
		.size = word(m, p, TEXT_SIZE, 4),
		.init = m->u ? 0 : word(m, p, INIT, 8),
		.init_size = m->u ? 0 : word(m, p, INIT_SIZE, 4),
		.orcs = word(m, p, ORCS, 4),
		.orc_ip = word(m, p, ORC_IPS, 8),
		.orc = word(m, p, ORC_ENTRIES, 8)}};
	memcpy(s->file.name, p + m->at[NAME], MODULE_NAME);
	for (char *c = s->file.name; *c; c++)
		if (*c <= ' ' || *c > '~' || strchr("[]();", *c) != NULL)
			*c = '_';
	*next = word(m, p, LIST, 8);
	return true;
}

static bool
is_same(const struct seen *a, const struct seen *b)
{
	return a->kallsyms == b->kallsyms && a->file.text == b->file.text &&
	       a->file.size == b->file.size && a->file.init == b->file.init &&
	       a->file.init_size == b->file.init_size &&
	       strcmp(a->file.name, b->file.name) == 0;
}

static bool
holds(const struct seen *s, uint64_t addr)
{
	return addr - s->file.text < s->file.size ||
	       addr - s->file.init < s->file.init_size;
}

/* Whether a module that was read is still there: then it is put to use. */
static bool
confirm(struct modules *m, struct module *of)
{
	struct seen now;
	uint64_t next;

	of->gone =
	    !look(m, of->seen.at, &now, &next) || !is_same(&now, &of->seen);
	of->sure = true;
	if (!of->gone && of->module != NULL)
		unwind_module_use(of->module, true);
	return !of->gone;
}

static bool
add(struct modules *m, const struct seen *s)
{
	struct module *new = xpush(m->v, m->n, m->cap);
	const unsigned machine = elfsym_code(m->kernel, 0).machine;
	struct modfile file = s->file;
	char path[PORT_FD_PATH];
	uint8_t head[HEAD];
	const char *why;

	*new = (struct module){.seen = *s, .sure = true};
	if (m->r->read(m->r->arg, s->kallsyms, head, sizeof head) != 0)
		return false;
	file.symtab = word(m, head, SYMTAB, 8);
	file.symbols = word(m, head, SYMBOLS, 4);
	file.strtab = word(m, head, STRTAB, 8);
	new->sym = modfile_read(m->r, &file, machine);
	if (new->sym == NULL || m->u == NULL)
		return new->sym != NULL;
	elfsym_reopen(new->sym, path);
	new->module = unwinder_add(m->u, path, 0, false, &why);
	return new->module != NULL;
}

void
modules_doubt(struct modules *m)
{
	for (size_t i = 0; m != NULL && i < m->n; i++) {
		m->v[i].sure = false;
		if (m->v[i].module != NULL)
			unwind_module_use(m->v[i].module, false);
	}
}

/* Looks in the list for the module that has an address. */
static bool
listed(struct modules *m, uint64_t addr, struct seen *s)
{
	const uint64_t head = m->list + elfsym_bias(m->kernel);
	uint8_t link[8];
	uint64_t next;

	if (m->r->read(m->r->arg, head, link, sizeof link) != 0)
		return false;
	next = uint_load(link, sizeof link, false);
	for (int i = 0; i < LISTED_MAX && next != head; i++) {
		if (!look(m, next - m->at[LIST], s, &next))
			return false;
		if (holds(s, addr))
			return s->file.size <= TEXT_MAX &&
			       s->file.init_size <= TEXT_MAX;
	}
	return false;
}

/*
 * Whether an address of no module has been looked for lately. The more often
 * that was, the later it is looked for again: generated code is in none.
 */
static bool
is_vain(struct modules *m, uint64_t addr)
{
	struct miss *miss = &m->miss[addr / PAGE % MISSES];

	if (miss->page != addr / PAGE) {
		*miss = (struct miss){.page = addr / PAGE};
		return false;
	}
	if (miss->wait > 0)
		return miss->wait-- > 0;
	miss->waits = miss->waits < WAITS_MAX ? 2 * miss->waits + 1 : WAITS_MAX;
	miss->wait = miss->waits;
	return false;
}

bool
modules_find(struct modules *m, uint64_t addr)
{
	struct seen s;

	for (size_t i = 0; i < m->n; i++) {
		struct module *of = &m->v[i];

		if (!of->gone && holds(&of->seen, addr) &&
		    (of->sure || confirm(m, of)))
			return m->u ? of->module != NULL : of->sym != NULL;
	}
	if (m->n >= MODULES_MAX || is_vain(m, addr) || !load(m) ||
	    !listed(m, addr, &s))
		return false;
	/* where one was, others come */
	m->miss[addr / PAGE % MISSES] = (struct miss){0};
	return add(m, &s);
}

/* The module that was found, with symbols; NULL: none. */
static const struct module *
found(const struct modules *m, uint64_t addr)
{
	for (size_t i = 0; m != NULL && i < m->n; i++)
		if (!m->v[i].gone && m->v[i].sym != NULL &&
		    holds(&m->v[i].seen, addr))
			return &m->v[i];
	return NULL;
}

struct elfsym *
modules_symbols(const struct modules *m, uint64_t addr)
{
	const struct module *of = found(m, addr);

	return of ? of->sym : NULL;
}

struct module_place
modules_place(const struct modules *m, uint64_t addr)
{
	const struct module *of = found(m, addr);
	const struct modfile *f = &of->seen.file;

	return (struct module_place){.number = (unsigned)(of - m->v),
	    .name_at = of->seen.at + m->at[NAME],
	    .part = {{f->text, f->size, of->seen.at + m->at[TEXT]},
		{f->init, f->init_size, of->seen.at + m->at[INIT]}}};
}

bool
modules_readable(struct elfsym *kernel)
{
	const unsigned char *p;
	uint64_t addr, size;

	return object_find(kernel, "modules", &addr) &&
	       elfsym_section(kernel, ".BTF", &addr, &size, &p) && p != NULL;
}
