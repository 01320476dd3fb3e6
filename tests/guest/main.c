/* SPDX-License-Identifier: ISC */
/*
 * Starts every CPU and gives it its work; says "ready" on the serial line once
 * all of them are at it.
 */
#include "dev.h"
#include "work.h"

static volatile u32 arrived;

void cpu_main(u32 id);

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
