/* SPDX-License-Identifier: ISC */
/*
 * Unwinds the stacks of tests/stacks/NAME.snap and compares with NAME.out;
 * tests/README.md describes both. With operands it prints what it unwinds from
 * those files instead.
 */
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "unit.h"
#include "unwind/unwind.h"

enum { WORDS = 8192, RUNS = 128, RULES = 32, MODULES = 16, LINE = 1 << 16 };

/* Bytes at an address: of code, or of one section. */
struct run {
	uint64_t addr;
	struct buf bytes;
};

struct rule_line {
	uint64_t start, end;
	bool root;
	struct caller entry;
};

/* What the lines of a file have said. */
static struct {
	const char *path;
	unsigned line;
	enum unwind_arch arch;
	const struct unwind_abi *abi;
	struct unwinder *u;
	struct unwind_settings set;
	/* The module that is being read. */
	bool in_module, program;
	uint64_t text, size, start;
	struct run ip, orc, eh_frame, function;
	struct rule_line rule[RULES];
	size_t n_rule;
	/* The code of all modules, which is in memory; what is not told is 0.
	 */
	struct run code[RUNS];
	size_t n_code, first_code;
	struct {
		uint64_t addr, size;
	} range[MODULES];
	size_t n_range;
	/* The stack that is being read. */
	bool in_stack;
	struct unwind_regs regs;
	struct {
		uint64_t addr, value;
	} word[WORDS];
	size_t n_word;
} f;

static void
bad(const char *why)
{
	fprintf(stderr, "%s:%u: %s\n", f.path, f.line, why);
	exit(1);
}

static uint64_t
number(const char *text, int base)
{
	char *end;
	uint64_t v;

	if (text == NULL)
		bad("a number is missing");
	v = strtoull(text, &end, base);
	if (*end != 0 || end == text)
		bad("not a number");
	return v;
}

static uint64_t
hex(void)
{
	return number(strtok(NULL, " \n"), 16);
}

static void
hex_bytes(struct buf *b)
{
	const char *p;
	unsigned v;

	while ((p = strtok(NULL, " \n")) != NULL)
		for (; *p != 0; p += 2) {
			if (sscanf(p, "%2x", &v) != 1 || p[1] == 0)
				bad("not bytes");
			buf_addc(b, (char)v);
		}
}

static void
little(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

static bool
read_byte(uint64_t addr, uint8_t *to)
{
	for (size_t i = 0; i < f.n_code; i++)
		if (addr - f.code[i].addr < f.code[i].bytes.len) {
			*to = (uint8_t)f.code[i].bytes.p[addr - f.code[i].addr];
			return true;
		}
	*to = 0;
	for (size_t i = 0; i < f.n_range; i++)
		if (addr - f.range[i].addr < f.range[i].size)
			return true;
	return false;
}

static size_t
read_code(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	size_t done = 0;

	(void)arg;
	while (done < n && read_byte(addr + done, to + done))
		done++;
	return done;
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	for (size_t i = 0; i < f.n_word; i++)
		if (f.word[i].addr == addr) {
			*word = f.word[i].value;
			return 0;
		}
	return -1;
}

/* Modules, as ELF files -------------------------------------------------- */

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
	d->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	d->d_version = EV_CURRENT;
	d->d_align = 1;
	return scn;
}

static void
add_symbols(Elf *elf, struct buf *sym)
{
	const size_t n = f.function.bytes.len / sizeof(uint64_t) + 1;
	Elf_Data d = {.d_type = ELF_T_SYM, .d_version = EV_CURRENT};
	GElf_Shdr sh;
	Elf_Scn *scn;

	d.d_size = n * gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	buf_room(sym, d.d_size);
	memset(sym->p, 0, d.d_size);
	sym->len = d.d_size;
	d.d_buf = sym->p;
	scn = add_section(elf, ".symtab", SHT_SYMTAB, &(struct run){0, *sym});
	for (size_t i = 1; i < n; i++) {
		GElf_Sym s = {.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
		    .st_name = 1, /* any */
		    .st_shndx = 1};

		memcpy(&s.st_value,
		    f.function.bytes.p + (i - 1) * sizeof s.st_value,
		    sizeof s.st_value);
		gelf_update_sym(elf_getdata(scn, NULL), (int)i, &s);
	}
	gelf_getshdr(scn, &sh);
	sh.sh_entsize = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	sh.sh_link = (GElf_Word)elf_ndxscn(scn) + 1; /* the names' */
	gelf_update_shdr(scn, &sh);
}

