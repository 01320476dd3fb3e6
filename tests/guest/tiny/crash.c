/* SPDX-License-Identifier: ISC */
/*
 * Ends in the way that the word at KIND in memory names, which QEMU's loader
 * puts there: each of `kinds` has a stack that is known.
 */
#include "start.h"

typedef unsigned long word;

#ifdef __i386__
#define KIND 0x1000000
#define ILLEGAL "ud2"
#elif defined __aarch64__
#define KIND 0x41000000
#define ILLEGAL "udf #0"
#else
#define KIND 0x81000000
#define ILLEGAL "unimp"
#endif

static volatile int held = 1, exceptions;

FRAME void
panic(void)
{
	for (;;)
		;
}

static FRAME void
double_fault(void)
{
	panic();
}

FRAME __attribute__((used)) void
handle(void)
{
	if (++exceptions > 1)
		double_fault();
	else if (*(volatile int *)KIND == 3)
		__asm__ volatile(ILLEGAL);
	panic();
}

void vector(void);
#ifdef __i386__
__asm__(".text\n.type vector, @function\nvector:\n	call handle\n"
	".size vector, . - vector\n"
	".balign 8\ngdt:\n	.quad 0, 0xcf9b000000ffff, 0xcf93000000ffff\n"
	".type load_tables, @function\nload_tables:\n"
	"	lgdt gdtr\n	lidt idtr\n	ret\n"
	".size load_tables, . - load_tables\n"
	"gdtr:\n	.word 23\n	.long gdt\n"
	"idtr:\n	.word 255\n	.long gates\n");
void load_tables(void);
word gates[64];
#elif defined __aarch64__
__asm__(".text\n.balign 2048\n.global vectors\nvectors:\n	.zero 512\n"
	".type vector, %function\nvector:\n	bl handle\n"
	".size vector, . - vector\n");
extern char vectors[];
#else
__asm__(".text\n.balign 4\n.type vector, @function\nvector:\n	call handle\n"
	".size vector, . - vector\n");
#endif

static void
catch_exceptions(void)
{
#ifdef __i386__
	for (int i = 0; i < 64; i += 2) {
		gates[i] = ((word)vector & 0xffff) | 8 << 16;
		gates[i + 1] = ((word)vector & 0xffff0000) | 0x8e00;
	}
	load_tables();
#elif defined __aarch64__
	__asm__ volatile("msr vbar_el1, %0; isb" : : "r"(vectors));
#else
	__asm__ volatile("csrw mtvec, %0" : : "r"(vector));
#endif
}

/* A null pointer is called: there is no code. Of riscv64 it is read. */
static FRAME void
faults(void)
{
#ifdef __riscv
	(void)*(volatile int *)0;
#else
	__asm__ volatile(ILLEGAL);
#endif
}

/* Each call looks whether there is room for another one. */
static FRAME void
overflows(void)
{
	volatile char local[1024];

	local[0] = 0;
	if ((word)local - (word)stack < 2 * sizeof local)
		panic();
	if (held)
		overflows();
	local[1] = 0;
}

static FRAME void
asserts(int x)
{
	if (x != 4)
		panic();
}

static FRAME void
acquires(void)
{
	while (held)
		;
}

static FRAME void
locks(void)
{
	acquires();
}

static FRAME void
resets(void)
{
#ifdef __i386__
	static const struct {
		char no[6];
	} none = {{0}};

	__asm__ volatile("lidt %0; ud2" : : "m"(none)); /* a triple fault */
#elif defined __aarch64__
	register word function __asm__("x0") = 0x84000009;

	__asm__ volatile("hvc #0" : "+r"(function));
#else
	*(volatile unsigned *)0x100000 = 0x7777;
#endif
}

static FRAME void
works(int kind)
{
	if (kind == 1 || kind == 3)
		faults();
	else if (kind == 2)
		overflows();
	else if (kind == 4)
		asserts(3);
	else if (kind == 5)
		locks();
	else
		resets();
}

FRAME void
top(void)
{
	catch_exceptions();
	works(*(volatile int *)KIND);
	for (;;)
		;
}
