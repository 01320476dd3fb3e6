/* SPDX-License-Identifier: ISC */
/*
 * The table of one ELF file's functions, with a cache by address.
 *
 * Of several symbols for the same stretch of code one is chosen: a function
 * before an untyped label, a global before a weak before a local one, then
 * the one with fewer underscores in front, then the first bytewise: the same
 * for each run and each order of the table. A label without a size, as
 * assemblers write it, reaches to the next symbol or to the end of its
 * section, but never names the inside of a function that has a size.
 */
#include "elfsym.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "dwarf.h"
#include "elffile.h"
#include "opt.h"
#include "segs.h"
#include "xalloc.h"

enum {
	NAME_MAX_LEN = 16 << 10, /* bytes of a symbol's name that count */
	NAME_CMP = 256,		 /* bytes that order aliases */
	CACHE_MAX = 1 << 20,	 /* addresses in the cache */
	FRAMES_MAX = 1 << 22,	 /* and their frames */
	INLINED_MAX = 255	 /* calls inlined at one address */
};

struct func {
	const char *name;
	uint32_t len;
	uint8_t rank; /* less is better */
	uint64_t addr, end;
};

struct slot {
	uint64_t addr;
	uint32_t first, n; /* in frames[]; first is UINT32_MAX when free */
};

struct elfsym {
	char *path;
	struct elffile *file;
	uint64_t bias; /* of loaded addresses */
	unsigned flags;
	struct dwarf *dwarf; /* NULL: none, or not wanted */
	struct func *func;
	size_t n_func, cap_func;
	struct segs segs;
	struct buf damage;
	struct slot *slot; /* the cache: a power of two of them */
	size_t n_slots, n_cached;
	struct elfsym_frame *frames;
	size_t n_frames, cap_frames;
};

/* Symbols -------------------------------------------------------------- */

static void
add_symbol(const struct elf_symbol *sym, void *arg)
{
	struct elfsym *s = arg;
	struct func *f;

	if (s->n_func == s->cap_func) {
		if (s->cap_func >= UINT32_MAX / 2)
			return;
		s->cap_func = s->cap_func ? 2 * s->cap_func : 1024;
		s->func = xreallocn(s->func, s->cap_func, sizeof *s->func);
	}
	f = &s->func[s->n_func++];
	f->name = sym->name;
	f->len = (uint32_t)strnlen(sym->name, NAME_MAX_LEN);
	f->rank = (uint8_t)(sym->binding + (sym->func ? 0 : 4));
	f->addr = sym->addr;
	f->end = sym->addr;
	if (sym->size > 0)
		f->end = sym->addr + sym->size;
	if (f->end < f->addr)
		f->end = UINT64_MAX;
}

static size_t
underscores(const struct func *f)
{
	size_t n = 0;

	while (n < f->len && n < NAME_CMP && f->name[n] == '_')
		n++;
	return n;
}

/* By address, the longer first; of aliases the preferred one first. */
static int
cmp_func(const void *va, const void *vb)
{
	const struct func *a = va, *b = vb;
	size_t ua, ub;
	int c;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	ua = underscores(a);
	ub = underscores(b);
	if (ua != ub)
		return ua < ub ? -1 : 1;
	c = strncmp(a->name, b->name, NAME_CMP);
	if (c != 0)
		return c;
	return (a->name > b->name) - (a->name < b->name);
}

