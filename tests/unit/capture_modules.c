/* SPDX-License-Identifier: ISC */
/*
 * Linux' modules in a memory that is made here: a kernel's file with BTF and
 * the list of modules, two of them, their symbols and unwind tables.
 */
#include "linux/modules.h"

#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "elf/elfsym.h"

#define KERNEL UINT64_C(0xffffffff81000000)
#define SLIDE UINT64_C(0x200000)
enum { MEMORY = 8 << 20 };
#include "capture_memory.h"

#define TEXT UINT64_C(0xffffffffc0100000)
enum { TEXT_SIZE = 0x2000 };

/* In struct module. */
enum { LIST = 8, NAME = 24, KALLSYMS = 0x80, BASE = 0xa0, ORC = 0xc0 };

/* In memory. */
enum {
	MODULES = 0x100,
	EXT4 = 0x1000,
	JBD2 = 0x2000,
	KALLSYMS_OF = 0x3000, /* and 0x40 for the second */
	SYMTAB = 0x3100,
	STRTAB = 0x3400,
	ORC_IP = 0x3800,
	ORC_ENTRIES = 0x3900,
	STACK = 0x4000,
	MANY = 0x10000
};

/* Of ext4 in Debian's Linux 6.12 for riscv64: 213,206 are local labels. */
enum { SYMBOLS = 216901 };

static int
read_word(void *arg, uint64_t addr, uint64_t *to)
{
	uint8_t b[8];

	if (read_memory(arg, addr, b, sizeof b) != 0)
		return -1;
	*to = uint_load(b, 8, false);
	return 0;
}

static struct buf types, strings;

