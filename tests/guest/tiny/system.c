/* SPDX-License-Identifier: ISC */
/*
 * For riscv64 and riscv32: two threads, and a scheduler on the stack that the
 * guest began on. A thread that sleeps and a handler go to it by jumps; there
 * it waits for interrupts, none of which returns: their handlers go to it
 * again. A thread goes on by a return, or by that of an exception if it was
 * interrupted.
 */
#include "start.h"

enum { SPACE = 4096, PERIOD = 4000, TICKS = 60, WORDS = 32 };

#if __riscv_xlen == 64
#define LD "ld "
#define SD "sd "
#define AT(n) #n "*8(sp)"
#define BYTES "256"
#else
#define LD "lw "
#define SD "sw "
#define AT(n) #n "*4(sp)"
#define BYTES "128"
#endif

struct thread {
	unsigned long *sp, wake, sleeps;
} threads[2], *volatile current, *volatile next;

static unsigned long stacks[2][SPACE / sizeof(long)]
    __attribute__((aligned(16)));
void *system_sp;
unsigned long now, sum, laps[2];

/* All registers but sp, gp and tp. Word 0 tells an exception. */
#define SAVED(op)                                                          \
	op "s0, " AT(2) "\n" op "s1, " AT(3) "\n" op "s2, " AT(            \
	    4) "\n" op                                                     \
	       "s3, " AT(5) "\n" op "s4, " AT(6) "\n" op "s5, " AT(        \
		   7) "\n" op                                              \
		      "s6, " AT(8) "\n" op "s7, " AT(9) "\n" op "s8, " AT( \
			  10) "\n" op                                      \
			      "s9, " AT(11) "\n" op                        \
					    "s10, " AT(12) "\n" op         \
							   "s11, " AT(13) "\n"
#define OTHERS(op)                                                             \
	op "t1, " AT(14) "\n" op "t2, " AT(15) "\n" op "t3, " AT(              \
	    16) "\n" op                                                        \
		"t4, " AT(17) "\n" op "t5, " AT(18) "\n" op "t6, " AT(         \
		    19) "\n" op                                                \
			"a0, " AT(20) "\n" op "a1, " AT(21) "\n" op "a2, " AT( \
			    22) "\n" op                                        \
				"a3, " AT(23) "\n" op "a4, " AT(               \
				    24) "\n" op                                \
					"a5, " AT(25) "\n" op "a6, " AT(       \
					    26) "\n" op                        \
						"a7, " AT(27) "\n" op          \
							      "t0, " AT(       \
								  28) "\n"

