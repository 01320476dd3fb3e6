/* SPDX-License-Identifier: ISC */
/* Headers in front of the image, symbols and the table of sections after it. */
#include "kimage/view.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

enum {
	GAP_MAX = 1 << 20, /* between functions of one section */
	LAST_MAX = 4096	   /* bytes of the last function of one */
};

void
view_section(struct view *v, const char *name, const Elf64_Shdr *sh)
{
	Elf64_Shdr *new;

	if (v->n_section == 0) {
		*xpush(v->section, v->n_section, v->cap) = (Elf64_Shdr){0};
		buf_addc(&v->names, 0);
	}
	new = xpush(v->section, v->n_section, v->cap);
	*new = *sh;
	new->sh_offset += VIEW_GAP;
	new->sh_name = (Elf64_Word)v->names.len;
	buf_add(&v->names, name, strlen(name) + 1);
}

/* A function, or a label; not what only ends a section of code. */
static bool
is_text(const struct ksyms *k, const struct ksym *s)
{
	const char *name = k->names.p + s->name;

	return strchr("tTwW", s->type) != NULL && strcmp(name, "_etext") != 0 &&
	       strcmp(name, "_einittext") != 0;
}

static void
add_code(struct view *v, uint64_t start, uint64_t end, uint64_t base)
{
	Elf64_Shdr sh = {.sh_type = SHT_NOBITS,
	    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	    .sh_addr = start,
	    .sh_size = end - start};

	if (start - base < v->len && end - base <= v->len) {
		sh.sh_type = SHT_PROGBITS;
		sh.sh_offset = start - base;
	} else if (v->len > 0 || v->n_segment == VIEW_SEGMENTS) {
		return;
	} else {
		v->segment[v->n_segment++] = (Elf64_Phdr){.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_vaddr = start,
		    .p_memsz = end - start};
	}
	view_section(v, ".text", &sh);
}

void
view_code(struct view *v, const struct ksyms *k, uint64_t base)
{
	uint64_t start = 0, last = 0, end = 0; /* of the section */

	for (size_t i = 0; i < k->n; i++) {
		const uint64_t addr = k->v[i].addr;

		if (addr > last && end == last)
			end = addr - last < LAST_MAX ? addr : last + LAST_MAX;
		if (!is_text(k, &k->v[i]) || addr == 0)
			continue;
		if (last != 0 && addr - last > GAP_MAX) {
			add_code(v, start, end, base);
			last = 0;
		}
		if (last == 0)
			start = addr;
		last = end = addr;
	}
	if (last != 0)
		add_code(v, start, end > last ? end : last + LAST_MAX, base);
}

/* A table of the file's own byte order. */
static void
translate(void *p, size_t n, Elf_Type type)
{
	Elf_Data d = {
	    .d_buf = p, .d_size = n, .d_type = type, .d_version = EV_CURRENT};

	elf_version(EV_CURRENT);
	elf64_xlatetof(&d, &d, ELFDATA2LSB);
}

static int
put(int fd, const void *p, size_t n, off_t at)
{
	while (n > 0) {
		const ssize_t k = pwrite(fd, p, n, at);

		if (k < 0)
			return -1;
		p = (const char *)p + k;
		n -= (size_t)k;
		at += k;
	}
	return 0;
}

/* Appends bytes, and a section that has them. */
static int
put_section(struct view *v, int fd, const char *name, const void *p,
    const Elf64_Shdr *sh)
{
	const off_t end = (lseek(fd, 0, SEEK_END) + 7) & ~(off_t)7;
	Elf64_Shdr at = *sh;

	at.sh_offset = (Elf64_Off)end - VIEW_GAP;
	view_section(v, name, &at);
	return put(fd, p, sh->sh_size, end);
}

/* A function reaches to the next symbol, as the kernel sees it. */
static Elf64_Sym *
make_symbols(const struct ksyms *k)
{
	Elf64_Sym *sym = xcalloc(k->n + 1, sizeof *sym);
	uint64_t next = 0, last = 0;

	for (size_t i = k->n; i-- > 0;) {
		const struct ksym *s = &k->v[i];
		const bool text = is_text(k, s);
		if (s->addr != last)
			next = last;
		last = s->addr;
		sym[i + 1] = (Elf64_Sym){.st_name = s->name,
		    .st_info =
			ELF64_ST_INFO(STB_GLOBAL, text ? STT_FUNC : STT_OBJECT),
		    .st_shndx = s->type == 'a' || s->type == 'A' ? SHN_ABS : 1,
		    .st_value = s->addr,
		    .st_size = text && next != 0 ? next - s->addr : 0};
	}
	return sym;
}

static int
put_symbols(struct view *v, struct ksyms *k, int fd)
{
	Elf64_Sym *sym = make_symbols(k);
	const size_t size = (k->n + 1) * sizeof *sym;
	int status;

	translate(sym, size, ELF_T_SYM);
	status = put_section(v, fd, ".strtab", k->names.p,
	    &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_size = k->names.len});
	status |= put_section(v, fd, ".symtab", sym,
	    &(Elf64_Shdr){.sh_type = SHT_SYMTAB,
		.sh_size = size,
		.sh_link = (Elf64_Word)v->n_section - 1,
		.sh_info = 1,
		.sh_addralign = 8,
		.sh_entsize = sizeof *sym});
	free(sym);
	return status;
}

int
view_write(struct view *v, struct ksyms *k, int fd)
{
	static const char strings[] = ".shstrtab";
	Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			    ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = (Elf64_Half)v->machine,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof h,
	    .e_ehsize = sizeof h,
	    .e_phentsize = sizeof *v->segment,
	    .e_phnum = (Elf64_Half)v->n_segment,
	    .e_shentsize = sizeof *v->section};
	const size_t n = v->n_segment * sizeof *v->segment;
	off_t end;

	if (put_symbols(v, k, fd) != 0)
		return -1;
	end = lseek(fd, 0, SEEK_END);
	view_section(v, strings,
	    &(Elf64_Shdr){.sh_type = SHT_STRTAB,
		.sh_offset = (Elf64_Off)end - VIEW_GAP,
		.sh_size = v->names.len + sizeof strings});
	if (put(fd, v->names.p, v->names.len, end) != 0)
		return -1;
	h.e_shnum = (Elf64_Half)v->n_section;
	h.e_shstrndx = (Elf64_Half)(h.e_shnum - 1);
	h.e_shoff = (Elf64_Off)((lseek(fd, 0, SEEK_END) + 7) & ~(off_t)7);
	translate(v->section, h.e_shnum * sizeof *v->section, ELF_T_SHDR);
	translate(v->segment, n, ELF_T_PHDR);
	if (put(fd, v->section, v->n_section * sizeof *v->section,
		(off_t)h.e_shoff) != 0 ||
	    put(fd, v->segment, n, sizeof h) != 0)
		return -1;
	translate(&h, sizeof h, ELF_T_EHDR);
	return put(fd, &h, sizeof h, 0);
}

void
view_done(struct view *v)
{
	free(v->section);
	buf_done(&v->names);
}
