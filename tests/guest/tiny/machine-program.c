/* SPDX-License-Identifier: ISC */
/* The program of machine.c: start, top, and work or a call of the kernel. */
#include "start.h"

unsigned long ticks;

FRAME void
work(void)
{
	for (volatile int i = 0; i < 200000; i++)
		ticks++;
}

FRAME void
top(void)
{
	for (;;) {
		work();
		__asm__ volatile("ecall" : : : "memory");
	}
}
