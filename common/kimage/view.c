/* SPDX-License-Identifier: ISC */
/* By libelf: what the image has, at its place, and the symbols after it. */
#include "kimage/view.h"

#include <libelf.h>
#include <string.h>

#include "kimage/ksyms.h"

enum {
	GAP_MAX = 1 << 20, /* between functions of one section */
	SECTIONS_MAX = 1024
};

bool
view_begin(struct view *v, int fd)
{
	elf_version(EV_CURRENT);
	v->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	buf_addc(&v->names, 0);
	return v->elf != NULL && elf64_newehdr(v->elf) != NULL &&
	       elf_flagelf(v->elf, ELF_C_SET, ELF_F_LAYOUT) != 0;
}

/* Returns the section's number. */
static Elf64_Word
add_section(
    struct view *v, const char *name, const Elf64_Shdr *sh, const void *bytes)
{
	Elf_Scn *scn;
	Elf64_Shdr *to;
	Elf_Data *d;

	/* Without memory libelf may give a section that has no header. */
	elf_errno();
	scn = elf_newscn(v->elf);
	to = elf_errno() == 0 ? elf64_getshdr(scn) : NULL;
	d = to != NULL ? elf_newdata(scn) : NULL;
	if (d == NULL) {
		v->failed = true;
		return 0;
	}
	*to = *sh;
	to->sh_name = (Elf64_Word)v->names.len;
	buf_add(&v->names, name, strlen(name) + 1);
	d->d_buf = (void *)(uintptr_t)bytes;
	d->d_size = sh->sh_size;
	d->d_type = sh->sh_type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	return (Elf64_Word)elf_ndxscn(scn);
}

bool
view_section(struct view *v, const char *name, Elf64_Shdr sh)
{
	const uint64_t at = sh.sh_offset;

	/* a hostile file has the same bytes in many sections */
	if (at > v->len || sh.sh_size > v->len - at ||
	    sh.sh_size > v->len - v->copied || v->n_section == SECTIONS_MAX)
		return false;
	v->copied += sh.sh_size;
	v->n_section++;
	sh.sh_offset += VIEW_GAP;
	return add_section(v, name, &sh, v->p + at) != 0;
}

static void
add_code(struct view *v, uint64_t start, uint64_t end, uint64_t base)
{
	Elf64_Shdr sh = {.sh_type = SHT_PROGBITS,
	    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	    .sh_addr = start,
	    .sh_offset = start - base,
	    .sh_size = end - start};

	if (start >= end)
		return;
	if (v->len > 0) {
		v->is_cut |= !view_section(v, ".text", sh);
	} else if (v->n_segment < VIEW_SEGMENTS) {
		v->segment[v->n_segment++] = (Elf64_Phdr){.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_vaddr = start,
		    .p_memsz = end - start};
		sh.sh_type = SHT_NOBITS;
		sh.sh_offset = 0;
		add_section(v, ".text", &sh, NULL);
	}
}

void
view_code(struct view *v, const struct ksyms *k, uint64_t base)
{
	uint64_t start = 0, end = 0;

	for (size_t i = 1; i < k->n; i++) {
		const Elf64_Sym *s = &k->v[i];

		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC)
			continue;
		if (end == 0 || s->st_value > end + GAP_MAX) {
			add_code(v, start, end, base);
			start = s->st_value;
		}
		end = s->st_value + s->st_size;
	}
	add_code(v, start, end, base);
}

Elf64_Word
view_table(struct view *v, const char *name, Elf64_Shdr sh, const void *bytes)
{
	if (v->end == 0)
		v->end = (VIEW_GAP + v->len + 7) & ~(Elf64_Off)7;
	sh.sh_offset = v->end;
	v->end = (v->end + sh.sh_size + 7) & ~(Elf64_Off)7;
	return add_section(v, name, &sh, bytes);
}

void
view_symbols(struct view *v, const struct ksyms *k)
{
	const Elf64_Shdr names = {
	    .sh_type = SHT_STRTAB, .sh_size = k->names.len};
	Elf64_Shdr symbols = {.sh_type = SHT_SYMTAB,
	    .sh_size = k->n * sizeof *k->v,
	    .sh_info = 1,
	    .sh_addralign = 8,
	    .sh_entsize = sizeof *k->v};

	if (k->n == 0)
		return;
	symbols.sh_link = view_table(v, ".strtab", names, k->names.p);
	view_table(v, ".symtab", symbols, k->v);
}

bool
view_write(struct view *v)
{
	static const char strings[] = ".shstrtab";
	Elf64_Ehdr *h = elf64_getehdr(v->elf);
	const size_t n = v->n_segment;
	Elf64_Phdr *ph = n > 0 ? elf64_newphdr(v->elf, n) : NULL;

	if (n > 0 && ph == NULL)
		return false;
	if (n > 0)
		memcpy(ph, v->segment, n * sizeof *ph);
	buf_room(&v->names, sizeof strings);
	h->e_shstrndx = view_table(v, strings,
	    (Elf64_Shdr){.sh_type = SHT_STRTAB,
		.sh_size = v->names.len + sizeof strings},
	    v->names.p);
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_type = ET_EXEC;
	h->e_machine = (Elf64_Half)v->machine;
	h->e_version = EV_CURRENT;
	h->e_phoff = n > 0 ? sizeof *h : 0;
	h->e_shoff = v->end;
	return !v->failed && elf_update(v->elf, ELF_C_WRITE) != -1;
}

void
view_done(struct view *v)
{
	elf_end(v->elf);
	buf_done(&v->names);
}
