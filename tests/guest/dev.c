/* SPDX-License-Identifier: ISC */
/*
 * Knows the registers of the serial port, the interrupt controllers, the local
 * APIC and QEMU's configuration device.
 */
#include "dev.h"

#define COM1 0x3f8
#define FW_CFG_SELECTOR 0x510
#define FW_CFG_DATA 0x511
#define FW_CFG_NB_CPUS 5

#define LAPIC_ID 0x20
#define LAPIC_EOI 0xb0
#define LAPIC_SPURIOUS 0xf0
#define LAPIC_ICR_LOW 0x300
#define LAPIC_TIMER 0x320
#define LAPIC_INITIAL 0x380
#define LAPIC_CURRENT 0x390
#define LAPIC_DIVIDE 0x3e0

/* QEMU's local APIC timer counts nanoseconds when divided by one. */
#define LAPIC_MS 1000000UL

u64 tsc_ms;

struct gate {
	u16 offset_low, selector;
	u8 ist, type;
	u16 offset_mid;
	u32 offset_high, zero;
};

static struct gate idt[256];

void timer_entry(void);
void spurious_entry(void);
void fault_entry(void);

static void
gate_set(unsigned vector, void (*entry)(void))
{
	u64 a = (u64)entry;

	idt[vector] = (struct gate){
	    .offset_low = (u16)a,
	    .selector = 0x08,
	    .type = 0x8e,
	    .offset_mid = (u16)(a >> 16),
	    .offset_high = (u32)(a >> 32),
	};
}

void
gate_user(unsigned vector, void (*entry)(void))
{
	gate_set(vector, entry);
	idt[vector].type = 0xee;
}

void
trap_init(void)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) idtr = {sizeof idt - 1, (u64)idt};

	if (idt[0].type == 0) {
		for (unsigned v = 0; v < 32; v++)
			gate_set(v, fault_entry);
		gate_set(TIMER_VECTOR, timer_entry);
		gate_set(SPURIOUS_VECTOR, spurious_entry);
		/* The old controllers would interrupt at exception vectors. */
		outb(0x21, 0xff);
		outb(0xa1, 0xff);
	}
	__asm__ volatile("lidt %0" : : "m"(idtr));
}

void
serial_init(void)
{
	outb(COM1 + 1, 0);
	outb(COM1 + 3, 3);
}

void
serial_puts(const char *s)
{
	for (; *s != '\0'; s++) {
		while ((inb(COM1 + 5) & 0x20) == 0)
			;
		outb(COM1, (u8)*s);
	}
}

void
fault(void)
{
	serial_puts("fault\n");
	for (;;)
		__asm__ volatile("cli; hlt");
}

static volatile u32 *
lapic(u32 reg)
{
	return (volatile u32 *)(LAPIC_BASE + reg);
}

u32
lapic_id(void)
{
	return *lapic(LAPIC_ID) >> 24;
}

void
lapic_eoi(void)
{
	*lapic(LAPIC_EOI) = 0;
}

void
lapic_init(void)
{
	*lapic(LAPIC_SPURIOUS) = 0x100 | SPURIOUS_VECTOR;
	*lapic(LAPIC_DIVIDE) = 0xb;
	*lapic(LAPIC_TIMER) = TIMER_VECTOR;
}

/* Reads both clocks at one moment: the host may take the CPU away between the
 * reads, so the closest pair of many is kept. */
static void
clock_pair(u64 *tsc, u64 *ns)
{
	u64 best = ~0UL;

	*tsc = *ns = 0;

	for (int i = 0; i < 200; i++) {
		u64 before = now();
		u32 count = *lapic(LAPIC_CURRENT);
		u64 after = now();

		if (after - before < best) {
			best = after - before;
			*tsc = before + best / 2;
			*ns = 0xffffffff - count;
		}
	}
}

void
clock_init(void)
{
	u64 t0, t1, n0, n1;

	*lapic(LAPIC_TIMER) = 0x10000 | TIMER_VECTOR;
	*lapic(LAPIC_INITIAL) = 0xffffffff;
	clock_pair(&t0, &n0);
	while (0xffffffff - *lapic(LAPIC_CURRENT) < n0 + 20 * LAPIC_MS)
		;
	clock_pair(&t1, &n1);
	*lapic(LAPIC_INITIAL) = 0;
	*lapic(LAPIC_TIMER) = TIMER_VECTOR;
	tsc_ms = (t1 - t0) * LAPIC_MS / (n1 - n0);
}

void
timer_arm(u64 when)
{
	u64 t = now(), ns = 1000;

	if (when > t)
		ns += (when - t) * LAPIC_MS / tsc_ms;
	*lapic(LAPIC_INITIAL) = ns < 0xffffffff ? (u32)ns : 0xffffffff;
}

static void
wait_ms(u64 ms)
{
	u64 end = now() + ms * tsc_ms;

	while (now() < end)
		;
}

u32
smp_start(void)
{
	extern const u8 ap_start[], ap_end[];
	u8 *page = (u8 *)(0xffffffff80000000 + AP_PAGE);
	u32 n;

	for (const u8 *p = ap_start; p < ap_end; p++)
		page[p - ap_start] = *p;
	*lapic(LAPIC_ICR_LOW) = 0xc4500; /* INIT to all others */
	wait_ms(10);
	*lapic(LAPIC_ICR_LOW) = 0xc4600 | AP_PAGE >> 12;

	outw(FW_CFG_SELECTOR, FW_CFG_NB_CPUS);
	n = inb(FW_CFG_DATA);
	n |= (u32)inb(FW_CFG_DATA) << 8;
	return n < MAX_CPUS ? n : MAX_CPUS;
}