/* The end of the code section that holds addr. */
static uint64_t
code_end(const struct elf_range *code, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (code[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && addr >= code[lo].start ? code[lo].end : addr;
}

/*
 * Drops aliases that were not chosen, and labels without size where a sized
 * function is; the others' ends are cut to their section.
 */
static void
choose_functions(struct elfsym *s)
{
	uint64_t reach = 0; /* the end of sized functions so far */
	size_t n = 0, n_code;
	const struct elf_range *code = elffile_code(s->file, &n_code);

	if (s->n_func > 0)
		qsort(s->func, s->n_func, sizeof *s->func, cmp_func);
	for (size_t i = 0; i < s->n_func; i++) {
		struct func f = s->func[i];
		const uint64_t limit = code_end(code, n_code, f.addr);
		const bool sized = f.end > f.addr;

		if (f.end > limit)
			f.end = limit;
		if (n > 0 && s->func[n - 1].addr == f.addr &&
		    s->func[n - 1].end == f.end)
			continue;
		if (!sized && f.addr < reach)
			continue;
		if (sized && f.end > reach)
			reach = f.end;
		s->func[n++] = f;
	}
	s->n_func = n;
}

static void
index_functions(struct elfsym *s)
{
	struct seg_range *r = xreallocn(NULL, s->n_func, sizeof *r);
	size_t n_code;
	const struct elf_range *code = elffile_code(s->file, &n_code);

	for (size_t i = s->n_func; i-- > 0;) {
		struct func *f = &s->func[i];

		if (f->end == f->addr) {
			f->end = code_end(code, n_code, f->addr);
			if (i + 1 < s->n_func && s->func[i + 1].addr < f->end)
				f->end = s->func[i + 1].addr;
		}
		r[i] = (struct seg_range){f->addr, f->end, (uint32_t)i};
	}
	segs_build(r, s->n_func, &s->segs);
	free(r);
}

/* Loading -------------------------------------------------------------- */

static void
note_damage(struct elfsym *s, struct buf *err)
{
	if (err->len > 0 && s->damage.len < 1000) {
		if (s->damage.len > 0)
			buf_adds(&s->damage, "; ");
		buf_add(&s->damage, err->p, err->len);
	}
	err->len = 0;
}

static void
cache_clear(struct elfsym *s, size_t n_slots)
{
	if (n_slots != s->n_slots) {
		s->slot = xreallocn(s->slot, n_slots, sizeof *s->slot);
		s->n_slots = n_slots;
	}
	for (size_t i = 0; i < n_slots; i++)
		s->slot[i].first = UINT32_MAX;
	s->n_cached = 0;
}

static struct elfsym *
sym_new(struct elffile *file, const char *path, size_t path_len, unsigned flags)
{
	struct elfsym *s = xcalloc(1, sizeof *s);
	struct buf err = BUF_INIT;

	s->file = file;
	s->path = xmemdup0(path, path_len);
	s->flags = flags;
	elffile_symbols(file, add_symbol, s, &err);
	note_damage(s, &err);
	choose_functions(s);
	index_functions(s);
	if (flags & (ELFSYM_INLINE | ELFSYM_LINES))
		s->dwarf = dwarf_new(file, flags & ELFSYM_LINES, &err);
	note_damage(s, &err);
	cache_clear(s, 1024);
	buf_done(&err);
	return s;
}

/*
 * Splits PATH@BASE: returns the path's length, and sets *how to 0 (no base),
 * '@' or '+'. What follows an @ that is no number belongs to the path.
 */
static size_t
split_spec(const char *spec, char *how, uint64_t *val)
{
	const char *at = strrchr(spec, '@'), *p;

	*how = 0;
	if (at == NULL || at == spec)
		return strlen(spec);
	p = at + 1;
	*how = *p == '+' ? '+' : '@';
	p += *p == '+';
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	if (num_hex(p, strlen(p), val) == 0)
		return (size_t)(at - spec);
	*how = 0;
	return strlen(spec);
}

struct elfsym *
elfsym_load(const char *spec, unsigned flags, struct buf *err)
{
	uint64_t val;
	char how;
	const size_t len = split_spec(spec, &how, &val);
	char *path = xmemdup0(spec, len);
	struct elffile *file;
	struct elfsym *s = NULL;

	buf_printf(err, "%s: ", path);
	file = elffile_open(path, err);
	if (file != NULL) {
		s = sym_new(file, path, len, flags);
		if (how == '@')
			elfsym_rebase(s, val);
		else if (how == '+')
			s->bias = val;
		err->len = 0;
	}
	free(path);
	return s;
}

struct elfsym *
elfsym_memory(const void *p, size_t len, unsigned flags, struct buf *err)
{
	struct elffile *file = elffile_memory(p, len, err);

	return file == NULL ? NULL : sym_new(file, "memory", 6, flags);
}

void
elfsym_free(struct elfsym *s)
{
	if (s == NULL)
		return;
	segs_done(&s->segs);
	dwarf_free(s->dwarf);
	elffile_close(s->file);
	buf_done(&s->damage);
	free(s->func);
	free(s->slot);
	free(s->frames);
	free(s->path);
	free(s);
}

void
elfsym_rebase(struct elfsym *s, uint64_t base)
{
	s->bias = base - elffile_image(s->file).start;
}

const char *
elfsym_path(const struct elfsym *s)
{
	return s->path;
}

const char *
elfsym_build_id(const struct elfsym *s)
{
	return elffile_build_id(s->file);
}

const char *
elfsym_damage(const struct elfsym *s)
{
	struct buf *b = (struct buf *)(uintptr_t)&s->damage;

	return b->len > 0 ? buf_str(b) : NULL;
}

size_t
elfsym_count(const struct elfsym *s)
{
	return s->n_func;
}

/* Lookups -------------------------------------------------------------- */

bool
elfsym_covers(const struct elfsym *s, uint64_t addr)
{
	size_t n;
	const struct elf_range *code = elffile_code(s->file, &n);

	return code_end(code, n, addr - s->bias) != addr - s->bias;
}

bool
elfsym_find(const struct elfsym *s, uint64_t addr, struct elfsym_func *func)
{
	uint32_t id = segs_find(&s->segs, addr - s->bias, NULL);
	const struct func *f;

	if (id == SEG_NONE)
		return false;
	f = &s->func[id];
	func->name = f->name;
	func->len = f->len;
	func->start = f->addr + s->bias;
	func->end = f->end + s->bias;
	return true;
}

static struct elfsym_frame *
add_frame(struct elfsym *s)
{
	if (s->n_frames == s->cap_frames) {
		s->cap_frames = s->cap_frames ? 2 * s->cap_frames : 1024;
		s->frames =
		    xreallocn(s->frames, s->cap_frames, sizeof *s->frames);
	}
	s->frames[s->n_frames] = (struct elfsym_frame){0};
	return &s->frames[s->n_frames++];
}

static void
set_line(struct elfsym_frame *f, const struct dwarf_pos *pos)
{
	if (pos->line == 0)
		return;
	f->file = pos->file;
	f->file_len = pos->file_len;
	f->line = pos->line;
}

/*
 * Appends the calls at the file's own address to frames[]. Where an inlined
 * call was made is the line of the next frame out.
 */
static void
resolve(struct elfsym *s, uint64_t addr)
{
	struct dwarf_call calls[INLINED_MAX];
	struct dwarf_pos pos = {NULL, 0, 0};
	struct elfsym_func func;
	struct elfsym_frame *f;
	size_t n = 0;

	if (!elfsym_find(s, addr + s->bias, &func))
		return;
	if (s->dwarf != NULL) {
		n = dwarf_calls(s->dwarf, addr, calls, INLINED_MAX, &s->damage);
		dwarf_line(s->dwarf, addr, &pos, &s->damage);
	}
	if (n > 0 && !(s->flags & ELFSYM_INLINE)) {
		pos = calls[n - 1].from;
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (calls[i].name_len > 0) {
			f = add_frame(s);
			f->name = calls[i].name;
			f->name_len = calls[i].name_len;
			f->inlined = true;
			set_line(f, &pos);
		}
		pos = calls[i].from;
	}
	f = add_frame(s);
	f->name = func.name;
	f->name_len = (uint32_t)func.len;
	set_line(f, &pos);
}

static struct slot *
slot_of(const struct elfsym *s, uint64_t addr)
{
	size_t i = (size_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	while (s->slot[i &= s->n_slots - 1].first != UINT32_MAX &&
	       s->slot[i].addr != addr)
		i++;
	return &s->slot[i];
}

/* Twice as large, or, at its limit, empty. */
static void
cache_grow(struct elfsym *s)
{
	struct slot *old = s->slot;
	const size_t n_old = s->n_slots;

	if (s->n_cached >= CACHE_MAX || s->n_frames >= FRAMES_MAX) {
		cache_clear(s, n_old);
		s->n_frames = 0;
		return;
	}
	s->slot = NULL;
	cache_clear(s, 2 * n_old);
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].first != UINT32_MAX) {
			*slot_of(s, old[i].addr) = old[i];
			s->n_cached++;
		}
	}
	free(old);
}

size_t
elfsym_frames(
    struct elfsym *s, uint64_t addr, const struct elfsym_frame **frames)
{
	struct slot *slot;

	addr -= s->bias;
	if (s->n_cached * 2 >= s->n_slots || s->n_frames >= FRAMES_MAX)
		cache_grow(s);
	slot = slot_of(s, addr);
	if (slot->first == UINT32_MAX) {
		const size_t first = s->n_frames;

		resolve(s, addr);
		slot->addr = addr;
		slot->first = (uint32_t)first;
		slot->n = (uint32_t)(s->n_frames - first);
		s->n_cached++;
	}
	*frames = slot->n > 0 ? s->frames + slot->first : NULL;
	return slot->n;
}

bool
elfsym_section(struct elfsym *s, const char *name, uint64_t *addr,
    uint64_t *size, const unsigned char **data)
{
	struct elf_section sec;
	struct buf err = BUF_INIT;
	int ret = elffile_section(s->file, name, &sec, &err);

	note_damage(s, &err);
	buf_done(&err);
	if (ret != 0)
		return false;
	*addr = sec.addr + s->bias;
	*size = sec.size;
	*data = sec.len >= sec.size ? sec.data : NULL;
	return true;
}
