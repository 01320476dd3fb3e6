/* SPDX-License-Identifier: ISC */
/* The file stays mapped, for its code and its call frame information. */
#include "cfi/uelf.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "set/bound.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "elffile/elffile.h"
#include "elffile/elffuncs.h"
#include "kimage/view.h"

static void
load_code(struct uelf *e, struct segment *s, const GElf_Phdr *ph)
{
	uint64_t n = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz;
	size_t size;
	const char *image = elf_rawfile(e->file->elf, &size);

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

	e->low = UINT64_MAX;
	if (elf_getphdrnum(e->file->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && e->n_seg < SEGMENTS; i++) {
		struct segment *s = &e->seg[e->n_seg];

		if (gelf_getphdr(e->file->elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_memsz == 0 ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		s->addr = ph.p_vaddr;
		s->memsz = ph.p_memsz;
		load_code(e, s, &ph);
		e->low = s->addr < e->low ? s->addr : e->low;
		e->high =
		    s->addr + s->memsz > e->high ? s->addr + s->memsz : e->high;
		e->n_seg++;
	}
}

/* The bit of a function's address that says that it is Thumb code. */
static uint64_t
odd(const struct uelf *e)
{
	return e->abi->arm;
}

/* Where all functions begin, sorted. */
static void
load_functions(struct uelf *e)
{
	struct elffuncs all = {0};
	struct buf err = BUF_INIT;

	elffuncs_all(&all, e->file, &err);
	e->stripped = !all.local || all.n == 0;
	e->func = xcalloc(all.n + 1, sizeof *e->func);
	for (; e->n_func < all.n; e->n_func++) {
		const struct elffunc *f = &all.v[e->n_func];

		e->func[e->n_func] = f->addr | f->thumb;
		if (e->abi->arm && strcmp(f->name, "__gnu_mcount_nc") == 0)
			e->tracer = f->addr;
	}
	qsort(e->func, e->n_func, sizeof *e->func, bound_compare);
	elffuncs_done(&all);
	buf_done(&err);
}

/* A section's contents; none (len 0) if it is damaged. */
static struct elf_section
section(const struct uelf *e, const char *name)
{
	struct buf err = BUF_INIT;
	struct elf_section s;

	if (elf_find_section(e->file->elf, name, &s, &err) != 0)
		s.len = 0;
	buf_done(&err);
	return s;
}

static void
load_orc(struct uelf *e)
{
	const struct elf_section ip = section(e, ".orc_unwind_ip");
	const struct elf_section entry = section(e, ".orc_unwind");

	e->orc = orc_new(&(struct orc_sections){
	    ip.data, entry.data, ip.len, entry.len, ip.addr});
	e->lacks_orc = e->orc == NULL && ip.len > 0;
}

/*
 * libdw 0.188 refuses loongarch64, though nothing in the sections depends on
 * the processor: it gets the file as if for riscv64, whose return addresses are
 * in the same register.
 */
static void
load_cfi(struct uelf *e)
{
	Elf64_Ehdr *h = NULL;

	if (e->abi == &unwind_abis[UNWIND_LOONGARCH64]) {
		e->copy = elf_begin(e->file->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
		h = elf64_getehdr(e->copy);
	}
	if (h != NULL)
		h->e_machine = EM_RISCV;
	e->cfi = cfi_new(h != NULL ? e->copy : e->file->elf, e->abi);
}

static const char *
load(struct uelf *e)
{
	GElf_Ehdr eh;

	if (gelf_getehdr(e->file->elf, &eh) == NULL)
		return "not an ELF file";
	if (eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a little-endian ELF file";
	/* A kernel's image of 32 bits is made an ELF file of 64. */
	if ((eh.e_machine != e->abi->machine && eh.e_machine != EM_NONE) ||
	    (e->abi->word == 8 && eh.e_ident[EI_CLASS] != ELFCLASS64) ||
	    (e->abi->riscv && e->abi->word == 4 &&
		eh.e_ident[EI_CLASS] != ELFCLASS32))
		return "the ELF file is for another machine";
	e->entry = eh.e_entry;
	load_segments(e);
	if (e->n_seg == 0)
		return "the ELF file has no segment to load";
	load_functions(e);
	load_cfi(e);
	if (e->abi == &unwind_abis[UNWIND_X86_64])
		load_orc(e);
	if (e->abi == &unwind_abis[UNWIND_X86_64] ||
	    e->abi == &unwind_abis[UNWIND_AARCH64])
		gotab_read(&e->go, e->file->elf);
	return NULL;
}

/* Its file has that section, and code of which it has nothing. */
struct uelf *
uelf_memory(const struct unwind_frames *f, const struct unwind_abi *abi)
{
	struct view v = {.machine = abi->machine,
	    .segment = {{.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = f->text,
		.p_memsz = f->size}},
	    .n_segment = 1};
	const Elf64_Shdr sh = {.sh_type = SHT_PROGBITS,
	    .sh_flags = SHF_ALLOC,
	    .sh_addr = f->eh_addr,
	    .sh_size = f->n,
	    .sh_addralign = 8};
	const int fd = port_temp_file();
	struct uelf *e = NULL;
	char path[PORT_FD_PATH];
	const char *why;

	if (fd == -1)
		return NULL;
	errno = 0;
	if (view_begin(&v, fd) && view_table(&v, ".eh_frame", sh, f->eh) != 0 &&
	    view_write(&v)) {
		port_fd_path(fd, path);
		e = uelf_open(path, abi, &why);
	}
	if (e == NULL)
		xalloc_check();
	view_done(&v);
	close(fd);
	if (e == NULL || cfi_any(e->cfi))
		return e;
	uelf_close(e);
	return NULL;
}

struct uelf *
uelf_open(const char *path, const struct unwind_abi *abi, const char **why)
{
	struct uelf *e = xcalloc(1, sizeof *e);
	struct buf err = BUF_INIT;

	e->abi = abi;
	errno = 0;
	e->file = elffile_open(path, true, &err);
	buf_done(&err);
	*why = e->file != NULL ? load(e) : "cannot be opened";
	/* what could not be read for a lack of memory was left out */
	if (msg_is_system(errno)) {
		*why = strerror(errno);
		msg_system();
	}
	if (*why == NULL)
		return e;
	uelf_close(e);
	return NULL;
}

void
uelf_close(struct uelf *e)
{
	cfi_free(e->cfi);
	orc_free(e->orc);
	free(e->func);
	elf_end(e->copy);
	elffile_close(e->file);
	free(e);
}

const uint8_t *
uelf_segment(const struct uelf *e, size_t i, uint64_t *addr, size_t *n)
{
	*addr = e->seg[i].addr;
	*n = e->seg[i].len;
	return e->seg[i].code;
}

const uint8_t *
uelf_image(const struct uelf *e, size_t *n)
{
	return (const uint8_t *)elf_rawfile(e->file->elf, n);
}

/* Sorted; those without an end inside of others are dropped. */
static void
set_functions(struct uelf *e, struct elf_range *r, size_t n)
{
	uint64_t reach = 0;

	qsort(r, n, sizeof *r, bound_compare);
	free(e->func);
	e->func = xcalloc(n + 1, sizeof *e->func);
	e->n_func = 0;
	for (size_t i = 0; i < n; i++) {
		if (r[i].end == r[i].start && r[i].start < reach)
			continue;
		if (r[i].end > reach)
			reach = r[i].end;
		if (e->n_func == 0 || e->func[e->n_func - 1] != r[i].start)
			e->func[e->n_func++] = r[i].start;
	}
}

void
uelf_add_functions(struct uelf *e, const uint64_t *func, size_t n)
{
	struct elffuncs own = {0};
	struct buf err = BUF_INIT;
	struct elf_range *all;

	elffuncs_all(&own, e->file, &err);
	all = xcalloc(own.n + n + 1, sizeof *all);
	for (size_t i = 0; i < own.n; i++)
		all[i] = (struct elf_range){own.v[i].addr, own.v[i].end};
	for (size_t i = 0; i < n; i++)
		all[own.n + i] = (struct elf_range){func[i], func[i]};
	set_functions(e, all, own.n + n);
	free(all);
	elffuncs_done(&own);
	buf_done(&err);
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

/* How many functions begin at an address or below. */
static size_t
functions_to(const struct uelf *e, uint64_t addr)
{
	return bound_above(
	    e->func, e->n_func, sizeof *e->func, 0, addr | odd(e));
}

uint64_t
uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end)
{
	const size_t i = functions_to(e, addr);

	*end = i < e->n_func ? e->func[i] & ~odd(e) : UINT64_MAX;
	return i ? e->func[i - 1] & ~odd(e) : 0;
}

bool
uelf_thumb(const struct uelf *e, uint64_t addr)
{
	const size_t i = functions_to(e, addr);

	return i != 0 && (e->func[i - 1] & odd(e)) != 0;
}

uint64_t
uelf_sample(const struct uelf *e, size_t i, size_t n)
{
	if (n > e->n_func)
		n = e->n_func;
	return i < n ? e->func[i * e->n_func / n] & ~odd(e) : 0;
}
