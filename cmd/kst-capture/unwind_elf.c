/* SPDX-License-Identifier: ISC */
/*
 * Knows libdw and libelf: reads call frame information into rows and keeps
 * the rows by address, since the same return addresses come again and again.
 */
#include "unwind_elf.h"
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dwop.h"
#include "hash.h"
#include "unwind_expr.h"
#include "xalloc.h"

enum { SEGMENTS = 256, ROWS = 1 << 14, PROBES = 8, EXPRS = 4096 };

struct segment {
	uint64_t addr, filesz, memsz, off;
};

struct entry {
	uint64_t addr;
	enum { EMPTY, NONE, BAD, ROW } kind;
	struct urow *row;
};

struct uelf {
	const struct unwind_abi *abi;
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi[2]; /* .eh_frame, .debug_frame */
	struct segment seg[SEGMENTS];
	size_t n_seg;
	uint64_t *func;
	size_t n_func;
	const char *image;
	size_t image_size;
	struct entry *cache; /* ROWS of them, open addressing */
	struct uexpr *expr;
	size_t n_expr;
};

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
load_segments(struct uelf *e)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(e->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && e->n_seg < SEGMENTS; i++) {
		if (gelf_getphdr(e->elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_memsz == 0 ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		e->seg[e->n_seg++] = (struct segment){ph.p_vaddr,
		    ph.p_filesz < ph.p_memsz ? ph.p_filesz : ph.p_memsz,
		    ph.p_memsz, ph.p_offset};
	}
}

/* The values of all symbols that can be code, sorted. */
static void
load_functions(struct uelf *e, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Sym sym;

	if (data == NULL || n > INT32_MAX)
		return;
	for (size_t i = 0; i < n; i++) {
		int type;

		if (gelf_getsym(data, (int)i, &sym) == NULL)
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if (sym.st_shndx == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_NOTYPE) ||
		    !uelf_holds(e, sym.st_value))
			continue;
		if ((e->n_func & (e->n_func - 1)) == 0)
			e->func = xreallocn(e->func,
			    e->n_func ? 2 * e->n_func : 64, sizeof(*e->func));
		if (e->n_func == 0)
			e->func[0] = 0;
		e->func[e->n_func++] = sym.st_value;
	}
}

static void
load_symbols(struct uelf *e)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(e->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			load_functions(e, scn, &sh);
	if (e->n_func)
		qsort(e->func, e->n_func, sizeof(*e->func), compare_u64);
}

static void
load_cfi(struct uelf *e)
{
	Dwarf_Frame *frame;

	e->cfi[0] = dwarf_getcfi_elf(e->elf);
	e->dwarf = dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	if (e->dwarf != NULL)
		e->cfi[1] = dwarf_getcfi(e->dwarf);
	/* A search that fails reads all: not for the first time in a stop. */
	for (int i = 0; i < 2; i++)
		if (e->cfi[i] != NULL &&
		    dwarf_cfi_addrframe(e->cfi[i], UINT64_MAX, &frame) == 0)
			free(frame);
}

static const char *
load(struct uelf *e)
{
	GElf_Ehdr eh;
	char *raw;

	if (e->elf == NULL || elf_kind(e->elf) != ELF_K_ELF ||
	    gelf_getehdr(e->elf, &eh) == NULL)
		return "not an ELF file";
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file of 64 bits";
	if (eh.e_machine != e->abi->machine)
		return "the ELF file is for another machine";
	raw = elf_rawfile(e->elf, &e->image_size);
	e->image = raw;
	load_segments(e);
	if (e->n_seg == 0)
		return "the ELF file has no segment to load";
	load_symbols(e);
	load_cfi(e);
	return NULL;
}

struct uelf *
uelf_open(const char *path, const struct unwind_abi *abi, const char **why)
{
	struct uelf *e = xcalloc(1, sizeof(*e));

	e->abi = abi;
	e->cache = xcalloc(ROWS, sizeof(*e->cache));
	elf_version(EV_CURRENT);
	e->fd = open(path, O_RDONLY | O_CLOEXEC);
	*why = "cannot be opened";
	if (e->fd >= 0) {
		e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
		*why = load(e);
	}
	if (*why == NULL)
		return e;
	uelf_close(e);
	return NULL;
}

static void
forget_rows(struct uelf *e)
{
	for (size_t i = 0; i < ROWS; i++) {
		free(e->cache[i].row);
		e->cache[i] = (struct entry){0};
	}
	for (size_t i = 0; i < e->n_expr; i++)
		free(e->expr[i].op);
	e->n_expr = 0;
}

void
uelf_close(struct uelf *e)
{
	forget_rows(e);
	free(e->cache);
	free(e->expr);
	free(e->func);
	if (e->cfi[0] != NULL)
		dwarf_cfi_end(e->cfi[0]);
	if (e->dwarf != NULL)
		dwarf_end(e->dwarf);
	if (e->elf != NULL)
		elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e);
}

void
uelf_span(const struct uelf *e, uint64_t *low, uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; i < e->n_seg; i++) {
		const struct segment *s = &e->seg[i];

		if (s->addr < *low)
			*low = s->addr;
		if (s->addr + s->memsz > *high)
			*high = s->addr + s->memsz;
	}
}

bool
uelf_holds(const struct uelf *e, uint64_t addr)
{
	for (size_t i = 0; i < e->n_seg; i++)
		if (addr - e->seg[i].addr < e->seg[i].memsz)
			return true;
	return false;
}

