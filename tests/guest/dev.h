/* SPDX-License-Identifier: ISC */
/*
 * The devices: serial line, local APIC with its timer, the other CPUs.
 */
#ifndef DEV_H
#define DEV_H

#include "cpu.h"

/* TSC ticks in a millisecond; set by clock_init. */
extern u64 tsc_ms;

void serial_init(void);
void serial_puts(const char *s);

/* Loads the interrupt table (built by the first call) into this CPU. */
void trap_init(void);

/* Lets ring 3 enter the kernel by `int vector`. */
void gate_user(unsigned vector, void (*entry)(void));

/* Enables this CPU's local APIC, its timer stopped. */
void lapic_init(void);
u32 lapic_id(void);
void lapic_eoi(void);

/* Measures tsc_ms; once, on the first CPU, after lapic_init. */
void clock_init(void);

/* Makes this CPU's timer interrupt at TSC time `when`, once. */
void timer_arm(u64 when);

/* Starts all other CPUs; returns how many CPUs there are. */
u32 smp_start(void);

/* Called by the interrupt entries. */
void timer_irq(void);
void fault(void);

#endif
