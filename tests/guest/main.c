/* SPDX-License-Identifier: ISC */
/*
 * Starts every CPU and gives it its work; says "ready" on the serial line once
 * all of them are at it.
 */
#include "dev.h"
#include "work.h"

static volatile u32 arrived;

void cpu_main(u32 id);

#ifdef BOOT_PHASES
/*
 * The clock is looked at now and then only: QEMU cannot stop a guest well that
 * holds the lock of its clock all the time.
 */
static void
pass(u64 ms)
{
	for (u64 until = now() + ms * tsc_ms; now() < until;)
		for (int i = 0; i < 10000; i++)
			__asm__ volatile("" : : : "memory");
}

/* A boot of known shares, by the guest's own clock: 300 ms to those given. */
static FRAME void
probe_devices(void)
{
	pass(300);
}

static FRAME void
mount_root(void)
{
	pass(BOOT_PHASES);
}

static FRAME void
boot_phases(void)
{
	serial_puts("probing\n");
	probe_devices();
	serial_puts("mounting\n");
	mount_root();
	serial_puts("up\n");
	/* Power off, where QEMU's firmware has placed the register. */
	outw(0x604, 0x2000);
}
#endif

static void
boot(void)
{
	u32 cpus;

	serial_init();
	trap_init();
	lapic_init();
	clock_init();
	cpus = smp_start();
	while (arrived + 1 < cpus)
		;
#ifdef BOOT_PHASES
	boot_phases();
#endif
	serial_puts("ready\n");
}

/* Called by cpu_entry on every CPU, with its number. */
FRAME void
cpu_main(u32 id)
{
	static void (*const work[])(u32) = {busy, busy_irq, half, deep};

	if (id == 0) {
		boot();
	} else {
		trap_init();
		lapic_init();
		__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	}
#ifdef USER_MODE
	if (id < 2)
		user_work(id);
#endif
	work[id % 4](id);
}
