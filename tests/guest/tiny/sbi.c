/* SPDX-License-Identifier: ISC */
/*
 * A kernel of riscv64 in supervisor mode, that asks the firmware below it most
 * of the time: start, top, three times nest, ask. `nest` keeps what its caller
 * has in registers, so that these matter.
 */
#include "start.h"

unsigned long ticks;

/* The extension that every firmware has: which version of the SBI it is. */
static FRAME void
ask(void)
{
	register unsigned long a0 __asm__("a0"), a1 __asm__("a1");
	register unsigned long a6 __asm__("a6") = 0;
	register unsigned long a7 __asm__("a7") = 0x10;

	for (;;) {
		__asm__ volatile("ecall"
				 : "=r"(a0), "=r"(a1)
				 : "r"(a6), "r"(a7));
		ticks += a1;
	}
}

static FRAME void
nest(unsigned long depth)
{
	unsigned char local[64];

	local[depth] = (unsigned char)ticks;
	__asm__ volatile("" : : "r"(local) : "memory");
	if (depth > 1)
		nest(depth - 1);
	else
		ask();
	ticks += local[depth];
}

FRAME void
top(void)
{
	nest(3);
	ticks++;
}
