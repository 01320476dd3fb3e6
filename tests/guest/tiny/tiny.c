/* SPDX-License-Identifier: ISC */
/*
 * One CPU of another architecture, on one stack for ever: start, top, five
 * times nest, leaf. The leaf has no frame.
 */
#include "start.h"

unsigned long ticks;

static FRAME void
leaf(unsigned long n)
{
	for (;;) {
		ticks += n;
		__asm__ volatile("" ::: "memory");
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
		leaf(ticks | 1);
	ticks += local[depth];
}

FRAME void
top(void)
{
	nest(5);
	ticks++;
}