size_t
uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n)
{
	for (size_t i = 0; i < e->n_seg; i++) {
		const struct segment *s = &e->seg[i];
		uint64_t at = addr - s->addr, off = s->off + at;

		if (at >= s->filesz || e->image == NULL || off < s->off ||
		    off >= e->image_size)
			continue;
		if (n > s->filesz - at)
			n = (size_t)(s->filesz - at);
		if (n > e->image_size - off)
			n = (size_t)(e->image_size - off);
		memcpy(to, e->image + off, n);
		return n;
	}
	return 0;
}

uint64_t
uelf_function(const struct uelf *e, uint64_t addr)
{
	size_t low = 0, high = e->n_func;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->func[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? e->func[low - 1] : 0;
}

/* An expression that has no simple form is kept; returns its number. */
static int64_t
keep_expr(struct uelf *e, const Dwarf_Op *ops, size_t n)
{
	struct uexpr *x;

	if (n > UEXPR_OPS || e->n_expr >= EXPRS)
		return -1;
	if (e->expr == NULL)
		e->expr = xcalloc(EXPRS, sizeof(*e->expr));
	x = &e->expr[e->n_expr];
	x->n = n;
	x->op = xcalloc(n ? n : 1, sizeof(*x->op));
	for (size_t i = 0; i < n; i++)
		x->op[i] = (struct uexpr_op){
		    ops[i].atom, ops[i].number, ops[i].number2, ops[i].offset};
	return (int64_t)e->n_expr++;
}

static int
row_cfa(struct uelf *e, struct urow *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0)
		return -1;
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < e->abi->n) {
		row->cfa_reg = (uint8_t)ops[0].number;
		row->cfa_off = (int64_t)ops[0].number2;
		return 0;
	}
	row->by_expr = true;
	row->cfa_off = keep_expr(e, ops, n);
	return row->cfa_off < 0 ? -1 : 0;
}

/* CFA, CFA + n, either as a place or as a value, and a register are simple. */
static int
row_rule(struct uelf *e, struct rule *r, const Dwarf_Op *ops, size_t n)
{
	bool value = n > 1 && ops[n - 1].atom == DW_OP_stack_value;
	size_t m = value ? n - 1 : n;

	if (ops[0].atom == DW_OP_call_frame_cfa &&
	    (m == 1 || (m == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		r->how = value ? RULE_VALUE : RULE_AT;
		r->off = m == 2 ? (int64_t)ops[1].number : 0;
		return 0;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		r->how = RULE_REG;
		r->off = ops[0].atom - DW_OP_reg0;
		return r->off < e->abi->n ? 0 : -1;
	}
	r->how = RULE_EXPR;
	r->off = keep_expr(e, ops, n);
	return r->off < 0 ? -1 : 0;
}

static int
row_fill(struct uelf *e, struct urow *row, Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	size_t n;
	int ra = dwarf_frame_info(frame, NULL, NULL, &row->signal);

	if (ra != e->abi->ra || row_cfa(e, row, frame) != 0)
		return -1;
	for (int reg = 0; reg < e->abi->n; reg++) {
		struct rule *r = &row->rule[row->n];

		/* A pc of its own number has no rule. */
		if (reg == e->abi->pc && reg != ra)
			continue;
		if (dwarf_frame_register(frame, reg, mem, &ops, &n) != 0)
			return -1;
		if (n == 0 && ops == NULL)
			continue; /* unchanged */
		r->reg = (uint8_t)reg;
		if (n == 0)
			r->how = RULE_LOST;
		else if (row_rule(e, r, ops, n) != 0)
			return -1;
		row->n++;
	}
	return 0;
}

static void
look_up(struct uelf *e, struct entry *c)
{
	Dwarf_Frame *frame;
	struct urow row;

	c->kind = NONE;
	for (int i = 0; i < 2; i++) {
		if (e->cfi[i] == NULL ||
		    dwarf_cfi_addrframe(e->cfi[i], c->addr, &frame) != 0)
			continue;
		memset(&row, 0, sizeof(row));
		c->kind = row_fill(e, &row, frame) == 0 ? ROW : BAD;
		free(frame);
		if (c->kind == ROW) {
			size_t n = offsetof(struct urow, rule) +
				   row.n * sizeof(row.rule[0]);

			c->row = xmalloc(sizeof(row));
			memcpy(c->row, &row, n);
			return;
		}
	}
}

const struct urow *
uelf_row(struct uelf *e, uint64_t addr, bool *bad)
{
	uint64_t h = hash_bytes(&addr, sizeof(addr));
	struct entry *c = NULL;

	*bad = false;
	if (e->n_expr > EXPRS - UNWIND_REGS - 1)
		forget_rows(e);
	for (size_t i = 0; i < PROBES; i++) {
		c = &e->cache[(h + i) % ROWS];
		if (c->kind == EMPTY || c->addr == addr)
			break;
	}
	if (c->kind != EMPTY && c->addr != addr) {
		free(c->row);
		*c = (struct entry){0};
	}
	if (c->kind == EMPTY) {
		c->addr = addr;
		look_up(e, c);
	}
	*bad = c->kind == BAD;
	return c->row;
}

enum uexpr_result
uelf_eval(const struct uelf *e, int64_t expr, const struct uexpr_env *env,
    uint64_t *value)
{
	return uexpr_run(&e->expr[expr], e->abi, env, value);
}
