/* SPDX-License-Identifier: ISC */
/* Knows the headers that libelf wants around sections. */
#include "unwind/frames.h"

#include <elf.h>

#include "base/buf.h"

void
frames_file(struct buf *b, unsigned machine, uint64_t text, uint64_t size,
    const struct frames f[FRAMES_N])
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	static const Elf64_Word name[FRAMES_N] = {1, 11};
	const Elf64_Phdr ph = {.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_vaddr = text,
	    .p_memsz = size};
	Elf64_Shdr sh[FRAMES_N + 2] = {{0}}, *last = &sh[FRAMES_N + 1];
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
	    .e_shnum = FRAMES_N + 2,
	    .e_shstrndx = FRAMES_N + 1};
	size_t at = h.e_shoff + sizeof sh;

	buf_add(b, (char *)&h, sizeof h);
	buf_add(b, (const char *)&ph, sizeof ph);
	for (int i = 0; i < FRAMES_N; at += f[i++].n)
		sh[i + 1] = (Elf64_Shdr){.sh_name = name[i],
		    .sh_type = f[i].n ? SHT_PROGBITS : SHT_NULL,
		    .sh_flags = i == FRAMES_EH ? SHF_ALLOC : 0,
		    .sh_addr = f[i].addr,
		    .sh_offset = at,
		    .sh_size = f[i].n,
		    .sh_addralign = 8};
	*last = (Elf64_Shdr){.sh_name = 24,
	    .sh_type = SHT_STRTAB,
	    .sh_offset = at,
	    .sh_size = sizeof names};
	buf_add(b, (char *)sh, sizeof sh);
	for (int i = 0; i < FRAMES_N; i++)
		if (f[i].n)
			buf_add(b, (const char *)f[i].p, f[i].n);
	buf_add(b, names, sizeof names);
}
