/* SPDX-License-Identifier: ISC */
/*
 * Threads as Zephyr keeps them on RISC-V, by the names of its structures and
 * members, with less in between: one runs, one sleeps, one waits for an object,
 * one is ready, one was suspended while it waited, and one has ended.
 */
#include "start.h"

enum { PENDING = 2, SLEEPING = 4, DEAD = 8, SUSPENDED = 16, QUEUED = 128 };
enum { SPACE = 4096, THREADS = 6 };

struct k_thread {
	struct _thread_base {
		void *pended_on;
		unsigned short user_options;
		signed char prio;
		unsigned char sched_locked, thread_state;
	} base;
	struct _callee_saved {
		unsigned long sp, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9,
		    s10, s11;
	} callee_saved;
	void *init_data;
	struct k_thread *next_thread;
	char name[32];
	void *switch_handle;
};

struct z_kernel {
	struct _cpu {
		unsigned nested;
		char *irq_stack;
		struct k_thread *current, *idle_thread;
	} cpus[1];
	struct k_thread *threads;
} _kernel;

static struct k_thread thread[THREADS];
static unsigned char stacks[THREADS][SPACE] __attribute__((aligned(16)));
volatile unsigned long turns;

void z_riscv_switch(struct k_thread *to, struct k_thread *from);
__asm__(".text\n.type z_riscv_switch, %function\nz_riscv_switch:\n"
	"	sd sp, 16(a1)\n	sd ra, 24(a1)\n	sd s0, 32(a1)\n"
	"	sd s1, 40(a1)\n	ld sp, 16(a0)\n	ld ra, 24(a0)\n"
	"	ld s0, 32(a0)\n	ld s1, 40(a0)\n	ret\n"
	".size z_riscv_switch, . - z_riscv_switch\n");
_Static_assert(__builtin_offsetof(struct k_thread, callee_saved) == 16,
    "z_riscv_switch() knows it");

static FRAME void
do_swap(unsigned char state, struct k_thread *to)
{
	struct k_thread *from = _kernel.cpus[0].current;

	from->base.thread_state = state;
	_kernel.cpus[0].current = to;
	to->base.thread_state = 0;
	z_riscv_switch(to, from);
	turns++;
}

#define WAITS(does, state)                          \
	static FRAME void does(void)                \
	{                                           \
		for (;;) {                          \
			do_swap(state, &thread[0]); \
			turns++;                    \
		}                                   \
	}
WAITS(k_sleep, SLEEPING)
WAITS(k_sem_take, PENDING)
WAITS(k_yield, QUEUED)
WAITS(k_msgq_get, PENDING | SUSPENDED)
WAITS(halt, DEAD)

static FRAME void
z_thread_entry(void)
{
	static void (*const does[])(void) = {
	    0, k_sleep, k_sem_take, k_yield, k_msgq_get, halt};

	does[_kernel.cpus[0].current - thread]();
	turns++;
}

static FRAME void
add(unsigned n, const char *name)
{
	struct k_thread *t = &thread[n];

	t->callee_saved.sp = (unsigned long)(stacks[n] + SPACE);
	t->callee_saved.ra = (unsigned long)z_thread_entry;
	for (int i = 0; name[i] != 0; i++)
		t->name[i] = name[i];
	t->next_thread = _kernel.threads;
	_kernel.threads = t;
}

FRAME void
busy(void)
{
	for (;;)
		turns++;
}

FRAME void
top(void)
{
	static const char *const names[] = {"main", "sensor",
	    "a thread of a long name", "shell", "log", "over"};

	for (unsigned n = 0; n < THREADS; n++)
		add(n, names[n]);
	_kernel.cpus[0].current = &thread[0];
	for (unsigned n = 1; n < THREADS; n++)
		do_swap(QUEUED, &thread[n]);
	busy();
}
