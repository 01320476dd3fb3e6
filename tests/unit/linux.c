/* SPDX-License-Identifier: ISC */
/*
 * Stacks of Debian's Linux, recorded with the entries of its ORC tables that
 * they need (tests/kernels/record): each is unwound to the frames that an
 * independent walk of the whole tables has found.
 */
#include "unwind/frames.h"
#include "unwind/orc.h"
#include "unwind/saved.h"
#include "unwind/unwind.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_expr.h"
#include "unwind/unwind_fp.h"
#include "unwind/walk.h"
#include "unwind/x86_frame.h"
#include "unwind/x86_insn.h"

#include <elf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

enum { WORDS = 4096, FRAMES = 256 };

static const uint64_t TEXT = 0xffffffff80000000;

/* One recorded stack. */
static struct {
	struct unwind_regs regs;
	struct {
		uint64_t addr, value;
	} word[WORDS];
	uint64_t frame[FRAMES];
	size_t n_word, n_frame;
} rec;

static int
read_recorded(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	for (size_t i = 0; i < rec.n_word; i++)
		if (rec.word[i].addr == addr) {
			*word = rec.word[i].value;
			return 0;
		}
	return -1;
}

struct section_bytes {
	const char *name;
	struct buf bytes;
};

static void
add_entry(struct section_bytes *s, const char *line)
{
	uint64_t addr, at = s[0].bytes.len;
	int sp, bp;
	unsigned bits;
	uint8_t b[6];
	uint32_t off;

	if (sscanf(line, "orc %" SCNx64 " %d %d %u", &addr, &sp, &bp, &bits) !=
	    4)
		return;
	off = (uint32_t)(addr - TEXT - at);
	for (int i = 0; i < 4; i++)
		buf_addc(&s[0].bytes, (char)(off >> 8 * i));
	b[0] = (uint8_t)sp;
	b[1] = (uint8_t)(sp >> 8);
	b[2] = (uint8_t)bp;
	b[3] = (uint8_t)(bp >> 8);
	b[4] = (uint8_t)bits;
	b[5] = (uint8_t)(bits >> 8);
	buf_add(&s[1].bytes, (char *)b, 6);
}

static void
add_header(struct section_bytes *s, const char *hex)
{
	unsigned v;

	for (; sscanf(hex, "%2x", &v) == 1; hex += 2)
		buf_addc(&s[2].bytes, (char)v);
}

static void
little_endian(void *p, size_t len, Elf_Type type)
{
	Elf_Data d = {
	    .d_buf = p, .d_size = len, .d_type = type, .d_version = EV_CURRENT};

	elf_version(EV_CURRENT);
	CHECK(elf64_xlatetof(&d, &d, ELFDATA2LSB) == &d);
}

/* An ELF file of the sections, whose code begins at TEXT. Returns its fd. */
static int
write_elf(const struct section_bytes *s, size_t n)
{
	Elf64_Ehdr eh = {.e_ident = ELFMAG,
	    .e_type = ET_EXEC,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof eh,
	    .e_ehsize = sizeof eh,
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = (Elf64_Half)(n + 2),
	    .e_shstrndx = (Elf64_Half)(n + 1)};
	Elf64_Phdr ph = {.p_type = PT_LOAD,
	    .p_flags = PF_X,
	    .p_vaddr = TEXT,
	    .p_memsz = 1 << 30};
	struct buf data = BUF_INIT, names = BUF_INIT;
	Elf64_Shdr sh[8] = {0};
	int fd = memfd_create("linux", MFD_CLOEXEC);

	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	buf_addc(&names, 0);
	for (size_t i = 1; i <= n + 1; i++) {
		sh[i].sh_type = i <= n ? SHT_PROGBITS : SHT_STRTAB;
		sh[i].sh_name = (Elf64_Word)names.len;
		buf_adds(&names, i <= n ? s[i - 1].name : ".shstrtab");
		buf_addc(&names, 0);
	}
	for (size_t i = 1; i <= n + 1; i++) {
		const struct buf *b = i <= n ? &s[i - 1].bytes : &names;

		sh[i].sh_offset = sizeof eh + sizeof ph + data.len;
		sh[i].sh_size = b->len;
		sh[i].sh_addr = i == 1 ? TEXT : 0;
		buf_add(&data, b->p, b->len);
	}
	eh.e_shoff = sizeof eh + sizeof ph + data.len;
	little_endian(&eh, sizeof eh, ELF_T_EHDR);
	little_endian(&ph, sizeof ph, ELF_T_PHDR);
	little_endian(sh, (n + 2) * sizeof *sh, ELF_T_SHDR);
	CHECK(write(fd, &eh, sizeof eh) == sizeof eh);
	CHECK(write(fd, &ph, sizeof ph) == sizeof ph);
	CHECK(write(fd, data.p, data.len) == (ssize_t)data.len);
	CHECK(write(fd, sh, (n + 2) * sizeof *sh) ==
	      (ssize_t)((n + 2) * sizeof *sh));
	buf_done(&data);
	buf_done(&names);
	return fd;
}

