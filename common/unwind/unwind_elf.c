/* SPDX-License-Identifier: ISC */
/*
 * Knows libelf: segments and symbols. The file stays mapped, for its code and
 * its call frame information.
 */
#include "unwind/unwind_elf.h"
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/frames.h"
#include "unwind/orc.h"
#include "unwind/unwind_cfi.h"
#include "base/bound.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/elffile.h"

enum { SEGMENTS = 256 };

struct segment {
	uint64_t addr, memsz;
	const uint8_t *code; /* what the file has of it, if it is code */
	size_t len;
};

struct uelf {
	const struct unwind_abi *abi;
	struct elffile *file;
	struct buf own; /* the file, when it is in memory */
	struct buf own_cfi;
	struct elffile *cfi_file; /* another one, for libdw; or NULL */
	Elf *elf;
	struct ucfi *cfi;
	struct orc *orc;
	struct segment seg[SEGMENTS];
	size_t n_seg;
	uint64_t *func;
	size_t n_func, cap_func;
};

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
load_code(struct uelf *e, struct segment *s, const GElf_Phdr *ph)
{
	uint64_t n = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz;
	size_t size;
	const char *image = elf_rawfile(e->elf, &size);

	if (!(ph->p_flags & PF_X) || image == NULL || ph->p_offset > size)
		return;
	s->code = (const uint8_t *)image + ph->p_offset;
	s->len = n < size - ph->p_offset ? n : size - ph->p_offset;
}