static void
add32(struct buf *b, uint64_t v)
{
	for (int i = 0; i < 4; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

static void
add_name(const char *s)
{
	add32(&types, *s ? strings.len : 0);
	if (*s)
		buf_add(&strings, s, strlen(s) + 1);
}

static void
structure(const char *name, unsigned members)
{
	add_name(name);
	add32(&types, 4u << 24 | members);
	add32(&types, 64);
}

static void
member(const char *name, unsigned at)
{
	add_name(name);
	add32(&types, 0);
	add32(&types, 8 * at);
}

/* As it was before Linux 6.4, or is since. */
static struct buf
make_btf(bool old)
{
	struct buf b = BUF_INIT;

	types.len = strings.len = 0;
	buf_addc(&strings, 0);
	structure("module", old ? 6 : 5);
	member("list", LIST);
	member("name", NAME);
	member("kallsyms", KALLSYMS);
	member(old ? "core_layout" : "mem", BASE);
	if (old)
		member("init_layout", BASE + 0x18);
	member("arch", ORC);
	structure(old ? "module_layout" : "module_memory", 2);
	member("base", 0);
	member(old ? "text_size" : "size", 12);
	structure("mod_arch_specific", 3);
	member("num_orcs", 0);
	member("orc_unwind_ip", 8);
	member("orc_unwind", 16);
	structure("mod_kallsyms", 3);
	member("symtab", 0);
	member("num_symtab", 8);
	member("strtab", 16);
	add32(&b, 0x0001eb9f);
	add32(&b, 24);
	add32(&b, 0);
	add32(&b, types.len);
	add32(&b, types.len);
	add32(&b, strings.len);
	buf_add(&b, types.p, types.len);
	buf_add(&b, strings.p, strings.len);
	return b;
}

static Elf_Scn *
add_section(Elf *elf, uint32_t name, uint32_t kind, void *p, size_t n)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf_Data *d = elf_newdata(scn);

	sh->sh_name = name;
	sh->sh_type = kind;
	d->d_buf = p;
	d->d_size = n;
	d->d_type = kind == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	d->d_align = 1;
	return scn;
}

static struct elfsym *
make_kernel(bool old)
{
	static const char names[] = "\0.BTF\0.symtab\0.strtab\0.text";
	static char str[] = "\0modules";
	static uint8_t code[64];
	char path[] = "/tmp/kst-unit.XXXXXX";
	const int fd = mkstemp(path);
	Elf64_Sym sym[2] = {
	    {0}, {.st_name = 1,
		     .st_shndx = 4,
		     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
		     .st_value = KERNEL + MODULES}};
	struct buf err = BUF_INIT, btf = make_btf(old);
	struct elfsym *s;
	Elf64_Shdr *sh;
	Elf64_Ehdr *h;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	h = elf64_newehdr(elf);
	add_section(elf, 1, SHT_PROGBITS, btf.p, btf.len);
	sh = elf64_getshdr(add_section(elf, 6, SHT_SYMTAB, sym, sizeof sym));
	sh->sh_link = 3;
	sh->sh_entsize = sizeof *sym;
	add_section(elf, 14, SHT_STRTAB, str, sizeof str);
	sh = elf64_getshdr(
	    add_section(elf, 22, SHT_PROGBITS, code, sizeof code));
	sh->sh_addr = KERNEL;
	sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	add_section(elf, 0, SHT_STRTAB, (char *)(uintptr_t)names, sizeof names);
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_machine = EM_X86_64;
	h->e_type = ET_EXEC;
	h->e_shstrndx = 5;
	CHECK(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
	s = elfsym_load(path, 0, &err);
	CHECK(s != NULL);
	elfsym_move(s, SLIDE);
	unlink(path);
	buf_done(&err);
	buf_done(&btf);
	return s;
}

static void
add_symbol(unsigned i, unsigned name, uint64_t at, unsigned section)
{
	put(SYMTAB + 24 * i, name, 4);
	put(SYMTAB + 24 * i + 6, section, 2);
	put(SYMTAB + 24 * i + 8, at, 8);
}

static void
add_module(uint64_t at, uint64_t next, const char *name, uint64_t text,
    uint64_t kallsyms)
{
	put(at + LIST, place(next), 8);
	memset(memory + at + NAME, 0, 56);
	memcpy(memory + at + NAME, name, strlen(name));
	put(at + KALLSYMS, place(kallsyms), 8);
	put(at + BASE, text, 8);
	put(at + BASE + 12, TEXT_SIZE, 4);
}

/* An entry: the return address is that far above the stack pointer. */
static void
add_orc(unsigned i, uint64_t at, unsigned up)
{
	put(ORC_IP + 4 * i, at - place(ORC_IP + 4 * i), 4);
	put(ORC_ENTRIES + 6 * i, up, 2);
	put(ORC_ENTRIES + 6 * i + 4, 5 | 2 << 8, 2); /* a call */
}

static void
make_memory(void)
{
	static const char names[] = "\0write\0begin\0$x\0gone\0sync";

	memset(memory, 0, sizeof memory);
	put(MODULES, place(EXT4 + LIST), 8);
	add_module(EXT4, JBD2 + LIST, "ext4", TEXT, KALLSYMS_OF);
	add_module(JBD2, MODULES, "jbd2", TEXT + 0x10000, KALLSYMS_OF + 0x40);
	put(KALLSYMS_OF, place(SYMTAB), 8);
	put(KALLSYMS_OF + 8, 6, 4);
	put(KALLSYMS_OF + 16, place(STRTAB), 8);
	put(KALLSYMS_OF + 0x40, place(SYMTAB + 6 * 24), 8);
	put(KALLSYMS_OF + 0x48, 1, 4);
	put(KALLSYMS_OF + 0x50, place(STRTAB), 8);
	memcpy(memory + STRTAB, names, sizeof names);
	add_symbol(1, 1, TEXT + 0x1000, 1);
	add_symbol(2, 7, TEXT + 0x100, 1);
	add_symbol(3, 13, TEXT + 0x1010, 1); /* a mark, not a function */
	add_symbol(4, 16, TEXT + 0x1020, 0); /* of another module */
	add_symbol(5, 16, 16, 1);
	add_symbol(6, 21, TEXT + 0x10000, 1);
	put(EXT4 + ORC, 3, 4);
	put(EXT4 + ORC + 8, place(ORC_IP), 8);
	put(EXT4 + ORC + 16, place(ORC_ENTRIES), 8);
	add_orc(0, TEXT + 0x100, 8);
	add_orc(1, TEXT + 0x1000, 8);
	add_orc(2, TEXT + 0x1004, 24);
}

static bool
is_named(const struct modules *m, uint64_t addr, const char *name)
{
	struct elfsym *sym = modules_symbols(m, addr);
	const struct elfsym_frame *f;

	return sym != NULL && elfsym_frames(sym, addr, &f) == 1 &&
	       f->name_len == strlen(name) &&
	       memcmp(f->name, name, f->name_len) == 0;
}

/* From the middle of one function through another one. */
static void
test_unwinding(struct unwinder *u)
{
	static struct unwind_stack st;
	struct unwind_regs regs = {.mode = UNWIND_MODE_KERNEL};

	regs.r[16] = TEXT + 0x1008;
	regs.r[7] = place(STACK);
	put(STACK + 16, TEXT + 0x104, 8);
	put(STACK + 24, 0, 8);
	unwinder_run(u, &regs, read_word, memory, &st);
	CHECK(st.n == 2 && st.frame[1].pc == TEXT + 0x104);
	CHECK(st.end == UNWIND_ZERO);
}

static void
test_modules(bool old)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct elfsym *kernel = make_kernel(old);
	struct modules *m = modules_new(kernel, u, &reader);
	unsigned before;

	make_memory();
	CHECK(modules_symbols(m, TEXT + 0x1000) == NULL);
	CHECK(!modules_find(m, TEXT - 1));
	CHECK(modules_find(m, TEXT + 0x1000));
	CHECK(is_named(m, TEXT + 0x100, "begin [ext4]"));
	CHECK(is_named(m, TEXT + 0xfff, "begin [ext4]"));
	CHECK(is_named(m, TEXT + 0x1024, "write [ext4]"));
	CHECK(is_named(m, TEXT + 0x1fff, "write [ext4]"));
	CHECK(!is_named(m, TEXT + 0x2000, "write [ext4]"));
	CHECK(modules_symbols(m, TEXT + 0x10000) == NULL);
	CHECK(modules_find(m, TEXT + 0x10010));
	CHECK(is_named(m, TEXT + 0x10010, "sync [jbd2]"));
	test_unwinding(u);
	before = reads;
	modules_doubt(m);
	CHECK(modules_find(m, TEXT + 0x1000));
	CHECK(reads == before + 1); /* it is looked at, not read again */
	test_unwinding(u);
	/* Another module is in its place. */
	modules_doubt(m);
	memcpy(memory + EXT4 + NAME, "xfs\n", 5);
	CHECK(modules_find(m, TEXT + 0x1000));
	CHECK(is_named(m, TEXT + 0x1024, "write [xfs_]"));
	/* None is. */
	modules_doubt(m);
	put(MODULES, place(JBD2 + LIST), 8);
	put(EXT4 + BASE + 12, 0, 4);
	CHECK(!modules_find(m, TEXT + 0x1000));
	CHECK(modules_symbols(m, TEXT + 0x1000) == NULL);
	modules_free(m);
	elfsym_free(kernel);
	unwinder_free(u);
}

/*
 * Symbols alone, also of the code that begins: the part is the fifth since
 * Linux 6.4, and what tells that it is there is its address in the structure.
 */
static void
test_begin(bool old)
{
	const unsigned at = old ? BASE + 0x18 : BASE + 4 * 64;
	struct elfsym *kernel = make_kernel(old);
	struct modules *m = modules_new(kernel, NULL, &reader);
	struct module_place p;

	CHECK(modules_readable(kernel));
	make_memory();
	put(EXT4 + at, TEXT + 0x100000, 8);
	put(EXT4 + at + 12, 0x1000, 4);
	add_symbol(4, 16, TEXT + 0x100010, 1);
	CHECK(modules_find(m, TEXT + 0x100020));
	CHECK(is_named(m, TEXT + 0x100020, "gone [ext4]"));
	CHECK(is_named(m, TEXT + 0x100fff, "gone [ext4]"));
	CHECK(!is_named(m, TEXT + 0x101000, "gone [ext4]"));
	CHECK(is_named(m, TEXT + 0x1024, "write [ext4]"));
	p = modules_place(m, TEXT + 0x1024);
	CHECK(p.number == 0 && p.name_at == place(EXT4 + NAME));
	CHECK(p.part[0].low == TEXT && p.part[0].size == TEXT_SIZE);
	CHECK(p.part[0].base_at == place(EXT4 + BASE));
	CHECK(p.part[1].low == TEXT + 0x100000 && p.part[1].size == 0x1000);
	CHECK(p.part[1].base_at == place(EXT4 + at));
	/* It has begun, and three others do so at its place, one by one. */
	for (unsigned i = 1; i < 4; i++) {
		modules_doubt(m);
		put(EXT4 + KALLSYMS, place(KALLSYMS_OF), 8);
		memory[EXT4 + NAME] = (uint8_t)('0' + i);
		CHECK(modules_find(m, TEXT + 0x100020));
		CHECK(modules_place(m, TEXT + 0x100020).number == i);
	}
	modules_free(m);
	elfsym_free(kernel);
}

/* A compiler for riscv leaves its labels in the table. */
static void
test_labels(void)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct elfsym *kernel = make_kernel(false);
	struct modules *m = modules_new(kernel, u, &reader);
	const uint64_t label = STRTAB + 26;

	make_memory();
	memcpy(memory + label, ".L0 ", 5);
	put(KALLSYMS_OF, place(MANY), 8);
	put(KALLSYMS_OF + 8, SYMBOLS, 4);
	for (unsigned i = 1; i < SYMBOLS; i++) {
		const uint64_t at = MANY + 24 * (uint64_t)i;

		put(at, i == SYMBOLS / 2 ? 1 : label - STRTAB, 4);
		put(at + 6, 1, 2);
		put(at + 8, TEXT + (i == SYMBOLS / 2 ? 0x100 : i % 0x1000), 8);
	}
	CHECK(modules_find(m, TEXT + 0x1000));
	CHECK(is_named(m, TEXT + 0x1024, "write [ext4]"));
	modules_free(m);
	elfsym_free(kernel);
	unwinder_free(u);
}