/* The segments: all of the text, and the parts of its code that are known. */
static void
add_segments(Elf *elf, Elf_Scn *const *scn)
{
	const size_t n = f.n_code - f.first_code;

	for (size_t i = 0; i <= n; i++) {
		GElf_Phdr ph = {.p_type = PT_LOAD,
		    .p_flags = PF_R | PF_X,
		    .p_vaddr = f.text,
		    .p_memsz = f.size};
		GElf_Shdr sh;

		if (i < n) {
			gelf_getshdr(scn[i], &sh);
			ph.p_vaddr = f.code[f.first_code + i].addr;
			ph.p_offset = sh.sh_offset;
			ph.p_filesz = ph.p_memsz = sh.sh_size;
		}
		gelf_update_phdr(elf, (int)i, &ph);
	}
}

static void
write_elf(int fd)
{
	const size_t n = f.n_code - f.first_code;
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_WRITE, NULL));
	struct buf sym = BUF_INIT;
	Elf_Scn *scn[RUNS], *last;
	GElf_Ehdr eh;

	gelf_newehdr(elf, f.abi->word == 4 ? ELFCLASS32 : ELFCLASS64);
	gelf_newphdr(elf, n + 1);
	names.len = 0;
	buf_addc(&names, 0);
	for (size_t i = 0; i < n; i++)
		scn[i] = add_section(
		    elf, ".text", SHT_PROGBITS, &f.code[f.first_code + i]);
	if (f.ip.bytes.len > 0) {
		add_section(elf, ".orc_unwind_ip", SHT_PROGBITS, &f.ip);
		add_section(elf, ".orc_unwind", SHT_PROGBITS, &f.orc);
	}
	if (f.eh_frame.bytes.len > 0)
		add_section(elf, ".eh_frame", SHT_PROGBITS, &f.eh_frame);
	add_symbols(elf, &sym);
	buf_adds(&names, ".names");
	buf_addc(&names, 0);
	names.len -= 7;
	last = add_section(elf, ".names", SHT_STRTAB, &(struct run){0, names});
	gelf_getehdr(elf, &eh);
	eh.e_type = ET_EXEC;
	eh.e_machine = f.abi->machine;
	eh.e_entry = f.start;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_shstrndx = (GElf_Half)elf_ndxscn(last);
	gelf_update_ehdr(elf, &eh);
	elf_getdata(last, NULL)->d_size = names.len;
	CHECK(elf_update(elf, ELF_C_NULL) > 0);
	add_segments(elf, scn);
	CHECK(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	buf_done(&sym);
}

static void
end_module(struct buf *out)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	struct unwind_module *m;
	const char *why;
	char path[40];

	if (!f.in_module) {
		close(fd);
		return;
	}
	write_elf(fd);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	m = unwinder_add(f.u, path, 0, f.program, &why);
	if (m == NULL)
		bad(why);
	if (why != NULL)
		buf_printf(out, "module: %s\n", why);
	for (size_t i = 0; i < f.n_rule; i++)
		unwind_module_rule(m, f.rule[i].start, f.rule[i].end,
		    f.rule[i].root ? NULL : &f.rule[i].entry);
	if (f.n_code > 0)
		f.set.code = read_code;
	unwinder_set(f.u, &f.set);
	if (f.n_range == MODULES)
		bad("too many modules");
	f.range[f.n_range].addr = f.text;
	f.range[f.n_range++].size = f.size;
	f.in_module = false;
	f.start = 0;
	f.n_rule = 0;
	f.first_code = f.n_code;
	f.ip.bytes.len = f.orc.bytes.len = 0;
	f.eh_frame.bytes.len = f.function.bytes.len = 0;
	close(fd);
}

/* Lines ------------------------------------------------------------------ */