static void
load_segments(struct uelf *e)
{
	size_t n;
	GElf_Phdr ph;

	if (elf_getphdrnum(e->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && e->n_seg < SEGMENTS; i++) {
		struct segment *s = &e->seg[e->n_seg];

		if (gelf_getphdr(e->elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_memsz == 0 ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		s->addr = ph.p_vaddr;
		s->memsz = ph.p_memsz;
		load_code(e, s, &ph);
		e->n_seg++;
	}
}

/* `$x`, `$d`, `.L1`: an assembler's marks within a function. */
static bool
is_mark(const char *name)
{
	return name != NULL &&
	       (name[0] == '$' || (name[0] == '.' && name[1] == 'L'));
}

static bool
is_code(const struct uelf *e, uint64_t addr)
{
	for (size_t i = 0; i < e->n_seg; i++)
		if (addr - e->seg[i].addr < e->seg[i].memsz)
			return e->seg[i].code != NULL;
	return false;
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
		    !is_code(e, sym.st_value) ||
		    is_mark(elf_strptr(e->elf, sh->sh_link, sym.st_name)))
			continue;
		e->func = xgrow(
		    e->func, e->n_func + 1, &e->cap_func, sizeof *e->func);
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
		qsort(e->func, e->n_func, sizeof *e->func, compare_u64);
}

/* The contents of a section as they are in the file. */
static const uint8_t *
section(struct uelf *e, const char *name, uint64_t *addr, size_t *len)
{
	Elf_Scn *scn = NULL;
	const char *own;
	GElf_Shdr sh;
	Elf_Data *d;
	size_t names;

	*len = 0;
	if (elf_getshdrstrndx(e->elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL ||
		    sh.sh_type == SHT_NOBITS || sh.sh_flags & SHF_COMPRESSED)
			continue;
		own = elf_strptr(e->elf, names, sh.sh_name);
		if (own == NULL || strcmp(own, name) != 0)
			continue;
		d = elf_rawdata(scn, NULL);
		if (d == NULL || d->d_buf == NULL)
			return NULL;
		*addr = sh.sh_addr;
		*len = d->d_size;
		return d->d_buf;
	}
	return NULL;
}

static void
load_orc(struct uelf *e)
{
	struct orc_sections s = {0};
	uint64_t addr;

	s.ip = section(e, ".orc_unwind_ip", &s.ip_addr, &s.ip_len);
	s.entry = section(e, ".orc_unwind", &addr, &s.entry_len);
	s.header = section(e, ".orc_header", &addr, &s.header_len);
	e->orc = orc_new(&s);
}

/*
 * libdw 0.188 refuses what is for loongarch64, though nothing of it
 * depends on the processor: so it gets the sections as if for riscv64, whose
 * return addresses are in the same register.
 */
static void
load_cfi(struct uelf *e)
{
	struct buf err = BUF_INIT;
	struct frames f[FRAMES_N] = {{0}};
	Elf *elf = e->elf;

	if (e->abi->machine == EM_LOONGARCH) {
		f[FRAMES_EH].p = section(
		    e, ".eh_frame", &f[FRAMES_EH].addr, &f[FRAMES_EH].n);
		f[FRAMES_DEBUG].p = section(e, ".debug_frame",
		    &f[FRAMES_DEBUG].addr, &f[FRAMES_DEBUG].n);
		frames_file(&e->own_cfi, EM_RISCV, 0, 0, f);
		e->cfi_file =
		    elffile_memory(e->own_cfi.p, e->own_cfi.len, &err);
		buf_done(&err);
		if (e->cfi_file != NULL)
			elf = e->cfi_file->elf;
	}
	e->cfi = ucfi_new(elf, e->abi);
}

static const char *
load(struct uelf *e)
{
	GElf_Ehdr eh;

	if (gelf_getehdr(e->elf, &eh) == NULL)
		return "not an ELF file";
	if (eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file";
	if (eh.e_machine != e->abi->machine ||
	    eh.e_ident[EI_CLASS] !=
		(e->abi->word == 4 ? ELFCLASS32 : ELFCLASS64))
		return "the ELF file is for another machine";
	load_segments(e);
	if (e->n_seg == 0)
		return "the ELF file has no segment to load";
	load_symbols(e);
	load_cfi(e);
	if (e->abi->machine == EM_X86_64)
		load_orc(e);
	return NULL;
}

struct uelf *
uelf_frames(const struct unwind_abi *abi, uint64_t text, uint64_t size,
    uint64_t eh_addr, const uint8_t *eh, size_t n)
{
	const struct frames f[FRAMES_N] = {{eh_addr, eh, n}};
	struct uelf *e = xcalloc(1, sizeof *e);
	struct buf err = BUF_INIT;

	e->abi = abi;
	frames_file(&e->own, abi->machine, text, size, f);
	e->file = elffile_memory(e->own.p, e->own.len, &err);
	buf_done(&err);
	if (e->file != NULL) {
		e->elf = e->file->elf;
		if (load(e) == NULL && ucfi_any(e->cfi))
			return e;
	}
	uelf_close(e);
	return NULL;
}

struct uelf *
uelf_open(const char *path, const struct unwind_abi *abi, const char **why)
{
	struct uelf *e = xcalloc(1, sizeof *e);
	struct buf err = BUF_INIT;

	e->abi = abi;
	e->file = elffile_open(path, true, &err);
	buf_done(&err);
	*why = "cannot be opened";
	if (e->file != NULL) {
		e->elf = e->file->elf;
		*why = load(e);
	}
	if (*why == NULL)
		return e;
	uelf_close(e);
	return NULL;
}

void
uelf_close(struct uelf *e)
{
	ucfi_free(e->cfi);
	orc_free(e->orc);
	free(e->func);
	elffile_close(e->cfi_file);
	elffile_close(e->file);
	buf_done(&e->own_cfi);
	buf_done(&e->own);
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

const uint8_t *
uelf_code(const struct uelf *e, uint64_t addr, size_t *n)
{
	for (size_t i = 0; i < e->n_seg; i++) {
		const struct segment *s = &e->seg[i];

		if (addr - s->addr < s->len) {
			*n = s->len - (size_t)(addr - s->addr);
			return s->code + (addr - s->addr);
		}
	}
	*n = 0;
	return NULL;
}

size_t
uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n)
{
	size_t have;
	const uint8_t *code = uelf_code(e, addr, &have);

	if (n > have)
		n = have;
	if (n > 0)
		memcpy(to, code, n);
	return n;
}

uint64_t
uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end)
{
	size_t i = bound_above(e->func, e->n_func, sizeof *e->func, 0, addr);

	*end = i < e->n_func ? e->func[i] : UINT64_MAX;
	return i ? e->func[i - 1] : 0;
}

uint64_t
uelf_sample(const struct uelf *e, size_t i, size_t n)
{
	if (n > e->n_func)
		n = e->n_func;
	return i < n ? e->func[i * e->n_func / n] : 0;
}

struct ucfi *
uelf_cfi(const struct uelf *e)
{
	return e->cfi;
}

const struct orc *
uelf_orc(const struct uelf *e)
{
	return e->orc;
}
