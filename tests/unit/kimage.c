/* SPDX-License-Identifier: ISC */
/* Files of kernels, and what libelf finds in the one that is made of each. */
#include "kimage/kimage.h"

#include <gelf.h>
#include <libelf.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "kimage/view.h"
#include "unit.h"

enum { ROOM = 400000 };
#define BASE UINT64_C(0xffffffff81000000)

static uint8_t packed[ROOM];

/* Packed ELF files, of which what is loaded stays. */
static Elf_Scn *
section(Elf *elf, uint32_t name, uint32_t type, uint64_t flags, size_t n)
{
	static char bytes[64] = "bytes of a section";
	Elf_Scn *scn = elf_newscn(elf);
	Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf_Data *d = elf_newdata(scn);

	sh->sh_name = name;
	sh->sh_type = type;
	sh->sh_flags = flags;
	sh->sh_addr = BASE + 0x1000 * elf_ndxscn(scn);
	d->d_buf = type == SHT_NOBITS ? NULL : bytes;
	d->d_size = n;
	d->d_align = 1;
	d->d_type = ELF_T_BYTE;
	return scn;
}

static FILE *
make_elf(int class)
{
	static const char names[] = "\0.text\0.note\0.bss\0.debug\0.tail";
	FILE *f = tmpfile();
	Elf *elf = elf_begin(fileno(f), ELF_C_WRITE, NULL);
	Elf64_Phdr *ph;
	Elf64_Ehdr *h;

	if (class == ELFCLASS32) {
		elf32_newehdr(elf)->e_machine = EM_386;
		CHECK(elf_update(elf, ELF_C_WRITE) > 0);
		elf_end(elf);
		return f;
	}
	h = elf64_newehdr(elf);
	ph = elf64_newphdr(elf, 2);
	section(elf, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 40);
	section(elf, 7, SHT_NOTE, SHF_ALLOC, 20);
	section(elf, 13, SHT_NOBITS, SHF_ALLOC, 30);
	section(elf, 18, SHT_PROGBITS, 0, 40);
	elf64_getshdr(section(elf, 0, SHT_STRTAB, 0, 0))->sh_size = 0;
	elf_getdata(elf_getscn(elf, 5), NULL)->d_buf = (char *)(uintptr_t)names;
	elf_getdata(elf_getscn(elf, 5), NULL)->d_size = sizeof names;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_machine = EM_X86_64;
	h->e_shstrndx = 5;
	ph[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_vaddr = 1};
	ph[1] = (Elf64_Phdr){.p_type = PT_LOAD,
	    .p_offset = 0x40,
	    .p_vaddr = BASE,
	    .p_filesz = 100,
	    .p_memsz = 200};
	CHECK(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return f;
}

/* What libelf finds in the file that is made of the packed one. */
static void
check_view(int fd)
{
	static const char *const want[] = {"", ".text", ".note", ".shstrtab"};
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t names = 0, n = 0, segments = 0;
	GElf_Ehdr h = {.e_type = 0};
	GElf_Phdr ph = {0};
	GElf_Shdr sh;

	CHECK(gelf_getehdr(elf, &h) != NULL && h.e_machine == EM_X86_64);
	CHECK(h.e_type == ET_EXEC);
	elf_getshdrstrndx(elf, &names);
	elf_getshdrnum(elf, &n);
	elf_getphdrnum(elf, &segments);
	CHECK(n == 4 && segments == 1);
	CHECK(gelf_getphdr(elf, 0, &ph) != NULL && ph.p_vaddr == BASE);
	CHECK(ph.p_offset == VIEW_GAP + 0x40 && ph.p_memsz == 200);
	for (size_t i = 1; i < n && i < 4; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		Elf_Data *d = elf_rawdata(scn, NULL);
		const char *s;

		CHECK(gelf_getshdr(scn, &sh) != NULL);
		s = elf_strptr(elf, names, sh.sh_name);
		CHECK(s != NULL && strcmp(s, want[i]) == 0);
		if (i == 3)
			break;
		CHECK(sh.sh_addr == BASE + 0x1000 * i);
		CHECK(d != NULL && d->d_size == (i == 1 ? 40 : 20));
		CHECK(d && memcmp(d->d_buf, "bytes of a section", 18) == 0);
	}
	elf_end(elf);
}

/* Packs a file by gzip, and has it opened; -1: why is in err. */
static int
open_packed(FILE *f, struct buf *err)
{
	z_stream z = {.next_out = packed, .avail_out = ROOM};
	static uint8_t bytes[ROOM];
	FILE *to = tmpfile();
	int fd;

	rewind(f);
	z.next_in = bytes;
	z.avail_in = (unsigned)fread(bytes, 1, sizeof bytes, f);
	deflateInit2(&z, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	fwrite(packed, 1, z.total_out + 600, to); /* as long as a header */
	fflush(to);
	rewind(to);
	CHECK(kimage_knows(fileno(to)));
	rewind(to);
	fd = kimage_open(fileno(to), err);
	fclose(to);
	fclose(f);
	return fd;
}

static void
test_elf(void)
{
	struct buf err = BUF_INIT;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_packed(make_elf(ELFCLASS64), &err);
	CHECK(fd != -1 && err.len == 0);
	if (fd != -1)
		check_view(fd);
	close(fd);
	fd = open_packed(make_elf(ELFCLASS32), &err);
	CHECK(fd == -1);
	CHECK_TEXT(err.p, err.len, "not a kernel of 64 bits");
	buf_done(&err);
}

/* A list of symbols as a file; returns what is made of it. */
static Elf *
open_list(const char *text, int *fd)
{
	struct buf err = BUF_INIT;
	FILE *f = tmpfile();

	fputs(text, f);
	rewind(f);
	*fd = kimage_open(fileno(f), &err);
	CHECK(*fd != -1 && err.len == 0);
	buf_done(&err);
	fclose(f);
	return elf_begin(*fd, ELF_C_READ, NULL);
}

/* Code that is near is one segment; the symbols are all there. */
static void
test_list(void)
{
	int fd;
	Elf *elf = open_list("1000 T a\n1800 t b\n2000 D c\n102000 T near\n"
			     "300000 T far\n300100 t last\n",
	    &fd);
	const Elf64_Ehdr *h = elf64_getehdr(elf);
	const Elf64_Phdr *ph = elf64_getphdr(elf);
	const Elf64_Shdr *sh;
	Elf_Data *d;
	size_t n = 0;

	CHECK(h != NULL && h->e_phoff == sizeof *h && h->e_type == ET_EXEC);
	CHECK(elf_getphdrnum(elf, &n) == 0 && n == 2 && ph != NULL);
	CHECK(ph[0].p_vaddr == 0x1000 && ph[0].p_memsz == 0x102000);
	CHECK(ph[1].p_vaddr == 0x300000 && ph[1].p_memsz == 0x1100);
	CHECK(ph[0].p_type == PT_LOAD && ph[0].p_flags == (PF_R | PF_X));
	CHECK(ph[0].p_filesz == 0 && h->e_shoff % 8 == 0);
	CHECK(elf_getshdrnum(elf, &n) == 0 && n == 6);
	sh = elf64_getshdr(elf_getscn(elf, 1));
	CHECK(sh->sh_type == SHT_NOBITS && sh->sh_offset == 0);
	CHECK(sh->sh_addr == 0x1000 && sh->sh_size == 0x102000);
	sh = elf64_getshdr(elf_getscn(elf, 4));
	CHECK(sh->sh_type == SHT_SYMTAB && sh->sh_link == 3);
	CHECK(sh->sh_offset % 8 == 0 && sh->sh_addralign == 8);
	CHECK(sh->sh_entsize == sizeof(Elf64_Sym) && sh->sh_info == 1);
	d = elf_getdata(elf_getscn(elf, 4), NULL);
	CHECK(d != NULL && d->d_size == 7 * sizeof(Elf64_Sym));
	sh = elf64_getshdr(elf_getscn(elf, 1));
	CHECK(*elf_strptr(elf, h->e_shstrndx, 0) == 0);
	elf_end(elf);
	close(fd);
	elf = open_list("1000 D data\n", &fd);
	h = elf64_getehdr(elf);
	CHECK(h != NULL && h->e_phoff == 0 && h->e_phnum == 0);
	elf_end(elf);
	close(fd);
}

/* What of a file is a section: not more than it has, nor too many. */
static void
test_sections(void)
{
	static const uint8_t bytes[100];
	struct view v = {.p = bytes, .len = sizeof bytes};
	FILE *f = tmpfile();
	Elf64_Shdr sh = {.sh_type = SHT_PROGBITS, .sh_offset = 60};
	int n = 3;

	CHECK(view_begin(&v, fileno(f)));
	sh.sh_size = 41;
	CHECK(!view_section(&v, "a", sh));
	sh.sh_size = 40;
	CHECK(view_section(&v, "b", sh) && view_section(&v, "c", sh));
	CHECK(!view_section(&v, "d", sh)); /* 120 bytes of 100 */
	sh.sh_size = 20;
	CHECK(view_section(&v, "e", sh));
	sh.sh_size = 0;
	sh.sh_offset = 101;
	CHECK(!view_section(&v, "f", sh));
	sh.sh_offset = 100;
	while (n < 2000 && view_section(&v, "g", sh))
		n++;
	CHECK(n == 1024 && view_write(&v));
	view_done(&v);
	fclose(f);
}

int
main(void)
{
	elf_version(EV_CURRENT);
	test_list();
	test_sections();
	test_elf();
	return unit_end();
}
