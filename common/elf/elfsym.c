/* SPDX-License-Identifier: ISC */
/* One ELF file: where it is loaded, and what was found, by address. */
#include "elf/elfsym.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "elf/dwunits.h"
#include "elf/dwindex.h"
#include "elf/dwlines.h"
#include "elf/elfspec.h"
#include "elf/elftails.h"
#include "elf/dwarf.h"
#include "elffile/elffile.h"
#include "elffile/elffuncs.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/port.h"
#include "set/slots.h"
#include "base/xalloc.h"

enum {
	CACHE_MAX = 1 << 20,  /* addresses in the cache */
	FRAMES_MAX = 1 << 22, /* and their frames */
	INLINED_MAX = 255     /* calls inlined at one address */
};

/* What was found for an address of the file. */
struct found {
	uint64_t addr;
	uint32_t first, n; /* in frames[] */
};

struct elfsym {
	char *path;
	struct elffile *file;
	struct elffile *debug; /* with the names; file, or of its own */
	uint64_t bias;	       /* of loaded addresses */
	unsigned flags;
	struct dwarf *dwarf;	/* NULL: none, or not wanted */
	struct elftails *tails; /* the same */
	struct elffuncs funcs;
	struct buf damage;
	bool failed;
	struct slots slots; /* of found[] */
	struct found *found;
	struct elfsym_frame *frames;
	size_t cap_found, n_frames, cap_frames;
};

/* Loading -------------------------------------------------------------- */

/*
 * Checks errno, which was 0, after libelf and libdw: they take a lack of
 * memory, or a failed read, for damage or for nothing at all.
 */
static void
check_system(struct elfsym *s)
{
	if (!msg_is_system(errno))
		return;
	if (!s->failed)
		msg_errno("%s", msg_str(s->path));
	s->failed = true;
}

static void
note_damage(struct elfsym *s, struct buf *err)
{
	if (err->len > 0 && s->damage.len < 1000)
		buf_printf(&s->damage, "%s%s", s->damage.len > 0 ? "; " : "",
		    buf_str(err));
	err->len = 0;
}

static struct elfsym *
sym_new(struct elffile *file, char *path, unsigned flags)
{
	struct elfsym *s = xcalloc(1, sizeof *s);
	struct buf err = BUF_INIT;

	s->file = file;
	s->path = path;
	s->flags = flags;
	if (file->is_cut) {
		buf_adds(
		    &err, "the file is truncated: parts of it are missing");
		note_damage(s, &err);
	}
	s->debug = flags & ELFSYM_SERVER ? elffile_debug(file, &err) : NULL;
	note_damage(s, &err);
	if (s->debug == NULL)
		s->debug = file;
	errno = 0;
	elffuncs_read(&s->funcs, s->debug, flags & ELFSYM_PLAIN, &err);
	note_damage(s, &err);
	if ((flags & (ELFSYM_INLINE | ELFSYM_LINES | ELFSYM_TAILS)) != 0)
		s->dwarf = dwarf_new(
		    s->debug, flags & ELFSYM_LINES, flags & ELFSYM_TAILS, &err);
	if (s->dwarf != NULL && flags & ELFSYM_TAILS)
		s->tails = elftails_new(s->debug, s->dwarf);
	note_damage(s, &err);
	check_system(s);
	slots_init(&s->slots);
	buf_done(&err);
	return s;
}

struct elfsym *
elfsym_load(const char *spec, unsigned flags, struct buf *err)
{
	uint64_t val;
	char how, *path = xmemdup0(spec, elfspec_split(spec, &how, &val));
	struct elffile *file;
	struct elfsym *s;

	buf_printf(err, "%s: ", path);
	file = elffile_kernel(path, err);
	if (file == NULL) {
		if (msg_is_system(errno))
			msg_system();
		free(path);
		return NULL;
	}
	s = sym_new(file, path, flags);
	if (how == '@')
		elfsym_rebase(s, val);
	else if (how == '+')
		s->bias = val;
	err->len = 0;
	return s;
}

void
elfsym_free(struct elfsym *s)
{
	if (s == NULL)
		return;
	elffuncs_done(&s->funcs);
	elftails_free(s->tails);
	dwarf_free(s->dwarf);
	if (s->debug != s->file)
		elffile_close(s->debug);
	elffile_close(s->file);
	buf_done(&s->damage);
	slots_done(&s->slots);
	free(s->found);
	free(s->frames);
	free(s->path);
	free(s);
}

void
elfsym_rebase(struct elfsym *s, uint64_t base)
{
	s->bias = base - s->file->image.start;
}

uint64_t
elfsym_bias(const struct elfsym *s)
{
	return s->bias;
}

void
elfsym_move(struct elfsym *s, uint64_t bias)
{
	s->bias = bias;
}

const char *
elfsym_path(const struct elfsym *s)
{
	return s->path;
}

void
elfsym_reopen(const struct elfsym *s, char path[PORT_FD_PATH])
{
	port_fd_path(s->file->fd, path);
}

const char *
elfsym_build_id(const struct elfsym *s)
{
	return s->file->build_id;
}

const char *
elfsym_damage(const struct elfsym *s)
{
	struct buf *b = (struct buf *)(uintptr_t)&s->damage;

	if (elflost_what() != NULL)
		return elflost_what();
	return b->len > 0 ? buf_str(b) : NULL;
}

bool
elfsym_nth(const struct elfsym *s, size_t i, struct elfsym_func *func)
{
	return i < s->funcs.n &&
	       elfsym_find(s, s->funcs.v[i].addr + s->bias, func);
}

