/* SPDX-License-Identifier: ISC */
/* Calls lines.c, and switches the guest off. */
#include "start.h"

int work(void);

FRAME void
top(void)
{
	work();
#ifdef __i386__
	__asm__ volatile("outb %0, %1" : : "a"((char)0), "Nd"((short)0xf4));
#elif defined __aarch64__
	register unsigned long function __asm__("x0") = 0x84000008;

	__asm__ volatile("hvc #0" : "+r"(function));
#else
	*(volatile unsigned *)0x100000 = 0x5555;
#endif
	for (;;)
		;
}
