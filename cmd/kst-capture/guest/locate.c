/* SPDX-License-Identifier: ISC */
/*
 * Finds a file in memory: images move by whole pages, so the bytes at a program
 * counter are compared with those at the same offset of each of the file's
 * pages. A page that fits tells the place, if code elsewhere fits too. Kernels
 * patch their code: half of the bytes are enough.
 *
 * Memory is read at program counters and where these lead, never on suspicion:
 * where a kernel of aarch64 would be without KASLR there are devices, of which
 * QEMU's interrupt controller ends the process when a debugger reads it.
 */
#include "guest/locate.h"
#include "guest/images.h"

#include <string.h>

#include "elf/elfsym.h"

enum {
	PAGE = 4096,
	CHUNK = 16,
	PROBES = 16, /* places of the code that are compared, and their bytes */
	PROBE = 32,
	NOTE = 128 /* bytes of a build-id, at most */
};

/* One section with code: where it is now, and its bytes in the file. */
struct section {
	uint64_t addr, size;
	const unsigned char *p;
};

static bool
code_fits(const struct section *c, const struct reader *r, struct likeness *l)
{
	*l = (struct likeness){0};
	for (uint64_t i = 0; i < PROBES; i++) {
		size_t n = c->size < PROBE ? (size_t)c->size : PROBE;
		uint64_t at = (c->size - n) / (PROBES - 1) * i;
		unsigned char seen[PROBE];

		if (r->read(r->arg, c->addr + at, seen, n) != 0)
			continue;
		l->places++;
		l->equal += memcmp(seen, c->p + at, n) == 0;
	}
	return l->places > 0 && l->equal * 2 >= l->places;
}

bool
locate_fits(struct elfsym *sym, const struct reader *r, struct likeness *l)
{
	struct section c = {0};

	return !elfsym_section(sym, ".text", &c.addr, &c.size, &c.p) ||
	       c.p == NULL || c.size == 0 || code_fits(&c, r, l);
}

int
locate_look(struct around *a, uint64_t pc, const struct reader *r)
{
	a->addr = images_around(pc);
	a->r = r;
	return r->read(r->arg, a->addr, a->bytes, sizeof a->bytes);
}

/*
 * Whether a piece is the file's, the first one being at `off` in it; or `half`
 * of them. Padding is everywhere.
 */
static bool
fits(const struct around *a, const unsigned char *code, uint64_t size,
    uint64_t off, bool half)
{
	size_t n = 0, seen = 0;

	for (size_t i = 0; i < IMAGES_AROUND; i += CHUNK) {
		const uint8_t *p = a->bytes + i;
		uint64_t at = off + i; /* may be before the code */

		if (at >= size || size - at < CHUNK ||
		    memcmp(p, p + 1, CHUNK - 1) == 0)
			continue;
		seen++;
		n += memcmp(code + at, p, CHUNK) == 0;
	}
	return n > 0 && (!half || n * 2 >= seen);
}

/*
 * A kernel of the upper half begins its life at the addresses of its physical
 * memory, but does not stay there.
 */
static bool
is_physical(uint64_t linked, uint64_t addr)
{
	return linked >> 63 && !(addr >> 63);
}

/*
 * Whether memory has a build-id where the file's belongs, and *same: that one.
 */
static bool
build_id_fits(struct elfsym *sym, const struct reader *r, bool *same)
{
	const unsigned char *note;
	uint64_t addr, size;
	uint8_t seen[NOTE];

	if (!elfsym_section(sym, ".note.gnu.build-id", &addr, &size, &note) ||
	    note == NULL || size > NOTE ||
	    r->read(r->arg, addr, seen, size) != 0)
		return false;
	*same = memcmp(seen, note, size) == 0;
	return true;
}

/* As locate(), by this code. */
static bool
locate_code(struct elfsym *sym, const struct section *c, const struct around *a,
    bool program)
{
	const uint64_t was = elfsym_bias(sym);
	struct likeness result;
	struct section moved = *c;
	uint64_t off;
	bool same;

	/* The first place at or before the code's beginning, page by page. */
	off = ((a->addr - c->addr) & (PAGE - 1)) - PAGE;
	for (; (int64_t)off < (int64_t)c->size; off += PAGE) {
		if (!fits(a, c->p, c->size, off, false) ||
		    is_physical(c->addr, a->addr - off))
			continue;
		moved.addr = a->addr - off;
		elfsym_move(sym, was + moved.addr - c->addr);
		if (program && build_id_fits(sym, a->r, &same)) {
			if (same)
				return true;
			continue;
		}
		/* A page of it that is mapped a second time is not enough. */
		if (code_fits(&moved, a->r, &result) &&
		    result.places * 2 >= PROBES)
			return true;
	}
	elfsym_move(sym, was);
	return false;
}

bool
locate(struct elfsym *sym, const struct around *a, bool program)
{
	struct section text = {0}, c;

	if (!elfsym_section(sym, ".text", &text.addr, &text.size, &text.p) ||
	    text.p == NULL)
		return false;
	if (locate_code(sym, &text, a, program))
		return true;
	/* U-Boot has most of its code in .text_rest. */
	for (size_t i = 0; elfsym_nth_code(sym, i, &c.addr, &c.size, &c.p); i++)
		if (c.size > text.size && c.p != NULL &&
		    locate_code(sym, &c, a, program))
			return true;
	return false;
}

/* What memory has at a page, and where that is in the file. */
struct page {
	uint8_t seen[PAGE];
	uint64_t own;
};

/*
 * Whether the file has the page in this code, or the kernel has it there in
 * memory, as it patches its code. *hidden: that may be, but that memory cannot
 * be read.
 */
static bool
is_page(const struct around *a, struct page *p, const unsigned char *code,
    uint64_t size, uint64_t off, bool *hidden)
{
	const uint64_t from = (int64_t)off < 0 ? -off : 0;
	const uint64_t to = size - off < PAGE ? size - off : PAGE;
	uint8_t own[PAGE];

	if (!fits(a, code, size, off + a->addr % PAGE, true))
		return false;
	if (memcmp(p->seen + from, code + off + from, to - from) == 0)
		return true;
	if (a->r->read(a->r->arg, p->own, own, PAGE) == 0)
		return memcmp(p->seen, own, PAGE) == 0;
	*hidden = true;
	return false;
}

bool
locate_page(
    struct elfsym *sym, const struct around *a, uint64_t *at, bool *hidden)
{
	const uint64_t page = a->addr & ~(uint64_t)(PAGE - 1);
	uint64_t addr, size, off;
	const unsigned char *code;
	struct page p;

	*hidden = false;
	if (a->r->read(a->r->arg, page, p.seen, PAGE) != 0)
		return false;
	for (size_t i = 0; elfsym_nth_code(sym, i, &addr, &size, &code); i++)
		for (off = -(addr & (PAGE - 1)); (int64_t)off < (int64_t)size;
		     off += PAGE) {
			*at = p.own = addr + off;
			if (is_page(a, &p, code, size, off, hidden))
				return true;
		}
	return false;
}

bool
locate_is_at(
    struct elfsym *sym, uint64_t bias, uint64_t pc, const struct around *a)
{
	const unsigned char *code;
	uint64_t addr, size;
	bool same;

	elfsym_move(sym, bias);
	if (!elfsym_covers(sym, pc) ||
	    !elfsym_section(sym, ".text", &addr, &size, &code) || code == NULL)
		return false;
	if (pc - addr < size)
		return fits(a, code, size, a->addr - addr, true);
	return build_id_fits(sym, a->r, &same) && same;
}