/* rax rbx rcx rdx rsi rdi rbp rsp r8 … r15 rip, as gdb orders them */
static void
begin_stack(const char *p)
{
	static const uint8_t order[] = {
	    0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	char *end;

	memset(&rec, 0, sizeof rec);
	rec.regs.mode = UNWIND_MODE_KERNEL;
	for (size_t i = 0; i < sizeof order; i++, p = end)
		rec.regs.r[order[i]] = strtoull(p, &end, 16);
}

static void
end_stack(struct unwinder *u, const char *how)
{
	static struct unwind_stack st;
	bool same;

	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	same = st.n == rec.n_frame;
	for (size_t i = 0; same && i < st.n; i++)
		same = st.frame[i].pc == rec.frame[i];
	CHECK(same);
	CHECK(
	    st.end == (strcmp(how, "user\n") == 0 ? UNWIND_USER : UNWIND_ROOT));
	if (rec.n_word == 0)
		return; /* an idle CPU at its root */
	/* What cannot be read is said. */
	rec.n_word /= 2;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.end == UNWIND_MEMORY);
	CHECK(st.n <= rec.n_frame);
}

static void
read_line(struct unwinder *u, const char *line)
{
	uint64_t a, b;

	if (strncmp(line, "stack ", 6) == 0) {
		begin_stack(line + 6);
	} else if (sscanf(line, "word %" SCNx64 " %" SCNx64, &a, &b) == 2) {
		rec.word[rec.n_word].addr = a;
		rec.word[rec.n_word++].value = b;
	} else if (sscanf(line, "frame %" SCNx64, &a) == 1) {
		rec.frame[rec.n_frame++] = a;
	} else if (strncmp(line, "end ", 4) == 0) {
		end_stack(u, line + 4);
	}
}

static void
test_file(const char *path)
{
	struct section_bytes s[] = {{".orc_unwind_ip", BUF_INIT},
	    {".orc_unwind", BUF_INIT}, {".orc_header", BUF_INIT}};
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	FILE *f = fopen(path, "r");
	char line[1024], name[32];
	const char *why;
	int fd;

	CHECK(f != NULL);
	if (f == NULL)
		return;
	while (fgets(line, sizeof line, f) != NULL) {
		add_entry(s, line);
		if (strncmp(line, "header ", 7) == 0)
			add_header(s, line + 7);
	}
	fd = write_elf(s, s[2].bytes.len > 0 ? 3 : 2);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	CHECK(unwinder_add(u, name, 0, &why) != NULL);
	rewind(f);
	while (fgets(line, sizeof line, f) != NULL)
		read_line(u, line);
	fclose(f);
	close(fd);
	unwinder_free(u);
	for (int i = 0; i < 3; i++)
		buf_done(&s[i].bytes);
}

static void
add_word(uint64_t addr, uint64_t value)
{
	rec.word[rec.n_word].addr = addr;
	rec.word[rec.n_word++].value = value;
}

/*
 * A kernel without any table, whose entry does not keep frames: a handler that
 * the entry has called, what was interrupted, and the function that is a root.
 */
