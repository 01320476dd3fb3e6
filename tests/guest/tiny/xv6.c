/* SPDX-License-Identifier: ISC */
/*
 * Processes as xv6 for i386 keeps them, by the names of its structures, members
 * and functions, with less in between: one waits for its child, four wait for
 * sleeping locks, two of them each for the other's, and one for its own. The
 * scheduler spins, below nobody() when all of them wait.
 */
#include "start.h"
#include "turn.h"

enum { SPACE = 4096, PROCS = 6 };
enum procstate { UNUSED, EMBRYO, SLEEPING, RUNNABLE, RUNNING, ZOMBIE };

struct context {
	unsigned edi, esi, ebx, ebp, eip;
};

struct sleeplock {
	unsigned locked;
	const char *name;
	int pid;
};

struct proc {
	unsigned char *kstack;
	enum procstate state;
	int pid;
	struct context *context;
	void *chan;
	char name[16];
};

struct cpu {
	struct context *scheduler;
	struct proc *proc;
} cpus[8];

struct {
	unsigned lock;
	struct proc proc[PROCS];
} ptable;

static struct sleeplock inode[] = {
    {1, "inode", 3}, {1, "inode", 4}, {1, "inode", 6}};
static unsigned char stacks[PROCS][SPACE] __attribute__((aligned(16)));
volatile unsigned long turns;

static FRAME void
sched(void)
{
	turn((void **)(void *)&cpus[0].proc->context, cpus[0].scheduler);
	turns++;
}

static FRAME void
sleep(void *chan)
{
	cpus[0].proc->chan = chan;
	cpus[0].proc->state = SLEEPING;
	sched();
	turns++;
}

static FRAME void
acquiresleep(struct sleeplock *l)
{
	while (l->locked)
		sleep(l);
	turns++;
}

static FRAME void
ilock(struct sleeplock *l)
{
	acquiresleep(l);
	turns++;
}

static FRAME void
wait(void)
{
	for (;;)
		sleep(cpus[0].proc);
}

FRAME void
forkret(void)
{
	switch (cpus[0].proc->pid) {
	case 1:
		wait();
		break;
	case 4:
		ilock(&inode[0]);
		break;
	case 6:
		ilock(&inode[2]);
		break;
	default:
		ilock(&inode[1]);
	}
	turns++;
}

FRAME void
alltraps(void)
{
	turns++;
}

static FRAME int
holding(struct proc *p)
{
	for (int i = 0; i < 100; i++)
		turns++;
	return p->state == RUNNABLE;
}

static FRAME void
nobody(void)
{
	for (int i = 0; i < 1000; i++)
		turns++;
}

static FRAME void
scheduler(void)
{
	for (;;) {
		int ran = 0;

		for (struct proc *p = ptable.proc; p < &ptable.proc[PROCS]; p++)
			if (holding(p)) {
				cpus[0].proc = p;
				turn((void **)(void *)&cpus[0].scheduler,
				    p->context);
				cpus[0].proc = 0;
				ran++;
			}
		if (ran == 0)
			nobody();
	}
}

FRAME void
mpmain(void)
{
	scheduler();
	turns++;
}

FRAME void
mpenter(void)
{
	turns++;
}

static FRAME void
add(int i, const char *name)
{
	static const int pid[] = {1, 3, 4, 5, 6};
	struct proc *p = &ptable.proc[i];

	p->kstack = stacks[i];
	p->context = (struct context *)(void *)(stacks[i] + SPACE - 64);
	p->context->eip = (unsigned)forkret;
	p->pid = pid[i];
	for (int k = 0; name[k] != 0; k++)
		p->name[k] = name[k];
	p->state = RUNNABLE;
}

FRAME int
main(void)
{
	add(0, "init");
	add(1, "rotate");
	add(2, "rotate");
	add(3, "cat");
	add(4, "itself");
	mpmain();
	return (int)turns;
}

FRAME void
top(void)
{
	main();
	alltraps();
	mpenter();
	turns++;
}
