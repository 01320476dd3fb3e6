/* SPDX-License-Identifier: ISC */
/*
 * The ground truth. A function is on a CPU in fixed windows of the time stamp
 * counter, not for a number of instructions: a CPU that the host took away for
 * a while drops back into the window of the moment, so that the shares of time
 * hold on a loaded host too.
 */
#include "dev.h"
#include "work.h"

#define DEPTH 200

/* Of busy's time, in work_a. */
#ifndef PERCENT_A
#define PERCENT_A 60
#endif
/* Of busy's time, on CPU 0: work_c sleeps, and work_a has less. */
#ifndef PERCENT_NAP
#define PERCENT_NAP 0
#endif
/* Milliseconds. The host's delays at the edges of a window are small against
 * the long cycles, where a CPU waits or is interrupted. The short cycle has
 * no factor in common with them or with usual sampling intervals. */
#ifndef CYCLE_BUSY
#define CYCLE_BUSY 37
#endif
#define CYCLE_LONG 200

static u64 sink[MAX_CPUS * 8];

/* Always inlined into burn: a frame that only DWARF knows. The nop keeps the
 * loop's head, where QEMU stops, apart from the first instruction of the
 * inlined call, where gdb would say that the call has not begun. */
static inline __attribute__((always_inline)) u64
mix(u64 x)
{
	__asm__ volatile("nop");
	for (int i = 0; i < 400; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* All time that is not spent halted is spent in here. A leaf that does not use
 * its stack gets no frame pointer, whatever the compiler's options say. */
static FRAME void
burn(u64 until)
{
	u64 x = until;
#ifndef FRAMELESS_LEAF
	volatile u64 on_stack = x;

	(void)on_stack;
#endif

	while (now() < until)
		x = mix(x);
	sink[0] = x;
}

static FRAME void
parse(u64 until)
{
	burn(until);
}

static FRAME void
work_a(u64 until)
{
	parse(until);
}

static FRAME void
copy_page(u64 until)
{
	burn(until);
}

static FRAME void
copy(u64 until)
{
	copy_page(until);
}

static FRAME void
work_b(u64 until)
{
	copy(until);
}

/* An inlined call in the middle of a stack. */
static inline __attribute__((always_inline)) void
account(u64 until)
{
	burn(until);
	sink[1]++;
}

#if PERCENT_NAP
static FRAME void
nap(u64 until)
{
	while (now() < until) {
		timer_arm(until);
		__asm__ volatile("sti; hlt; cli");
	}
}
#endif

static FRAME void
work_c(u64 until)
{
#if PERCENT_NAP
	nap(until - CYCLE_BUSY * tsc_ms / 10);
#endif
	account(until);
}

/* The end of the window that time `t` is in; the windows are the parts of a
 * cycle in per cent, the last one up to 100. *which says which. */
static u64
window(u64 t, u64 cycle, u64 shift, const u8 *percent, u32 *which)
{
	u64 pos = (t + shift) % cycle, edge = 0;
	u32 sum = 0, i = 0;

	for (;; i++) {
		sum += percent[i];
		edge = cycle * sum / 100;
		if (pos < edge || sum >= 100)
			break;
	}
	*which = i;
	return t + edge - pos;
}

FRAME void
busy(u32 id)
{
	static const u8 percent[] = {
	    PERCENT_A - PERCENT_NAP, 90 - PERCENT_A, 10 + PERCENT_NAP};
	static void (*const work[])(u64) = {work_a, work_b, work_c};
	u64 cycle = CYCLE_BUSY * tsc_ms;

	for (;;) {
		u32 i;
		u64 end =
		    window(now(), cycle, id * cycle * 38 / 100, percent, &i);

		work[i](end);
	}
}

static FRAME void
irq_work(u64 until)
{
	burn(until);
}

/* Set on the CPUs whose timer interrupt does work. */
static u8 irq_on[MAX_CPUS];

FRAME void
timer_irq(void)
{
	static const u8 percent[] = {20, 80};
	u64 cycle = CYCLE_LONG * tsc_ms;
	u32 id = lapic_id(), i;
	u64 end;

	lapic_eoi();
	if (!irq_on[id])
		return;
	end = window(now(), cycle, id * cycle * 38 / 100, percent, &i);
	if (i == 0) {
		irq_work(end);
		end = window(now(), cycle, id * cycle * 38 / 100, percent, &i);
	}
	timer_arm(end);
}

FRAME void
busy_irq(u32 id)
{
	irq_on[id] = 1;
	timer_arm(now());
	__asm__ volatile("sti");
	busy(id);
}

static FRAME void
chew(u64 until)
{
	burn(until);
}

static FRAME void
idle(u64 until)
{
	while (now() < until) {
		timer_arm(until);
		__asm__ volatile("sti; hlt; cli");
	}
}

FRAME void
half(u32 id)
{
	static const u8 percent[] = {50, 50};
	static void (*const work[])(u64) = {chew, idle};
	u64 cycle = CYCLE_LONG * tsc_ms;

	for (;;) {
		u32 i;
		u64 end =
		    window(now(), cycle, id * cycle * 38 / 100, percent, &i);

		work[i](end);
	}
}

static FRAME void
bottom(u64 until)
{
	burn(until);
}

static FRAME void
recurse(u64 until, u32 depth)
{
	if (depth > 1)
		recurse(until, depth - 1);
	else
		bottom(until);
	sink[2] += depth;
}

static FRAME void
dive(u64 until)
{
	recurse(until, DEPTH);
}

static FRAME void
shallow(u64 until)
{
	burn(until);
}

FRAME void
deep(u32 id)
{
	static const u8 percent[] = {25, 75};
	static void (*const work[])(u64) = {dive, shallow};
	u64 cycle = CYCLE_LONG * tsc_ms;

	for (;;) {
		u32 i;
		u64 end =
		    window(now(), cycle, id * cycle * 38 / 100, percent, &i);

		work[i](end);
	}
}
