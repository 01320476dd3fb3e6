/* SPDX-License-Identifier: ISC */
/* Copies one program after the other to one place, and executes it there. */
#include "start.h"

/* The programs of program.S, and where they are linked. */
__asm__(".data\n"
	"begin_a: .incbin \"riscv64-program-a.bin\"\n"
	"end_a: begin_b: .incbin \"riscv64-program-b.bin\"\n"
	"end_b:\n.text\n");
extern const unsigned char begin_a[], end_a[], begin_b[], end_b[];

static unsigned char *const place = (unsigned char *)0x80100000;

static FRAME void
run(const unsigned char *p, const unsigned char *end)
{
	for (unsigned char *to = place; p < end; p++)
		*(volatile unsigned char *)to++ = *p;
	__asm__ volatile("fence.i" : : : "memory");
	((void (*)(void))place)();
}

FRAME void
top(void)
{
	run(begin_a, end_a);
	run(begin_b, end_b);
	*(volatile unsigned *)0x100000 = 0x5555; /* power off */
	for (;;)
		;
}
