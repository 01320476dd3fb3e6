/* SPDX-License-Identifier: ISC */
/* For stacks.c: a module that its lines tell, as an ELF file. */
#ifndef STACKS_ELF_H
#define STACKS_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "unwind/unwind.h"

enum { RUNS = 128 };

/* Bytes at an address: of code, or of one section. */
struct run {
	uint64_t addr;
	struct buf bytes;
};

struct module_elf {
	const struct unwind_abi *abi;
	uint64_t text, size, start, tracer;
	bool exported; /* its functions are those of .dynsym */
	bool moved;    /* Go's table is among others, and its text relocated */
	struct run ip, orc, eh_frame, go, function;
	const struct run *code; /* the parts of the text that are known */
	size_t n_code;		/* up to RUNS */
};

static const char TRACER[] = "__gnu_mcount_nc";

static struct buf names;

static Elf_Scn *
add_section(Elf *elf, const char *name, unsigned type, const struct run *r)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = elf_newdata(scn);
	GElf_Shdr sh;

	gelf_getshdr(scn, &sh);
	sh.sh_name = (GElf_Word)names.len;
	sh.sh_type = type;
	sh.sh_addr = r->addr;
	sh.sh_flags = SHF_ALLOC;
	gelf_update_shdr(scn, &sh);
	buf_add(&names, name, strlen(name) + 1);
	d->d_buf = r->bytes.p;
	d->d_size = r->bytes.len;
	d->d_type =
	    type == SHT_SYMTAB || type == SHT_DYNSYM ? ELF_T_SYM : ELF_T_BYTE;
	d->d_version = EV_CURRENT;
	d->d_align = 1;
	return scn;
}

static void
add_symbols(const struct module_elf *m, Elf *elf, struct buf *sym)
{
	const size_t n = m->function.bytes.len / sizeof(uint64_t) + 1;
	Elf_Data d = {.d_type = ELF_T_SYM, .d_version = EV_CURRENT};
	GElf_Shdr sh;
	Elf_Scn *scn;

	d.d_size = n * gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	buf_room(sym, d.d_size);
	memset(sym->p, 0, d.d_size);
	sym->len = d.d_size;
	d.d_buf = sym->p;
	scn = m->exported ? add_section(elf, ".dynsym", SHT_DYNSYM,
				&(struct run){0, *sym})
			  : add_section(elf, ".symtab", SHT_SYMTAB,
				&(struct run){0, *sym});
	for (size_t i = 1; i < n; i++) {
		GElf_Sym s = {.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
		    .st_name = 1, /* any */
		    .st_shndx = 1};

		memcpy(&s.st_value,
		    m->function.bytes.p + (i - 1) * sizeof s.st_value,
		    sizeof s.st_value);
		if (m->tracer != 0 && s.st_value == m->tracer) {
			s.st_name = (GElf_Word)names.len;
			buf_add(&names, TRACER, sizeof TRACER);
		}
		gelf_update_sym(elf_getdata(scn, NULL), (int)i, &s);
	}
	gelf_getshdr(scn, &sh);
	sh.sh_entsize = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	sh.sh_link = (GElf_Word)elf_ndxscn(scn) + 1; /* the names' */
	gelf_update_shdr(scn, &sh);
}

/* Go's table; in the second case 32 bytes of something else are before it. */
static void
add_go(const struct module_elf *m, Elf *elf)
{
	static char rela[24];
	const struct run r = {0, {.p = rela, .len = sizeof rela}};
	const uint64_t at = m->go.addr + 32 + 24;

	if (!m->moved) {
		add_section(elf, ".gopclntab", SHT_PROGBITS, &m->go);
		return;
	}
	add_section(elf, ".go.buildinfo", SHT_PROGBITS, &m->go);
	add_section(elf, ".data.rel.ro", SHT_PROGBITS, &m->go);
	for (unsigned i = 0; i < 8; i++) {
		rela[i] = (char)(at >> 8 * i);
		rela[16 + i] = (char)(m->text >> 8 * i);
	}
	add_section(elf, ".rela", SHT_RELA, &r);
}

/* The segments: all of the text, and the parts of its code that are known. */
static void
add_segments(const struct module_elf *m, Elf *elf, Elf_Scn *const *scn)
{
	const size_t n = m->n_code;

	for (size_t i = 0; i <= n; i++) {
		GElf_Phdr ph = {.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_vaddr = m->text,
		    .p_memsz = m->size};
		GElf_Shdr sh;

		if (i < n) {
			gelf_getshdr(scn[i], &sh);
			ph.p_vaddr = m->code[i].addr;
			ph.p_offset = sh.sh_offset;
			ph.p_filesz = ph.p_memsz = sh.sh_size;
		}
		gelf_update_phdr(elf, (int)i, &ph);
	}
}

/* Writes the file; whether it could. */
static bool
module_write(const struct module_elf *m, int fd)
{
	const size_t n = m->n_code;
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_WRITE, NULL));
	struct buf sym = BUF_INIT;
	Elf_Scn *scn[RUNS], *last;
	GElf_Ehdr eh;
	bool good;

	gelf_newehdr(elf, m->abi->word == 4 ? ELFCLASS32 : ELFCLASS64);
	gelf_newphdr(elf, n + 1);
	names.len = 0;
	buf_addc(&names, 0);
	for (size_t i = 0; i < n; i++)
		scn[i] = add_section(elf, ".text", SHT_PROGBITS, &m->code[i]);
	if (m->ip.bytes.len > 0) {
		add_section(elf, ".orc_unwind_ip", SHT_PROGBITS, &m->ip);
		add_section(elf, ".orc_unwind", SHT_PROGBITS, &m->orc);
	}
	if (m->eh_frame.bytes.len > 0)
		add_section(elf, ".eh_frame", SHT_PROGBITS, &m->eh_frame);
	if (m->go.bytes.len > 0)
		add_go(m, elf);
	else
		add_symbols(m, elf, &sym);
	buf_adds(&names, ".names");
	buf_addc(&names, 0);
	names.len -= 7;
	last = add_section(elf, ".names", SHT_STRTAB, &(struct run){0, names});
	gelf_getehdr(elf, &eh);
	eh.e_type = ET_EXEC;
	eh.e_machine = m->abi->machine;
	eh.e_entry = m->start;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_shstrndx = (GElf_Half)elf_ndxscn(last);
	gelf_update_ehdr(elf, &eh);
	elf_getdata(last, NULL)->d_size = names.len;
	good = elf_update(elf, ELF_C_NULL) > 0;
	add_segments(m, elf, scn);
	good &= elf_update(elf, ELF_C_WRITE) > 0;
	elf_end(elf);
	buf_done(&sym);
	return good;
}

#endif
