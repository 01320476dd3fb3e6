/* SPDX-License-Identifier: ISC */
/*
 * For riscv64 without an operating system: a list of modules as Linux has it,
 * whose code comes and goes, and which is hostile in the end. Its debug
 * information is BTF.
 */
#include <stdint.h>

#define TEXT ((char *)0x80800000)
#define BEGIN ((char *)0x80900000)
#define EVIL ((char *)0x80a00000)
#define NO_MODULE ((char *)0x80b00000)

struct list_head {
	struct list_head *next, *prev;
};

struct symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t section;
	uint64_t at, size;
};

struct mod_kallsyms {
	struct symbol *symtab;
	unsigned int num_symtab;
	const char *strtab;
};

struct module_memory {
	void *base;
	unsigned int size;
};

struct module {
	struct list_head list;
	char name[56];
	struct mod_kallsyms *kallsyms;
	struct module_memory mem[7];
};

struct list_head modules = {&modules, &modules};
static struct module first, second;
static struct symbol symbols[4];
static struct mod_kallsyms names = {symbols, 4, ""};

/* Functions of a module: two that call each other, and one that begins. */
__asm__(".globl _start\n"
	".section .text.unlikely, \"ax\"\n"
	"_start: li sp, 0x80700000\n"
	"	call main\n"
	"1:	j 1b\n"
	".data\n"
	"code:	addi sp, sp, -16\n"
	"	sd ra, 8(sp)\n"
	"	jal 2f\n"
	"	ld ra, 8(sp)\n"
	"	addi sp, sp, 16\n"
	"	ret\n"
	".balign 64\n"
	"2:	.rept 20\n"
	"	addi a0, a0, 1\n"
	"	.endr\n"
	"	ret\n"
	"code_end:\n"
	".text\n");
extern char code[], code_end[];

static void
copy(char *to, const char *from, unsigned long n)
{
	while (n-- > 0)
		*(volatile char *)to++ = *from++;
}

/* For what the compiler makes of it. */
void *
memset(void *to, int c, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		((volatile char *)to)[i] = (char)c;
	return to;
}

/* The list has this module alone. */
static void
load(struct module *m, const char *name, char *text, const char *strings,
    unsigned outer, unsigned inner)
{
	copy(text, code, (unsigned long)(code_end - code));
	copy(m->name, name, 16);
	m->mem[0] = (struct module_memory){text, 4096};
	symbols[1] =
	    (struct symbol){.name = outer, .section = 1, .at = (uint64_t)text};
	symbols[2] = (struct symbol){
	    .name = inner, .section = 1, .at = (uint64_t)text + 64};
	names.strtab = strings;
	m->kallsyms = &names;
	m->list.next = &modules;
	modules.next = &m->list;
}

static void
run(char *code_at, int times)
{
	__asm__ volatile("fence.i");
	while (times-- > 0)
		((void (*)(void))code_at)();
}

/* It is loaded, begins, and is called. */
static void
ordinary(void)
{
	load(&first, "ext9\0          ", TEXT, "\0outer\0inner\0begin", 1, 7);
	copy(BEGIN, code, (unsigned long)(code_end - code));
	first.mem[4] = (struct module_memory){BEGIN, 4096};
	symbols[3] =
	    (struct symbol){.name = 13, .section = 1, .at = (uint64_t)BEGIN};
	run(BEGIN, 1);
	first.mem[4] = (struct module_memory){0, 0};
	names.num_symtab = 3;
	run(TEXT, 10);
}

/* Another one is in its place, and at the place of what began. */
static void
other(void)
{
	first = (struct module){0};
	load(&second, "ext8\0          ", TEXT, "\0second\0third\0start", 1, 8);
	second.mem[4] = (struct module_memory){BEGIN, 4096};
	copy(BEGIN, code, (unsigned long)(code_end - code));
	symbols[3].name = 14;
	names.num_symtab = 4;
	run(BEGIN, 1);
	run(TEXT, 5);
}

static void
hostile(void)
{
	second = (struct module){0};
	load(&first, "e;v [\x1b\n]      ", EVIL, "\0a;b \x1b[31m\nc\0inner", 1,
	    13);
	run(EVIL, 2);
	first.list.next = &first.list; /* for ever */
	names.num_symtab = 0xffffffff;
	copy(NO_MODULE, code, (unsigned long)(code_end - code));
	run(NO_MODULE, 2);
	first.mem[0] = (struct module_memory){NO_MODULE + 4096, 4096};
	copy(NO_MODULE + 4096, code, (unsigned long)(code_end - code));
	run(NO_MODULE + 4096, 2);
	modules.next = (void *)0x12345678abcd;
	copy(NO_MODULE + 8192, code, (unsigned long)(code_end - code));
	run(NO_MODULE + 8192, 2);
}

void
main(void)
{
	ordinary();
	other();
	hostile();
	*(volatile uint32_t *)0x100000 = 0x5555;
}
