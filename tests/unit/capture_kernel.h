/* SPDX-License-Identifier: ISC */
/* A kernel's file for units, with BTF, variables, and 64 bytes of code. */
#ifndef CAPTURE_KERNEL_H
#define CAPTURE_KERNEL_H

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "elf/elfsym.h"
#include "unit.h"

struct variable {
	const char *name;
	uint64_t at, size;
};

enum { VARIABLES = 3 };

/* Appends a number of n bytes. */
static void
put_int(struct buf *b, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

/* A section of BTF: strings, after a word, and the types after them. */
static inline struct buf
kernel_btf(struct buf *types, struct buf *strings)
{
	struct buf b = BUF_INIT;

	put_int(&b, 0x0001eb9f, 4);
	put_int(&b, 24, 4);
	put_int(&b, strings->len + 4, 4);
	put_int(&b, types->len, 4);
	put_int(&b, 4, 4);
	put_int(&b, strings->len, 4);
	put_int(&b, 0, 4);
	buf_add(&b, strings->p, strings->len);
	buf_add(&b, types->p, types->len);
	return b;
}

static Elf64_Shdr *
add_section(Elf *elf, uint32_t name, uint32_t kind, void *p, size_t n)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = elf_newdata(scn);

	elf64_getshdr(scn)->sh_name = name;
	elf64_getshdr(scn)->sh_type = kind;
	d->d_buf = p;
	d->d_size = n;
	d->d_type = kind == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	d->d_align = 1;
	return elf64_getshdr(scn);
}

/* Writes it to fd; the code is at `at`. */
static void
write_kernel(int fd, unsigned machine, uint64_t at, struct buf *btf,
    const struct variable *v, size_t n)
{
	static char names[] = "\0.BTF\0.symtab\0.strtab\0.text", code[64];
	Elf64_Sym sym[1 + VARIABLES] = {{0}};
	struct buf str = BUF_INIT;
	Elf64_Shdr *sh;
	Elf64_Ehdr *h;
	Elf *elf;

	buf_addc(&str, 0);
	for (size_t i = 0; i < n; i++) {
		sym[i + 1] = (Elf64_Sym){.st_name = (uint32_t)str.len,
		    .st_shndx = 4,
		    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
		    .st_value = v[i].at,
		    .st_size = v[i].size};
		buf_add(&str, v[i].name, strlen(v[i].name) + 1);
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	h = elf64_newehdr(elf);
	add_section(elf, 1, SHT_PROGBITS, btf->p, btf->len);
	sh = add_section(elf, 6, SHT_SYMTAB, sym, (n + 1) * sizeof *sym);
	sh->sh_link = 3;
	sh->sh_entsize = sizeof *sym;
	add_section(elf, 14, SHT_STRTAB, str.p, str.len);
	sh = add_section(elf, 22, SHT_PROGBITS, code, sizeof code);
	sh->sh_addr = at;
	sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	add_section(elf, 0, SHT_STRTAB, names, sizeof names);
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_machine = (Elf64_Half)machine;
	h->e_type = ET_EXEC;
	h->e_shstrndx = 5;
	CHECK(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	buf_done(&str);
}

static inline struct elfsym *
kernel_file(unsigned machine, uint64_t at, struct buf *btf,
    const struct variable *v, size_t n)
{
	char path[] = "/tmp/kst-unit.XXXXXX";
	const int fd = mkstemp(path);
	struct buf err = BUF_INIT;
	struct elfsym *s;

	write_kernel(fd, machine, at, btf, v, n);
	close(fd);
	s = elfsym_load(path, 0, &err);
	if (s == NULL)
		printf("%s\n", buf_str(&err));
	unlink(path);
	buf_done(&err);
	return s;
}

#endif