/* Lookups -------------------------------------------------------------- */

bool
elfsym_covers(const struct elfsym *s, uint64_t addr)
{
	return elffile_code_end(s->file, addr - s->bias) != addr - s->bias;
}

bool
elfsym_find(const struct elfsym *s, uint64_t addr, struct elfsym_func *func)
{
	const struct elffunc *f = elffuncs_find(&s->funcs, addr - s->bias);

	if (f == NULL)
		return false;
	func->name = f->name;
	func->len = f->len;
	func->start = f->addr + s->bias;
	func->end = f->end + s->bias;
	return true;
}

static struct elfsym_frame *
add_frame(
    struct elfsym *s, const char *name, size_t len, const struct dwarf_pos *pos)
{
	struct elfsym_frame f = {.name = name, .name_len = (uint32_t)len};

	if (pos->line > 0) {
		f.file = pos->file;
		f.file_len = pos->file_len;
		f.line = pos->line;
	}
	*xpush(s->frames, s->n_frames, s->cap_frames) = f;
	return &s->frames[s->n_frames - 1];
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
	const char *alias;
	size_t n = 0;

	if (!elfsym_find(s, addr + s->bias, &func))
		return;
	if (s->dwarf != NULL) {
		n = dwarf_calls(
		    s->dwarf, addr, func.name, calls, INLINED_MAX, &s->damage);
		dwarf_line(s->dwarf, addr, &pos, &s->damage);
	}
	if (n > 0 && !(s->flags & ELFSYM_INLINE)) {
		pos = calls[n - 1].from;
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (calls[i].name_len > 0)
			add_frame(s, calls[i].name, calls[i].name_len, &pos)
			    ->inlined = true;
		pos = calls[i].from;
	}
	f = add_frame(s, func.name, func.len, &pos);
	if (s->tails == NULL)
		return;
	alias = elftails_alias(
	    s->tails, func.start - s->bias, func.name, &s->damage);
	if (alias != NULL) {
		f->name = alias;
		f->name_len = (uint32_t)strlen(alias);
	}
}

static bool
is_of(const void *found, uint32_t id, const void *addr)
{
	return ((const struct found *)found)[id].addr ==
	       *(const uint64_t *)addr;
}

size_t
elfsym_frames(
    struct elfsym *s, uint64_t addr, const struct elfsym_frame **frames)
{
	const uint64_t at = addr - s->bias;
	const uint64_t hash = at * UINT64_C(0x9e3779b97f4a7c15);
	const struct found *f;
	uint32_t id;

	if (s->slots.n >= CACHE_MAX || s->n_frames >= FRAMES_MAX) {
		slots_clear(&s->slots);
		s->n_frames = 0;
	}
	id = slots_find(&s->slots, hash, is_of, s->found, &at);
	if (id == SLOTS_NONE) {
		const uint32_t first = (uint32_t)s->n_frames;

		errno = 0;
		resolve(s, at);
		check_system(s);
		id = s->slots.n;
		slots_add(&s->slots, hash);
		*xitem(s->found, id, s->cap_found) =
		    (struct found){at, first, (uint32_t)s->n_frames - first};
	}
	f = &s->found[id];
	*frames = f->n > 0 ? s->frames + f->first : NULL;
	return f->n;
}

size_t
elfsym_tails(struct elfsym *s, uint64_t ret, uint64_t addr,
    uint64_t pc[ELFSYM_TAILS_MAX])
{
	struct elfsym_func func;
	size_t n;

	if (s->tails == NULL || !elfsym_find(s, addr, &func))
		return 0;
	errno = 0;
	n = elftails_find(
	    s->tails, ret - s->bias, func.start - s->bias, pc, &s->damage);
	check_system(s);
	for (size_t i = 0; i < n; i++)
		pc[i] += s->bias;
	return n;
}

bool
elfsym_section(struct elfsym *s, const char *name, uint64_t *addr,
    uint64_t *size, const unsigned char **data)
{
	struct elf_section sec;
	struct buf err = BUF_INIT;
	int status;

	errno = 0;
	status = elf_find_section(s->file->elf, name, &sec, &err);
	check_system(s);
	note_damage(s, &err);
	buf_done(&err);
	if (status != 0)
		return false;
	*addr = sec.addr + s->bias;
	*size = sec.size;
	*data = sec.len >= sec.size ? sec.data : NULL;
	return true;
}

bool
elfsym_nth_code(struct elfsym *s, size_t i, uint64_t *addr, uint64_t *size,
    const unsigned char **data)
{
	struct elf_section sec;

	if (!elf_nth_code(s->file->elf, i, &sec))
		return false;
	*addr = sec.addr + s->bias;
	*size = sec.size;
	*data = sec.data;
	return true;
}

struct elfsym_code
elfsym_code(struct elfsym *s, uint64_t addr)
{
	struct elfsym_code c = {.machine = s->file->machine,
	    .low = s->file->image.start + s->bias,
	    .high = s->file->image.end + s->bias};

	errno = 0;
	c.p = elf_code(s->file->elf, addr - s->bias, &c.n);
	check_system(s);
	return c;
}

void
elfsym_rows(struct elfsym *s,
    void (*row)(void *ctx, const struct elfsym_row *r), void *ctx)
{
	if (s->dwarf != NULL)
		dwarf_rows(s->dwarf, row, ctx, &s->damage);
	check_system(s);
}
