/* SPDX-License-Identifier: ISC */
/*
 * Sizes and addresses that the assembly and the C files share.
 */
#ifndef CPU_H
#define CPU_H

#define MAX_CPUS 16
#define STACK_SIZE 0x8000

/* The boot page tables map the last GiB of physical addresses at the very top,
 * the local APIC with it. */
#define LAPIC_BASE 0xfffffffffee00000

/* Where the first instructions of the other CPUs are copied: a page under
 * 640 KiB, its number is the vector of the start-up message. */
#define AP_PAGE 0x8000

#define TIMER_VECTOR 0x20
#define SPURIOUS_VECTOR 0xff

#ifndef __ASSEMBLER__

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

static inline __attribute__((always_inline)) void
outb(u16 port, u8 v)
{
	__asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static inline __attribute__((always_inline)) void
outw(u16 port, u16 v)
{
	__asm__ volatile("outw %0, %1" : : "a"(v), "Nd"(port));
}

static inline __attribute__((always_inline)) u8
inb(u16 port)
{
	u8 v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

/* The time stamp counter: under QEMU it stands still while the guest does. */
static inline __attribute__((always_inline)) u64
now(void)
{
	u32 lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

#endif
#endif
