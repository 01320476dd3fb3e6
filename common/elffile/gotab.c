/* SPDX-License-Identifier: ISC */
/*
 * Format: src/internal/abi/symtab.go and src/runtime/symtab.go of Go. A header
 * has the places of the parts; a list has a function's offset from the text and
 * the place of what is told of it, two words of 32 bits.
 */
#include "elffile/gotab.h"

#include <string.h>

#include <gelf.h>

#include "base/buf.h"
#include "base/num.h"
#include "elffile/elffile.h"

enum { HEADER = 72, ALIGN = 32, ENTRY = 8, FUNCTIONS_MAX = 1 << 24 };

/* Where a header has what: words of 8 bytes. */
enum {
	AT_STEP = 6,
	AT_N = 8,
	AT_TEXT = 24,
	AT_NAME = 32,
	AT_PC = 56,
	AT_FUNC = 64
};

/* What is told of a function; since 1.20 a word more before AT_ID. */
enum { AT_SYM = 4, AT_SP = 16, AT_ID = 36, AT_FLAG, FUNC_LEN = 44 };

enum { ID_PREEMPT = 3, FLAG_TOP = 1, FLAG_MOVES_SP = 2 };

/* The steps of a function's table; those of larger ones are left out. */
enum { STEPS_MAX = 1 << 12, DEPTH_MAX = 1 << 30 };

static uint32_t
load32(const uint8_t *p)
{
	return (uint32_t)uint_load(p, 4, false);
}

/* The part of the table whose place is at `at` of the header; NULL: none. */
static const uint8_t *
part(const uint8_t *table, size_t len, unsigned at)
{
	const uint64_t off = uint_load(table + at, 8, false);

	return off < len ? table + off : NULL;
}

/* A section whose bytes are an array of relocations. */
static uint64_t
addend_in(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t at)
{
	Elf_Data *d = sh->sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	GElf_Rela r;

	for (int i = 0; d != NULL && gelf_getrela(d, i, &r) != NULL; i++)
		if (r.r_offset == at)
			return (uint64_t)r.r_addend;
	return 0;
}

/* What the linker has left to relocations, of a program without a fixed place.
 */
static uint64_t
relocated(Elf *elf, uint64_t at)
{
	Elf_Scn *scn = NULL;
	uint64_t to = 0;
	GElf_Shdr sh;

	while (to == 0 && (scn = elf_nextscn(elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL)
			to = addend_in(scn, &sh, at);
	return to;
}

/* A header: its version, and steps of one byte or four, words of eight. */
static bool
is_header(const uint8_t *p)
{
	const uint32_t magic = load32(p), form = load32(p + 4);

	return (magic == 0xfffffff0 || magic == 0xfffffff1) &&
	       (form == 0x08010000 || form == 0x08040000);
}

/* The table; where a C linker has put it among others, by its header. */
static bool
find(Elf *elf, struct elf_section *s)
{
	static const char *const names[] = {
	    ".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"};
	struct buf err = BUF_INIT;

	/* Other programs are not searched. */
	if (elf_find_section(elf, ".go.buildinfo", s, &err) != 0 &&
	    elf_find_section(elf, names[0], s, &err) != 0) {
		buf_done(&err);
		return false;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (elf_find_section(elf, names[i], s, &err) != 0 ||
		    s->data == NULL)
			continue;
		for (size_t at = 0; at + HEADER <= s->len; at += ALIGN) {
			if (!is_header(s->data + at))
				continue;
			s->data += at;
			s->len -= at;
			s->addr += at;
			buf_done(&err);
			return true;
		}
	}
	buf_done(&err);
	return false;
}

void
gotab_read(struct gotab *t, struct Elf *elf)
{
	struct elf_section s;
	uint64_t n;

	memset(t, 0, sizeof *t);
	if (!find(elf, &s))
		return;
	n = uint_load(s.data + AT_N, 8, false);
	t->text = uint_load(s.data + AT_TEXT, 8, false);
	if (t->text == 0)
		t->text = relocated(elf, s.addr + AT_TEXT);
	t->step = s.data[AT_STEP];
	t->name = part(s.data, s.len, AT_NAME);
	t->pc = part(s.data, s.len, AT_PC);
	t->func = part(s.data, s.len, AT_FUNC);
	t->end = t->names = s.data + s.len;
	t->line = load32(s.data) == 0xfffffff1;
	while (t->names > s.data && t->names[-1] != 0)
		t->names--;
	/* the list ends with where the last function ends */
	if (t->text != 0 && t->name != NULL && t->pc != NULL &&
	    t->func != NULL && n <= FUNCTIONS_MAX &&
	    (size_t)(t->end - t->func) >= n * ENTRY + 4)
		t->n = n;
}

/* The string of the table's names at an offset; NULL: none. */
static const char *
name_at(const struct gotab *t, uint32_t off)
{
	return t->names > t->name && off < (size_t)(t->names - t->name) &&
		       t->name[off] != 0
		   ? (const char *)t->name + off
		   : NULL;
}

bool
gotab_at(const struct gotab *t, size_t i, struct gofunc *f)
{
	const uint8_t *entry = t->func + i * ENTRY, *p;
	const size_t len = (size_t)(t->end - t->func);
	uint32_t at, sp;

	if (i >= t->n)
		return false;
	at = load32(entry + 4);
	if (at > len || len - at < FUNC_LEN)
		return false;
	p = t->func + at;
	*f = (struct gofunc){.addr = t->text + load32(entry),
	    .end = t->text + load32(entry + ENTRY),
	    .name = name_at(t, load32(p + AT_SYM))};
	sp = load32(p + AT_SP);
	if (sp != 0 && sp < (size_t)(t->end - t->pc))
		f->sp = t->pc + sp;
	p += t->line ? 4 : 0;
	f->top = (p[AT_FLAG] & FLAG_TOP) != 0;
	f->moves_sp = (p[AT_FLAG] & FLAG_MOVES_SP) != 0;
	f->injected = p[AT_ID] == ID_PREEMPT;
	return f->name != NULL && f->end > f->addr;
}

bool
gotab_find(const struct gotab *t, uint64_t addr, struct gofunc *f)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (t->text + load32(t->func + mid * ENTRY) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && gotab_at(t, low - 1, f) && addr >= f->addr &&
	       addr < f->end;
}

/* A number of seven bits a byte; false: it does not end. */
static bool
take(const uint8_t **p, const uint8_t *end, uint32_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p < end && shift < 35; shift += 7) {
		const uint8_t byte = *(*p)++;

		*v |= (uint32_t)((uint64_t)(byte & 0x7f) << shift);
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Pairs: by how much the depth differs from that before, for how many steps. */
int64_t
gotab_depth(const struct gotab *t, const struct gofunc *f, uint64_t addr)
{
	const uint8_t *p = f->sp;
	uint64_t pc = f->addr;
	int64_t depth = -1;
	uint32_t more, bytes;

	for (unsigned i = 0; p != NULL && i < STEPS_MAX; i++) {
		if (!take(&p, t->end, &more) || (more == 0 && i > 0) ||
		    !take(&p, t->end, &bytes))
			break;
		depth += (int32_t)(more >> 1 ^ (0 - (more & 1)));
		pc += (uint64_t)bytes * t->step;
		if (addr < pc)
			return depth >= 0 && depth <= DEPTH_MAX ? depth : -1;
	}
	return -1;
}
