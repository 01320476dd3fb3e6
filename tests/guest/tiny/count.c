/* SPDX-License-Identifier: ISC */
/*
 * One CPU, known numbers of instructions: top calls adds, which executes a loop
 * of three instructions LOOPS times, twice through twice(), and leaves a nest of
 * calls by a jump, as longjmp does. Two threads, with a stack each, call each
 * other in turns. Then the guest powers off, or a debug exit ends QEMU. PAIR: two
 * CPUs (riscv64); the second one goes on with the thread of the first. TASKS
 * (riscv64): two tasks take turns by system calls of one leaf function, and the
 * kernel has one stack.
 */
#include "start.h"

enum { LOOPS = 100000, TURNS = 100 };

#ifdef __i386__
#define LOOP "1: add $1, %0; sub $1, %1; jnz 1b"
#elif defined __aarch64__
#define LOOP "1: add %0, %0, #1; subs %1, %1, #1; b.ne 1b"
#else
#define LOOP "1: addi %0, %0, 1; addi %1, %1, -1; bnez %1, 1b"
#endif

unsigned long sum;

FRAME void
adds(void)
{
	unsigned long n = LOOPS;

#ifdef EXTRA
	__asm__ volatile("nop");
#endif
	__asm__ volatile(LOOP : "+r"(sum), "+r"(n) : : "cc");
}

static FRAME void
twice(void)
{
	adds();
	adds();
}

static void *landing[5];

static FRAME void
climb(int depth)
{
	volatile char local[64];

	local[depth & 63] = 1;
	if (depth > 0)
		climb(depth - 1);
	else
		__builtin_longjmp(landing, 1);
	sum += (unsigned long)local[depth & 63];
}

static FRAME void
jumps(void)
{
	for (volatile int i = 0; i < TURNS; i++)
		if (__builtin_setjmp(landing) == 0)
			climb(5);
}

/* Threads: turn() saves what must be kept and changes the stack. */
static unsigned char other_stack[16384] __attribute__((aligned(16)));
static void *kept[2];