static void
test_rules(void)
{
	struct section_bytes s = {".none", BUF_INIT};
	struct saved saved = {.status = 160};
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	static struct unwind_stack st;
	struct unwind_module *m;
	const char *why;
	char name[32];
	int fd = write_elf(&s, 1);

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	m = unwinder_add(u, name, 0x1000, &why);
	CHECK(m != NULL);
	memset(saved.at, 0xff, sizeof saved.at);
	saved.at[16] = 152;
	saved.at[7] = 176;
	saved.at[6] = 48;
	unwind_module_rule(m, TEXT + 0x100, TEXT + 0x200, &saved);
	unwind_module_rule(m, TEXT + 0x300, TEXT + 0x400, NULL);
	memset(&rec, 0, sizeof rec);
	rec.regs.r[16] = TEXT + 0x1050;
	rec.regs.r[7] = 0x8000;
	rec.regs.r[6] = 0x8010;
	add_word(0x8010, 0x9000); /* rbp as it was interrupted */
	add_word(0x8018, TEXT + 0x1200);
	add_word(0x8020 + 152, TEXT + 0x1500);
	add_word(0x8020 + 176, 0x8ff0);
	add_word(0x8020 + 48, 0x9010);
	add_word(0x8020 + 160, 8);
	add_word(0x9010, 0);
	add_word(0x9018, TEXT + 0x1310);
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 4 && st.end == UNWIND_ROOT);
	CHECK(st.frame[1].pc == TEXT + 0x1200 && !st.frame[1].exact);
	CHECK(st.frame[2].pc == TEXT + 0x1500 && st.frame[2].exact);
	CHECK(st.frame[3].pc == TEXT + 0x1310 && !st.frame[3].exact);
	/* A process was interrupted. */
	rec.word[5].value = 0x33;
	rec.word[2].value = 0x401000;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 2 && st.end == UNWIND_USER);
	/* In the entry itself nothing is known. */
	rec.regs.r[16] = TEXT + 0x1150;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 1 && st.end == UNWIND_UNSAVED);
	unwinder_free(u);
	close(fd);
}

/*
 * A word of the stack was taken for an address, and there is no frame: an end
 * only where no kernel is known.
 */
static void
test_nowhere(void)
{
	struct section_bytes s = {".none", BUF_INIT};
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	static struct unwind_stack st;
	const char *why;
	char name[32];
	int fd = write_elf(&s, 1);

	memset(&rec, 0, sizeof rec);
	rec.regs.mode = UNWIND_MODE_KERNEL;
	rec.regs.r[16] = 0x100000;
	rec.regs.r[7] = 0x8000;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 1 && st.end == UNWIND_ZERO);
	/* A frame pointer below the stack: a module without its file. */
	rec.regs.r[6] = 0x10;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 1 && st.end == UNWIND_INNER);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	CHECK(unwinder_add(u, name, 0, &why) != NULL);
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 1 && st.end == UNWIND_UNSAVED);
	rec.regs.r[6] = 0;
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 1 && st.end == UNWIND_UNSAVED);
	unwinder_free(u);
	close(fd);
}

/*
 * A module with frame records alone, called by a kernel whose tables count from
 * the stack pointer: a record of arm64 does not tell where its frame ends.
 */
static void
test_records(void)
{
	/*
	 * CIE: version 1, factors 1 and -8, return address in x30; sp + 0.
	 * FDE: 0x1000 bytes at 0x100000; sp + 48, at its bottom x29 and x30.
	 */
	static const uint8_t eh[] = {12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 30,
	    0x0c, 31, 0, 28, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
	    0x10, 0, 0, 0, 0, 0, 0, 0x0e, 48, 0x80 | 29, 6, 0x80 | 30, 5, 0, 0,
	    0, 0, 0, 0};
	enum { KERNEL = 0x100000, MODULE = 0x200000 };
	struct unwinder *u = unwinder_new(UNWIND_AARCH64);
	static struct unwind_stack st;

	CHECK(unwinder_add_frames(u, KERNEL, 0x1000, 0x500000, eh, sizeof eh));
	memset(&rec, 0, sizeof rec);
	rec.regs.r[u->abi->pc] = MODULE;
	rec.regs.r[u->abi->sp] = rec.regs.r[u->abi->fp] = 0x8000;
	add_word(0x8000, 0x8040);
	add_word(0x8008, KERNEL + 0x28);
	add_word(0x8040, 0x8070);
	add_word(0x8048, KERNEL + 0x90);
	add_word(0x8070, 0);
	add_word(0x8078, 0);
	unwinder_run(u, &rec.regs, read_recorded, NULL, &st);
	CHECK(st.n == 3 && st.end == UNWIND_ZERO);
	CHECK(st.frame[1].pc == KERNEL + 0x28);
	CHECK(st.frame[2].pc == KERNEL + 0x90);
	unwinder_free(u);
}

int
main(void)
{
	test_file("tests/fixtures/orc/linux-6.1.txt");
	test_file("tests/fixtures/orc/linux-6.12.txt");
	test_rules();
	test_nowhere();
	test_records();
	return unit_end();
}
