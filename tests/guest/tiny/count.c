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
#include "turn.h"

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

static unsigned char other_stack[16384] __attribute__((aligned(16)));
static void *kept[2];


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