__asm__(
    ".text\n.type leave, @function\nleave:\n"
    "	addi sp, sp, -" BYTES "\n	" SD "zero, " AT(
	0) "\n"
	   "	" SD "ra, " AT(1) "\n" SAVED(
	       SD) "	la t0, current\n	" LD "t1, 0(t0)\n	" SD
		   "sp, 0(t1)\n"
		   "	" SD "zero, 0(t0)\n	la t0, system_sp\n	" LD
		   "sp, 0(t0)\n"
		   "	la t0, schedule\n	jr t0\n.size leave, . - leave\n"
		   ".type schedule, @function\nschedule:\n"
		   "	csrsi mstatus, 8\n"
		   "1:	la t0, next\n	" LD
		   "t1, 0(t0)\n	bnez t1, 2f\n"
		   "	wfi\n	j 1b\n"
		   "2:	csrci mstatus, 8\n	" LD "t1, 0(t0)\n"
		   "	la t0, current\n	" SD "t1, 0(t0)\n	" LD
		   "sp, 0(t1)\n"
		   "	" LD "t2, " AT(
		       0) "\n	bnez t2, interrupted\n"
			  "	" LD "ra, " AT(1) "\n" SAVED(
			      LD) "	addi sp, sp, " BYTES
				  "\n	csrsi mstatus, 8\n	ret\n"
				  "interrupted:\n"
				  "	" LD "t0, " AT(
				      29) "\n	csrw mepc, t0\n	li t0, 0x1880\n"
					  "	csrw mstatus, t0\n	" LD
					  "ra, " AT(1) "\n" SAVED(LD) OTHERS(
					      LD) "	addi sp, sp, " BYTES
						  "\n	mret\n"
						  ".size schedule, . - schedule\n"
						  ".balign 4\n.type handler, @function\nhandler:\n"
						  "	addi sp, sp, -" BYTES
						  "\n	" SD "ra, " AT(
						      1) "\n"
							 "	" SD "t0, " AT(
							     28) "\n	la t0, current\n	" LD
								 "t0, 0(t0)\n"
								 "	beqz t0, 1f\n" SAVED(
								     SD)
								     OTHERS(SD) "	" SD "sp, 0(t0)\n	" SD "sp, " AT(
									 0) "\n"
									    "	csrr t0, mepc\n	" SD
									    "t0, " AT(
										29) "\n"
										    "	la t0, system_sp\n	" LD
										    "sp, 0(t0)\n	j 2f\n"
										    "1:	addi sp, sp, " BYTES
										    "\n"
										    "2:	call tick\n	call restore\n"
										    ".size handler, . - handler\n"
										    ".type restore, @function\nrestore:\n"
										    "	la t0, current\n	" LD
										    "t1, 0(t0)\n	beqz t1, schedule\n"
										    "	la t2, next\n	" LD
										    "t2, 0(t2)\n	beq t1, t2, 1f\n"
										    "	" SD
										    "zero, 0(t0)\n	j schedule\n"
										    "1:	" LD
										    "sp, 0(t1)\n	j interrupted\n"
										    ".size restore, . - restore\n");
void leave(void);
void schedule(void);
void handler(void);

static void
choose(void)
{
	next = 0;
	for (int i = 1; i >= 0; i--)
		if (threads[i].sleeps == 0)
			next = &threads[i];
}

static void
power_off(void)
{
	*(volatile unsigned *)0x100000 = 0x5555;
}

static void
set_timer(void)
{
	volatile unsigned *timer = (volatile unsigned *)0x2004000;
	const unsigned long long at = (now + 1) * PERIOD;

	timer[1] = ~0U;
	timer[0] = (unsigned)at;
	timer[1] = (unsigned)(at >> 32);
}

FRAME void
tick(void)
{
	if (++now == TICKS)
		power_off();
	for (int i = 0; i < 2; i++)
		if (threads[i].sleeps && threads[i].wake <= now)
			threads[i].sleeps = 0;
	choose();
	set_timer();
}

FRAME void
nap(unsigned long ticks)
{
	__asm__ volatile("csrci mstatus, 8" ::: "memory");
	current->wake = now + ticks;
	current->sleeps = 1;
	choose();
	leave();
	sum++;
}

FRAME void
work(unsigned long ticks)
{
	const unsigned long from = *(volatile unsigned long *)&now;

	while (*(volatile unsigned long *)&now - from < ticks)
		sum++;
}

FRAME void
poller(void)
{
	for (;; laps[0]++)
		nap(2);
}

FRAME void
worker(void)
{
	for (;; laps[1]++) {
		work(5);
		nap(5);
	}
}

static void
begin(int i, void (*does)(void))
{
	unsigned long *sp = stacks[i] + SPACE / sizeof(long) - WORDS - 2;

	sp[0] = 1;
	sp[29] = (unsigned long)does;
	threads[i].sp = sp;
}

FRAME void
top(void)
{
	begin(0, poller);
	begin(1, worker);
	choose();
	set_timer();
	__asm__ volatile(
	    "csrw mtvec, %0\ncsrw mie, %1\n" ::"r"(handler), "r"(0x80));
	__asm__ volatile("la t0, system_sp\n" SD "sp, 0(t0)\ncall schedule" ::
			     : "t0", "ra", "memory");
	__builtin_unreachable();
}