/* pc, sp, fp, ra, status or r and DWARF's number. */
static unsigned
register_number(const char *name)
{
	if (strcmp(name, "pc") == 0)
		return f.abi->pc;
	if (strcmp(name, "sp") == 0)
		return f.abi->sp;
	if (strcmp(name, "fp") == 0)
		return f.abi->fp;
	if (strcmp(name, "ra") == 0)
		return f.abi->ra;
	if (strcmp(name, "status") == 0)
		return CALLER_STATUS;
	if (name[0] != 'r' || number(name + 1, 10) >= f.abi->n)
		bad("no such register");
	return (unsigned)number(name + 1, 10);
}

static void
arch_line(void)
{
	const char *name = strtok(NULL, " \n");

	for (int i = 0; i < UNWIND_ARCHS; i++)
		if (name != NULL && strcmp(unwind_abis[i].name, name) == 0) {
			f.arch = (enum unwind_arch)i;
			f.abi = &unwind_abis[i];
			f.u = unwinder_new(f.arch);
			name = strtok(NULL, " \n");
			f.set =
			    (struct unwind_settings){.show_skid = name == NULL};
			unwinder_set(f.u, &f.set);
			return;
		}
	bad("no such architecture");
}

static void
orc_line(void)
{
	const uint64_t addr = hex();
	const int64_t at = (int64_t)(f.text + f.ip.bytes.len);

	f.ip.addr = f.text;
	little(&f.ip.bytes, addr - (uint64_t)at, 4);
	for (int i = 0; i < 3; i++) {
		const char *text = strtok(NULL, " \n");

		little(
		    &f.orc.bytes, (uint64_t)strtol(text ? text : "", 0, 0), 2);
	}
}

static void
rule_line(bool root)
{
	struct rule_line *r = &f.rule[f.n_rule++];
	const char *name;

	*r = (struct rule_line){.root = root};
	r->start = hex();
	r->end = hex();
	caller_init(&r->entry, f.abi->sp, 0);
	while (f.n_rule < RULES && (name = strtok(NULL, " \n")) != NULL)
		caller_add(&r->entry, register_number(name), CALLER_AT,
		    (int64_t)number(strtok(NULL, " \n"), 10));
}

static void
code_line(void)
{
	struct run *last = f.code + (f.n_code > 0 ? f.n_code - 1 : 0);
	const uint64_t addr = hex();

	if (f.n_code == f.first_code || last->addr + last->bytes.len != addr) {
		if (f.n_code == RUNS)
			bad("too many parts of code");
		last = &f.code[f.n_code++];
		last->addr = addr;
		last->bytes.len = 0;
	}
	hex_bytes(&last->bytes);
}

static void
module_line(const char *key)
{
	if (strcmp(key, "text") == 0) {
		f.text = hex();
		f.size = hex();
	} else if (strcmp(key, "code") == 0) {
		code_line();
	} else if (strcmp(key, "function") == 0) {
		const uint64_t addr = hex();

		buf_add(&f.function.bytes, (const char *)&addr, sizeof addr);
	} else if (strcmp(key, "start") == 0) {
		f.start = hex();
	} else if (strcmp(key, "orc") == 0) {
		orc_line();
	} else if (strcmp(key, "eh-frame") == 0) {
		f.eh_frame.addr = hex();
		hex_bytes(&f.eh_frame.bytes);
	} else if (strcmp(key, "root") == 0 || strcmp(key, "entry") == 0) {
		rule_line(key[0] == 'r');
	} else {
		bad("unknown line of a module");
	}
}

static void
stack_line(const char *key)
{
	static const char *const modes[] = {
	    "unknown", "kernel", "user", "firmware"};
	const char *text;

	if (strcmp(key, "mode") == 0) {
		text = strtok(NULL, " \n");
		for (int i = 0; i < 4; i++)
			if (text != NULL && strcmp(text, modes[i]) == 0)
				f.regs.mode = (enum unwind_mode)i;
	} else if (strcmp(key, "exception") == 0) {
		f.regs.has_exception = true;
		f.regs.exception_pc = hex();
		f.regs.exception_status = hex();
	} else if (strcmp(key, "vector") == 0) {
		f.regs.vector = f.regs.machine_vector = hex();
	} else if (strcmp(key, "machine") == 0) {
		f.regs.has_machine = true;
		f.regs.machine_pc = hex();
		f.regs.machine_status = hex();
	} else if (strcmp(key, "thread-sp") == 0) {
		f.regs.thread_sp = hex();
	} else if (strcmp(key, "regs") == 0) {
		while ((text = strtok(NULL, " \n")) != NULL) {
			const unsigned reg = register_number(text);

			f.regs.r[reg < UNWIND_REGS ? reg : 0] = hex();
		}
	} else if (strcmp(key, "word") == 0) {
		uint64_t addr = hex();

		while ((text = strtok(NULL, " \n")) != NULL) {
			if (f.n_word == WORDS)
				bad("too many words");
			f.word[f.n_word].addr = addr;
			f.word[f.n_word++].value = number(text, 16);
			addr += f.abi->word;
		}
	} else {
		bad("unknown line of a stack");
	}
}

