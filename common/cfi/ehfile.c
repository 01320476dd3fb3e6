/* SPDX-License-Identifier: ISC */
/* The headers that libelf wants around sections. */
#include "cfi/ehfile.h"

#include <libelf.h>

#include "base/buf.h"

/* A header, little endian. */
static void
put(struct buf *b, void *p, size_t n, Elf_Type type)
{
	Elf_Data d = {
	    .d_buf = p, .d_size = n, .d_type = type, .d_version = EV_CURRENT};

	elf_version(EV_CURRENT);
	elf64_xlatetof(&d, &d, ELFDATA2LSB);
	buf_add(b, p, n);
}

void
ehfile_write(struct buf *b, unsigned machine, const struct elf_range *text,
    const struct elf_section s[EHFILE_N])
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	static const Elf64_Word name[EHFILE_N] = {1, 11};
	Elf64_Phdr ph = {.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_vaddr = text->start,
	    .p_memsz = text->end - text->start};
	Elf64_Shdr sh[EHFILE_N + 2] = {{0}};
	Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			    ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = (Elf64_Half)machine,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof h,
	    .e_shoff = sizeof h + sizeof ph,
	    .e_ehsize = sizeof h,
	    .e_phentsize = sizeof ph,
	    .e_phnum = 1,
	    .e_shentsize = sizeof sh[0],
	    .e_shnum = EHFILE_N + 2,
	    .e_shstrndx = EHFILE_N + 1};
	size_t at = sizeof h + sizeof ph + sizeof sh;

	for (int i = 0; i < EHFILE_N; at += s[i++].len)
		sh[i + 1] = (Elf64_Shdr){.sh_name = name[i],
		    .sh_type = s[i].len ? SHT_PROGBITS : SHT_NULL,
		    .sh_flags = i == EHFILE_EH ? SHF_ALLOC : 0,
		    .sh_addr = s[i].addr,
		    .sh_offset = at,
		    .sh_size = s[i].len,
		    .sh_addralign = 8};
	sh[EHFILE_N + 1] = (Elf64_Shdr){.sh_name = 24,
	    .sh_type = SHT_STRTAB,
	    .sh_offset = at,
	    .sh_size = sizeof names};
	put(b, &h, sizeof h, ELF_T_EHDR);
	put(b, &ph, sizeof ph, ELF_T_PHDR);
	put(b, sh, sizeof sh, ELF_T_SHDR);
	for (int i = 0; i < EHFILE_N; i++)
		buf_add(b, (const char *)s[i].data, s[i].len);
	buf_add(b, names, sizeof names);
}
