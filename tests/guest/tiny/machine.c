/* SPDX-License-Identifier: ISC */
/*
 * A kernel of riscv32 that stays in machine mode, as its program does, which
 * machine-program.c is, at PLACE: the kernel's entry keeps all on a stack of its
 * own, and leaves the program's pc in mepc.
 */
#include "start.h"


__asm__(".data\n"
	"program: .incbin \"riscv32-machine-program.bin\"\n"
	"program_end:\n.text\n");
extern const unsigned char program[], program_end[];

unsigned char own[4096] __attribute__((aligned(16)));
unsigned long ticks;

void entry(void);
void serve(void);

__asm__("	.balign 4\n"
	"	.type entry, %function\n"
	"entry:	csrw mscratch, sp\n"
	"	la sp, own + 4096 - 64\n"
	"	sw ra, 0(sp)\n"
	"	sw a0, 4(sp)\n"
	"	sw a1, 8(sp)\n"
	"	sw a2, 12(sp)\n"
	"	sw a3, 16(sp)\n"
	"	sw a4, 20(sp)\n"
	"	sw a5, 24(sp)\n"
	"	csrr a0, mscratch\n"
	"	sw a0, 28(sp)\n"
	"	call serve\n"
	"	lw ra, 0(sp)\n"
	"	lw a0, 4(sp)\n"
	"	lw a1, 8(sp)\n"
	"	lw a2, 12(sp)\n"
	"	lw a3, 16(sp)\n"
	"	lw a4, 20(sp)\n"
	"	lw a5, 24(sp)\n"
	"	lw sp, 28(sp)\n"
	"	mret\n"
	"	.size entry, . - entry\n");

/* What the program's ecall is for; the code after it comes next. */
FRAME void
serve(void)
{
	unsigned long epc;

	for (volatile int i = 0; i < 200000; i++)
		ticks++;
	__asm__ volatile("csrr %0, mepc" : "=r"(epc));
	__asm__ volatile("csrw mepc, %0" : : "r"(epc + 4));
}

FRAME void
top(void)
{
	unsigned char *to = (unsigned char *)PLACE;

	for (const unsigned char *p = program; p < program_end; p++)
		*(volatile unsigned char *)to++ = *p;
	__asm__ volatile("fence.i\n"
			 "	csrw mtvec, %0\n"
			 "	csrw mepc, %1\n"
			 "	li t0, 0x1800\n"
			 "	csrs mstatus, t0\n"
			 "	li ra, 0\n"
			 "	li s0, 0\n"
			 "	mret"
			 :
			 : "r"(entry), "r"(PLACE)
			 : "t0", "memory");
}