static const char *const ends[] = {"root", "zero", "user", "unproven", "loop",
    "inner", "memory", "window", "unsaved", "rule", "limit", "differs",
    "firmware", "program"};

static void
end_stack(struct buf *out)
{
	static struct unwind_stack st;

	if (!f.in_stack)
		return;
	unwinder_run(f.u, &f.regs, read_word, NULL, &st);
	for (size_t i = 0; i < st.n; i++)
		buf_printf(out, "%" PRIx64 "%s%s\n", st.frame[i].pc,
		    st.frame[i].exact ? " exact" : "",
		    st.frame[i].signal ? " signal" : "");
	buf_printf(out, "end %s", ends[st.end]);
	if (st.end == UNWIND_MEMORY)
		buf_printf(
		    out, " %" PRIx64 "%s", st.bad, st.code ? " code" : "");
	buf_adds(out, "\n");
	memset(&f.regs, 0, sizeof f.regs);
	f.n_word = 0;
	f.in_stack = false;
}

static void
take_line(char *line, struct buf *out)
{
	const char *key, *text;

	if (line[0] == '#' || (key = strtok(line, " \n")) == NULL)
		return;
	if (strcmp(key, "arch") == 0) {
		arch_line();
		return;
	}
	if (f.u == NULL)
		bad("an arch line comes first");
	if (strcmp(key, "module") == 0) {
		end_module(out);
		end_stack(out);
		f.in_module = true;
		text = strtok(NULL, " \n");
		f.program = text != NULL && strcmp(text, "program") == 0;
	} else if (strcmp(key, "stack") == 0) {
		end_module(out);
		end_stack(out);
		f.in_stack = true;
		text = strtok(NULL, "\n");
		buf_printf(
		    out, "stack%s%s\n", text ? " " : "", text ? text : "");
	} else if (f.in_stack) {
		stack_line(key);
	} else {
		module_line(key);
	}
}

static void
read_snap(const char *path, struct buf *out)
{
	static char line[LINE];
	FILE *in = fopen(path, "r");

	f.path = path;
	f.line = 0;
	f.u = NULL;
	f.n_code = f.first_code = f.n_range = 0;
	if (in == NULL)
		bad("cannot be opened");
	while (fgets(line, sizeof line, in) != NULL) {
		f.line++;
		take_line(line, out);
	}
	end_module(out);
	end_stack(out);
	fclose(in);
	unwinder_free(f.u);
}

/* Prints the first line that differs. */
static bool
is_same(const char *path, const struct buf *out)
{
	struct buf want = BUF_INIT;
	char name[512];
	FILE *in;
	bool same;
	int c;

	snprintf(name, sizeof name, "%.*s.out", (int)strlen(path) - 5, path);
	in = fopen(name, "r");
	while (in != NULL && (c = getc(in)) != EOF)
		buf_addc(&want, (char)c);
	if (in != NULL)
		fclose(in);
	same = in != NULL && want.len == out->len &&
	       memcmp(want.p, out->p, want.len) == 0;
	if (!same)
		printf("%s: build/unit/stacks %s prints something else\n", name,
		    path);
	buf_done(&want);
	return same;
}

int
main(int argc, char **argv)
{
	struct buf out = BUF_INIT;
	glob_t g;

	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			read_snap(argv[i], &out);
		fwrite(out.p, 1, out.len, stdout);
		buf_done(&out);
		return 0;
	}
	CHECK(glob("tests/stacks/*.snap", 0, NULL, &g) == 0 && g.gl_pathc > 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		out.len = 0;
		read_snap(g.gl_pathv[i], &out);
		CHECK(is_same(g.gl_pathv[i], &out));
	}
	globfree(&g);
	buf_done(&out);
	return unit_end();
}
