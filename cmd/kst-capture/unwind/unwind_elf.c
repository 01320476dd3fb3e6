/* SPDX-License-Identifier: ISC */
/*
 * Knows libelf: segments and symbols. What is needed later is read at once.
 */
#include "unwind/unwind_elf.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unwind/orc.h"
#include "unwind/unwind_cfi.h"
#include "base/bound.h"
#include "base/xalloc.h"

enum { SEGMENTS = 256 };

struct segment {
	uint64_t addr, memsz;
	const uint8_t *code; /* what the file has of it, if it is code */
	size_t len;
};

struct uelf {
	const struct unwind_abi *abi;
	int fd;
	Elf *elf;
	struct ucfi *cfi;
	struct orc *orc;
	struct segment seg[SEGMENTS];
	size_t n_seg;
	uint64_t size, code_size; /* of the file; what was read of its code */
	uint64_t *func;
	size_t n_func, cap_func;
};

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each byte of the file is read once: segments may lie over each other. */
static void
load_code(struct uelf *e, struct segment *s, const GElf_Phdr *ph)
{
	uint64_t n = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz;
	Elf_Data *d;

	if (!(ph->p_flags & PF_X) || ph->p_offset > e->size ||
	    n > e->size - e->code_size)
		return;
	if (n > e->size - ph->p_offset)
		n = e->size - ph->p_offset;
	d = elf_getdata_rawchunk(
	    e->elf, (int64_t)ph->p_offset, (size_t)n, ELF_T_BYTE);
	if (d == NULL || d->d_buf == NULL)
		return;
	s->code = d->d_buf;
	s->len = (size_t)n;
	e->code_size += n;
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
		    !uelf_holds(e, sym.st_value) ||
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
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type == SHT_NOBITS)
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

static const char *
load(struct uelf *e)
{
	GElf_Ehdr eh;

	if (e->elf == NULL || elf_kind(e->elf) != ELF_K_ELF ||
	    gelf_getehdr(e->elf, &eh) == NULL)
		return "not an ELF file";
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file of 64 bits";
	if (eh.e_machine != e->abi->machine)
		return "the ELF file is for another machine";
	load_segments(e);
	if (e->n_seg == 0)
		return "the ELF file has no segment to load";
	load_symbols(e);
	e->cfi = ucfi_new(e->elf, e->abi);
	if (e->abi->machine == EM_X86_64)
		load_orc(e);
	return NULL;
}

struct uelf *
uelf_open(const char *path, const struct unwind_abi *abi, const char **why)
{
	struct uelf *e = xcalloc(1, sizeof *e);
	struct stat st;

	e->abi = abi;
	elf_version(EV_CURRENT);
	e->fd = open(path, O_RDONLY | O_CLOEXEC);
	*why = "cannot be opened";
	if (e->fd >= 0 && fstat(e->fd, &st) == 0) {
		e->size = (uint64_t)st.st_size;
		/* Not mapped: a kernel that is built anew meanwhile is cut. */
		e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
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
		uint64_t at = addr - s->addr;

		if (at >= s->len)
			continue;
		if (n > s->len - at)
			n = (size_t)(s->len - at);
		memcpy(to, s->code + at, n);
		return n;
	}
	return 0;
}

uint64_t
uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end)
{
	size_t i = bound_above(e->func, e->n_func, sizeof *e->func, 0, addr);

	*end = i < e->n_func ? e->func[i] : UINT64_MAX;
	return i ? e->func[i - 1] : 0;
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
