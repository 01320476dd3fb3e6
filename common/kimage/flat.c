/* SPDX-License-Identifier: ISC */
/*
 * An Image of arm64, riscv64 or loongarch64: bytes that are loaded as they are.
 * Only relocations, and pointers in the data, tell the addresses. That of arm
 * is linked for addresses that its symbols have, but where it begins is not
 * told.
 */
#include "kimage/flat.h"

#include <stdlib.h>
#include <string.h>

#include "set/bound.h"
#include "base/num.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/ksyms.h"
#include "kimage/kallsyms.h"
#include "kimage/view.h"

enum {
	HEADER = 64,
	ALIGN = 2 << 20, /* of a kernel's address */
	POINTERS =
	    PORT_LIMIT(1 << 15, 1 << 9), /* that tell where an image is */
	LOOKS =
	    PORT_LIMIT(1 << 20, 1 << 13), /* words in which they are sought */
	SAMPLES = 4096, /* of them, held against the symbols */
	ENOUGH = 16	/* that fit */
};

/* arm: an image begins 32 KiB after so many bytes; how many ways are tried. */
enum { ARM_ALIGN = 1 << 20, ARM_BEGIN = 32 << 10, ARM_BASES = 64 };

#define LOONGARCH_MAGIC 0x818223cd

unsigned
flat_machine(const uint8_t *p, size_t len)
{
	if (len < HEADER)
		return EM_NONE;
	if (memcmp(p + 56, "ARM\144", 4) == 0)
		return EM_AARCH64;
	if (memcmp(p + 56, "RSC\005", 4) == 0)
		return EM_RISCV;
	if (memcmp(p, "MZ", 2) == 0 &&
	    uint_load(p + 56, 4, false) == LOONGARCH_MAGIC)
		return 258; /* EM_LOONGARCH, later than some systems' elf.h */
	return EM_NONE;
}

/* Pointers to a kernel, as far as their first bits tell, sorted. */
static size_t
find_pointers(const uint8_t *p, size_t len, uint64_t *to)
{
	const size_t step = 8 * (len / 8 / LOOKS + 1);
	size_t n = 0;

	for (size_t at = 0; at + 8 <= len && n < POINTERS; at += step) {
		const uint64_t v = uint_load(p + at, 8, false);

		if ((v >> 48 == 0xffff || v >> 48 == 0x9000) &&
		    v < UINT64_MAX - ALIGN)
			to[n++] = v;
	}
	qsort(to, n, sizeof *to, bound_compare);
	return n;
}

/* How many of some pointers are at a symbol of a kernel at `base`. */
static size_t
count_fits(const uint64_t *v, size_t n, const struct ksyms *k, uint64_t base)
{
	size_t fit = 0;

	for (size_t i = 0; i < n; i += n / SAMPLES + 1) {
		const size_t s = bound_above(k->v, k->n, sizeof *k->v,
		    offsetof(Elf64_Sym, st_value), v[i] - base);

		fit += s > 1 && k->v[s - 1].st_value == v[i] - base;
	}
	return fit;
}

/*
 * Where the table's addresses begin, at one of the places of the lowest
 * pointers in the image: most of the pointers are at a symbol then. The lowest
 * symbol is the image's beginning, or the first one after the headers, which
 * have 4 or 64 KiB. 0: none fits.
 */
static uint64_t
find_base(const uint8_t *p, size_t len, const struct ksyms *k)
{
	static const unsigned headers[] = {0, 64 << 10, 4 << 10};
	uint64_t *v = xreallocn(NULL, POINTERS, sizeof *v), best = 0;
	size_t n = find_pointers(p, len, v), most = ENOUGH;

	for (size_t i = 0; i < n; i++) {
		const uint64_t place = v[i] & ~(uint64_t)(ALIGN - 1);

		for (int h = 0; h < 3 && (i == 0 || v[i - 1] < place); h++) {
			const uint64_t base = place + headers[h];
			const size_t fit = count_fits(v, n, k, base);

			if (fit > most)
				best = base;
			most = fit > most ? fit : most;
		}
	}
	free(v);
	return best;
}

/*
 * How many functions of arm begin as they do with the image at `base`: by a
 * push of registers, lr among them.
 */
static size_t
count_begun(const uint8_t *p, size_t len, const struct ksyms *k, uint64_t base)
{
	size_t fit = 0;

	for (size_t i = 1; i < k->n; i += k->n / SAMPLES + 1) {
		const uint64_t at = k->v[i].st_value - base;

		fit += at < len && len - at >= 4 &&
		       (uint_load(p + at, 4, false) & 0xffff4000) == 0xe92d4000;
	}
	return fit;
}

/* Where an image of arm begins, below its lowest symbol. 0: nowhere. */
static uint64_t
find_arm_base(const uint8_t *p, size_t len, const struct ksyms *k)
{
	uint64_t at, best = 0;
	size_t most = ENOUGH;

	at = k->v[1].st_value;
	at -= (at - ARM_BEGIN) % ARM_ALIGN;
	for (int i = 0; i < ARM_BASES && at >= ARM_ALIGN;
	     i++, at -= ARM_ALIGN) {
		const size_t fit = count_begun(p, len, k, at);

		if (fit > most)
			best = at;
		most = fit > most ? fit : most;
	}
	return best;
}

/* A symbol's address; 0 without it. */
static uint64_t
find_symbol(const struct ksyms *k, const char *name)
{
	for (size_t i = 1; i < k->n; i++)
		if (strcmp(k->names.p + k->v[i].st_name, name) == 0)
			return k->v[i].st_value;
	return 0;
}

/* An image without headers: all of it is one segment. */
static void
add_flat(struct view *v, const struct ksyms *k, uint64_t base)
{
	const uint64_t notes = find_symbol(k, "__start_notes");
	const uint64_t size =
	    v->machine == EM_ARM ? 0 : uint_load(v->p + 16, 8, false);

	v->segment[v->n_segment++] = (Elf64_Phdr){.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_W | PF_X,
	    .p_offset = VIEW_GAP,
	    .p_vaddr = base,
	    .p_filesz = v->len,
	    .p_memsz = size > v->len ? size : v->len};
	view_code(v, k, base);
	view_section(v, ".notes",
	    (Elf64_Shdr){.sh_type = SHT_NOTE,
		.sh_flags = SHF_ALLOC,
		.sh_addr = notes,
		.sh_offset = notes - base,
		.sh_size = find_symbol(k, "__stop_notes") - notes,
		.sh_addralign = 4});
}

static bool
read_arm(struct view *v, struct ksyms *k)
{
	uint64_t base;

	k->narrow = true;
	kallsyms_read(v->p, v->len, k);
	base = k->n > 0 && k->from == KSYMS_ZERO
		   ? find_arm_base(v->p, v->len, k)
		   : 0;
	if (base == 0)
		return false;
	ksyms_move(k, 0);
	/* The vectors are copied to where their symbols are. */
	while (k->n > 1 && k->v[k->n - 1].st_value >= base + v->len)
		k->n--;
	add_flat(v, k, base);
	return true;
}

bool
flat_read(struct view *v, struct ksyms *k)
{
	uint64_t base;

	if (v->machine == EM_ARM)
		return read_arm(v, k);
	kallsyms_read(v->p, v->len, k);
	base = k->from == KSYMS_ZERO ? 0 : find_base(v->p, v->len, k);
	if (k->n == 0 || (k->from != KSYMS_ZERO && base == 0))
		return false;
	ksyms_move(k, base);
	add_flat(v, k, k->v[1].st_value & ~(uint64_t)(ALIGN - 1));
	return true;
}