/* What cannot be read, or does not end, has no modules. */
static void
test_damaged(void)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct elfsym *kernel = make_kernel(false);
	struct modules *m = modules_new(kernel, u, &reader);
	unsigned before;

	make_memory();
	put(JBD2 + LIST, place(EXT4 + LIST), 8);
	before = reads;
	CHECK(!modules_find(m, TEXT + 0x5000) && reads < before + 10000);
	before = reads;
	CHECK(!modules_find(m, TEXT + 0x5000) && reads > before);
	before = reads; /* the second time was in vain, too */
	CHECK(!modules_find(m, TEXT + 0x5000) && reads == before);
	put(KALLSYMS_OF + 8, 0x7fffffff, 4);
	CHECK(!modules_find(m, TEXT + 0x1000));
	put(SYMTAB + 6 * 24, 0x7fffffff, 4); /* a name that is far away */
	CHECK(!modules_find(m, TEXT + 0x10000));
	CHECK(modules_symbols(m, TEXT + 0x10000) == NULL);
	put(EXT4 + LIST, 8, 8);
	CHECK(!modules_find(m, TEXT + 0x7000));
	modules_free(m);
	modules_free(NULL);
	elfsym_free(kernel);
	unwinder_free(u);
}

int
main(void)
{
	test_modules(false);
	test_modules(true);
	test_begin(false);
	test_begin(true);
	test_labels();
	test_damaged();
	buf_done(&types);
	buf_done(&strings);
	return unit_end();
}
