/* SPDX-License-Identifier: ISC */
/*
 * A boot of two phases on QEMU's virt machines, three to one by the guest's own
 * clock, said on the serial line; then it powers off.
 */
#include "start.h"

#ifdef __aarch64__
static volatile unsigned char *const uart = (unsigned char *)0x09000000;

static unsigned long
now(void)
{
	unsigned long t;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(t));
	return t;
}

static unsigned long
ticks_ms(void)
{
	unsigned long hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz / 1000;
}

/* PSCI: SYSTEM_OFF. */
static void
power_off(void)
{
	register unsigned long function __asm__("x0") = 0x84000008;

	__asm__ volatile("hvc #0" : "+r"(function));
}
#else
static volatile unsigned char *const uart = (unsigned char *)0x10000000;

static unsigned long
now(void)
{
	unsigned long t;

	__asm__ volatile("rdtime %0" : "=r"(t));
	return t;
}

/* The virt machine's timebase is 10 MHz. */
static unsigned long
ticks_ms(void)
{
	return 10000;
}

static void
power_off(void)
{
	*(volatile unsigned *)0x100000 = 0x5555;
}
#endif

static void
say(const char *s)
{
	while (*s)
		*uart = (unsigned char)*s++;
}

/* The clock is looked at now and then, as in ../main.c. */
static void
pass(unsigned long ms)
{
	for (unsigned long until = now() + ms * ticks_ms(); now() < until;)
		for (int i = 0; i < 10000; i++)
			__asm__ volatile("" : : : "memory");
}

/* Where instructions are counted, a tenth of the time tells as much. */
#ifndef DIVISOR
#define DIVISOR 1
#endif

static FRAME void
probe_devices(void)
{
	pass(300 / DIVISOR);
}

static FRAME void
mount_root(void)
{
	pass(100 / DIVISOR);
}

FRAME void
top(void)
{
	say("probing\n");
	probe_devices();
	say("mounting\n");
	mount_root();
	say("up\n");
	power_off();
	for (;;)
		;
}