#ifdef __i386__
__asm__(".text\n.type turn, @function\nturn:\n"
	"	mov 4(%esp), %eax\n	mov 8(%esp), %edx\n"
	"	push %ebp\n	push %ebx\n	push %esi\n	push %edi\n"
	"	mov %esp, (%eax)\n	mov %edx, %esp\n"
	"	pop %edi\n	pop %esi\n	pop %ebx\n	pop %ebp\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 4, AT = 4 }; /* words; which is the address to return to */
#elif defined __aarch64__
__asm__(".text\n.type turn, %function\nturn:\n"
	"	stp x29, x30, [sp, #-96]!\n	stp x19, x20, [sp, #16]\n"
	"	stp x21, x22, [sp, #32]\n	stp x23, x24, [sp, #48]\n"
	"	stp x25, x26, [sp, #64]\n	stp x27, x28, [sp, #80]\n"
	"	mov x9, sp\n	str x9, [x0]\n	mov sp, x1\n"
	"	ldp x19, x20, [sp, #16]\n	ldp x21, x22, [sp, #32]\n"
	"	ldp x23, x24, [sp, #48]\n	ldp x25, x26, [sp, #64]\n"
	"	ldp x27, x28, [sp, #80]\n	ldp x29, x30, [sp], #96\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 12, AT = 1 };
#else
__asm__(".text\n.type turn, %function\nturn:\n"
	"	addi sp, sp, -112\n	sd ra, 0(sp)\n"
	"	sd s0, 8(sp)\n	sd s1, 16(sp)\n	sd s2, 24(sp)\n"
	"	sd s3, 32(sp)\n	sd s4, 40(sp)\n	sd s5, 48(sp)\n"
	"	sd s6, 56(sp)\n	sd s7, 64(sp)\n	sd s8, 72(sp)\n"
	"	sd s9, 80(sp)\n	sd s10, 88(sp)\n	sd s11, 96(sp)\n"
	"	sd sp, 0(a0)\n	mv sp, a1\n	ld ra, 0(sp)\n"
	"	ld s0, 8(sp)\n	ld s1, 16(sp)\n	ld s2, 24(sp)\n"
	"	ld s3, 32(sp)\n	ld s4, 40(sp)\n	ld s5, 48(sp)\n"
	"	ld s6, 56(sp)\n	ld s7, 64(sp)\n	ld s8, 72(sp)\n"
	"	ld s9, 80(sp)\n	ld s10, 88(sp)\n	ld s11, 96(sp)\n"
	"	addi sp, sp, 112\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 14, AT = 0 };
#endif
void turn(void **keep, void *to);

static FRAME void
there(void)
{
	for (;;) {
		adds();
		turn(&kept[1], kept[0]);
	}
}

static FRAME void
here(void)
{
	void **sp = (void **)(other_stack + sizeof other_stack) - SAVED - 2;

	sp[AT] = (void *)there;
	kept[1] = sp;
	for (int i = 0; i < TURNS; i++)
		turn(&kept[0], kept[1]);
}

#ifdef PAIR
static unsigned char second_stack[4096] __attribute__((aligned(16), used));
static volatile int parked;

__asm__(".text\n.type second_start, @function\nsecond_start:\n"
	"	la sp, second_stack + 4096\n	call second\n"
	".size second_start, . - second_start\n");

static FRAME void
park(void)
{
	parked = 1;
	for (;;)
		;
}

FRAME void
second(void)
{
	while (!parked)
		;
	turn(&kept[1], kept[0]);
}

static FRAME void
handed_on(void)
{
	void **sp = (void **)(other_stack + sizeof other_stack) - SAVED - 2;

	sp[AT] = (void *)park;
	turn(&kept[0], sp);
	adds();
}
#endif

#ifdef TASKS
/* What is kept of a task: ra, sp, s0 to s11, and where it goes on. */
static unsigned long task[2][15];
static unsigned char task_stack[2][4096] __attribute__((aligned(16)));

#define EACH(op, at)                                                          \
	op " ra, 0(" at ")\n" op " sp, 8(" at ")\n" op " s0, 16(" at ")\n" op \
	   " s1, 24(" at ")\n" op " s2, 32(" at ")\n" op " s3, 40(" at        \
	   ")\n" op " s4, 48(" at ")\n" op " s5, 56(" at ")\n"

__asm__(
    ".text\n.balign 4\n.type trap, @function\ntrap:\n"
    "	csrr t6, mscratch\n" EACH("sd",
	"t6") "	csrr t0, mepc\n"
	      "	addi t0, t0, 4\n	sd t0, 112(t6)\n"
	      "	la sp, stack + 16384\n	mv a0, t6\n	call next_task\n"
	      ".type go_on, @function\ngo_on:\n"
	      "	csrw mscratch, a0\n	ld t0, 112(a0)\n	csrw mepc, t0\n" EACH(
		  "ld",
		  "a0") "	mret\n"
			".size trap, . - trap\n"
			".type yield, @function\nyield:\n	ecall\n	ret\n"
			".size yield, . - yield\n");
void trap(void);
void yield(void);
__attribute__((noreturn)) void go_on(unsigned long *to);

FRAME unsigned long *
next_task(const unsigned long *from)
{
	return from == task[0] ? task[1] : task[0];
}

static void power_off(void);

static FRAME void
alpha(void)
{
	for (int i = 0; i < TURNS; i++) {
		adds();
		yield();
	}
	power_off();
}

static FRAME void
below(void)
{
	yield();
	adds();
}

static FRAME void
beta(void)
{
	for (;;)
		below();
}

static FRAME void
tasks(void)
{
	task[0][14] = (unsigned long)alpha;
	task[1][14] = (unsigned long)beta;
	for (int i = 0; i < 2; i++)
		task[i][1] =
		    (unsigned long)task_stack[i] + sizeof task_stack[i];
	__asm__ volatile("csrw mtvec, %0; csrs mstatus, %1"
			 :
			 : "r"(trap), "r"(0x1800L));
	go_on(task[0]);
}
#endif

static void
power_off(void)
{
#ifdef __i386__
	__asm__ volatile("outb %0, %1" : : "a"((char)0), "Nd"((short)0xf4));
#elif defined __aarch64__
	register unsigned long function __asm__("x0") = 0x84000008;

	__asm__ volatile("hvc #0" : "+r"(function));
#else
	*(volatile unsigned *)0x100000 = 0x5555;
#endif
}

FRAME void
top(void)
{
#ifdef PAIR
	handed_on();
#elif defined TASKS
	tasks();
#else
	twice();
	jumps();
	here();
#endif
	power_off();
	for (;;)
		;
}
