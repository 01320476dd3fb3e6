/* SPDX-License-Identifier: ISC */
/*
 * The kernel keeps its processes in a ring that begins at init_task, and the
 * threads of each in a ring at its signal_struct. A task that was switched out
 * has its registers in thread_struct, on x86_64 on its stack.
 */
#include "threads/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "linux/btf.h"
#include "linux/object.h"
#include "threads/kept.h"
#include "threads/saved.h"

enum {
	TASK_MAX = 24 << 10,   /* bytes of a task that are read */
	STACK_SIZE = 16 << 10, /* the kernel's stack of a task */
	AHEAD = 64,	       /* places at which a known one is sought */
	TRIES = 4	       /* until a list that changes was followed */
};

/* Of a task's state; what is on_rq is not asleep yet, or was woken. */
enum { UNINTERRUPTIBLE = 2, STOPPED = 4, TRACED = 8, NOLOAD = 0x400 };
enum { FROZEN = 0x8000, DEAD = 0x80 };

enum member {
	STATE,
	ON_CPU,
	ON_RQ,
	TASKS,
	THREAD_NODE,
	SIGNAL,
	PID,
	TGID,
	COMM,
	NVCSW,
	NIVCSW,
	STACK,
	HEAD, /* of signal_struct: not read */
	MEMBERS
};

static const char *const members[MEMBERS] = {"task_struct.__state",
    "task_struct.on_cpu", "task_struct.on_rq", "task_struct.tasks",
    "task_struct.thread_node", "task_struct.signal", "task_struct.pid",
    "task_struct.tgid", "task_struct.comm", "task_struct.nvcsw",
    "task_struct.nivcsw", "task_struct.stack", "signal_struct.thread_head"};

struct list {
	struct thread *v;
	size_t n, cap;
};

struct threads {
	struct elfsym *kernel;
	const struct threads_guest *g;
	uint64_t init; /* init_task, in the kernel's file */
	uint64_t at[MEMBERS];
	uint64_t low, len; /* the part of a task that is read */
	struct saved saved;
	struct list now, old;
	size_t next, frames; /* of old: the place of the next one; all kept */
	bool cut, before, whole;
	uint8_t bytes[TASK_MAX], again[TASK_MAX]; /* of a task */
	uint8_t stack[STACK_SIZE];
	uint64_t stack_at, stack_len;
	struct unwind_stack st;
};

/* Why there are none in a kernel without types, and what there is instead. */
static const char *
no_types(struct elfsym *kernel, enum unwind_arch arch)
{
	const bool counts = arch == UNWIND_X86_64 || arch == UNWIND_I386 ||
			    arch == UNWIND_AARCH64 || arch == UNWIND_RISCV64;

	return object_is_linux(kernel) ? "the kernel's file has no BTF"
	       : counts ? "no OS file (kst-os(5)) tells where this kernel has "
			  "threads; kst count --what waiting needs none"
			: "no OS file (kst-os(5)) tells where this kernel has "
			  "threads";
}

static const char *
load(struct threads *t, enum unwind_arch arch)
{
	const unsigned char *p;
	uint64_t addr, size, high = 0, end;
	struct btf b = {0};
	const char *why = NULL;

	if (!elfsym_section(t->kernel, ".BTF", &addr, &size, &p) || p == NULL ||
	    btf_open(&b, p, size) != 0)
		return no_types(t->kernel, arch);
	t->low = UINT64_MAX;
	for (int i = 0; i < MEMBERS; i++) {
		int64_t at = btf_member(&b, members[i]);

		if (at < 0 && i == STATE) /* before 5.14 */
			at = btf_member(&b, "task_struct.state");
		if (at < 0)
			why = "the kernel's BTF lacks members of tasks";
		t->at[i] = (uint64_t)at;
		if (at < 0 || i == HEAD)
			continue;
		t->low = t->at[i] < t->low ? t->at[i] : t->low;
		high = t->at[i] + 16 > high ? t->at[i] + 16 : high;
	}
	if (!saved_load(&t->saved, arch, &b))
		why = "the kernel's BTF does not tell where a task's "
		      "registers are";
	btf_close(&b);
	end = saved_end(&t->saved);
	high = end > high ? end : high;
	t->len = high - t->low;
	if (why == NULL && !object_find(t->kernel, "init_task", &t->init))
		why = "the kernel's file lacks init_task";
	return why == NULL && t->len > TASK_MAX ? "a task is too large" : why;
}

struct threads *
threads_new(struct elfsym *kernel, enum unwind_arch arch, const char **why)
{
	struct threads *t = xcalloc(1, sizeof *t);

	t->kernel = kernel;
	*why = load(t, arch);
	if (*why == NULL)
		return t;
	threads_free(t);
	return NULL;
}

void
threads_free(struct threads *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->now.n; i++)
		kept_drop(&t->frames, &t->now.v[i]);
	free(t->now.v);
	free(t->old.v);
	free(t);
}

static bool
read_task(struct threads *t, uint64_t task, uint8_t *to)
{
	return t->g->read(t->g->arg, task + t->low, to, t->len) == 0;
}

static uint64_t
get(const struct threads *t, const uint8_t *p, enum member m, size_t n)
{
	return uint_load(p + (t->at[m] - t->low), n, false);
}

static uint64_t
get_switches(const struct threads *t, const uint8_t *p)
{
	return get(t, p, NVCSW, 8) + get(t, p, NIVCSW, 8);
}

bool
threads_found(const struct threads *t, const struct threads_guest *g)
{
	uint8_t comm[8];

	return g->read(g->arg, t->init + elfsym_bias(t->kernel) + t->at[COMM],
		   comm, sizeof comm) == 0 &&
	       memcmp(comm, "swapper", 7) == 0;
}

static enum trace_state
state_of(const struct threads *t, const uint8_t *p)
{
	const uint64_t state = get(t, p, STATE, 4);

	if (state == 0 || get(t, p, ON_RQ, 4) == 1)
		return STATE_READY;
	if (state & (STOPPED | TRACED | FROZEN))
		return STATE_STOPPED;
	return (state & (UNINTERRUPTIBLE | NOLOAD)) == UNINTERRUPTIBLE
		   ? STATE_DISK
		   : STATE_WAITING;
}

/* A thread that was read before, taken out of the old list; else a new one. */
static struct thread *
find(struct threads *t, uint64_t task, uint64_t pid)
{
	struct thread *to = xpush(t->now.v, t->now.n, t->now.cap);

	*to = (struct thread){.task = task, .pid = pid, .ran = t->before};
	for (size_t i = 0; i < AHEAD && t->next + i < t->old.n; i++) {
		struct thread *k = &t->old.v[t->next + i];

		if (k->task != task || k->pid != pid)
			continue;
		*to = *k;
		k->frame = NULL;
		k->program = NULL;
		t->next += i + 1;
		break;
	}
	return to;
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	const struct threads *t = arg;

	if (addr - t->stack_at > t->stack_len ||
	    t->stack_len - (addr - t->stack_at) < 8)
		return -1;
	*word = uint_load(t->stack + (addr - t->stack_at), 8, false);
	return 0;
}

/* Whether it is off the CPU, and has been since t->bytes were read. */
static bool
is_still(struct threads *t, const struct thread *th)
{
	return read_task(t, th->task, t->again) &&
	       get(t, t->again, ON_CPU, 4) == 0 &&
	       get(t, t->again, PID, 4) == th->pid &&
	       get_switches(t, t->again) == th->switches;
}

/*
 * Reads and unwinds the stack of a thread whose task is in t->bytes. False: it
 * ran meanwhile.
 */
static bool
read_stack(struct threads *t, struct thread *th)
{
	const uint64_t stack = get(t, t->bytes, STACK, 8);
	struct unwind_regs regs = {.mode = UNWIND_MODE_KERNEL};

	kept_drop(&t->frames, th);
	t->stack_at = th->sp;
	t->stack_len = stack + STACK_SIZE - th->sp;
	if (th->sp - stack >= STACK_SIZE ||
	    t->g->read(t->g->arg, th->sp, t->stack, t->stack_len) != 0 ||
	    !is_still(t, th))
		return false;
	if (!saved_regs(&t->saved, t->bytes, t->low, read_word, t, &regs))
		return false;
	t->g->unwind(t->g->arg, th, &regs, read_word, t, &t->st);
	kept_stack(&t->frames, th, &t->st);
	/* a program's stack was read only now */
	return !th->entered || is_still(t, th);
}

/* Takes the thread whose task is in t->bytes, unless it is on a CPU. */
static void
take(struct threads *t, uint64_t task, const char *process)
{
	const uint8_t *p = t->bytes;
	const uint64_t sp = saved_sp(&t->saved, p, t->low);
	const uint64_t switches = get_switches(t, p);
	struct thread *th;
	bool same;

	if (get(t, p, ON_CPU, 4) != 0 || get(t, p, STATE, 4) & DEAD)
		return;
	th = find(t, task, get(t, p, PID, 4));
	same = th->frame != NULL && th->switches == switches && th->sp == sp;
	th->ran |= th->frame != NULL && !same;
	same &= !(t->g->files && th->entered);
	th->tgid = get(t, p, TGID, 4);
	th->state = state_of(t, p);
	th->switches = switches;
	th->sp = sp;
	memcpy(th->comm, p + (t->at[COMM] - t->low), sizeof th->comm - 1);
	memcpy(th->process, process, sizeof th->process - 1);
	if (same || read_stack(t, th))
		return;
	kept_drop(&t->frames, th);
	t->now.n--;
}

/* The threads of the process whose first one is in t->bytes. */
static bool
take_process(struct threads *t, uint64_t task, size_t *seen)
{
	const uint64_t head = get(t, t->bytes, SIGNAL, 8) + t->at[HEAD];
	char process[16] = "";
	uint64_t node, next;

	memcpy(process, t->bytes + (t->at[COMM] - t->low), sizeof process - 1);
	for (;;) {
		node = task + t->at[THREAD_NODE];
		next = get(t, t->bytes, THREAD_NODE, 8);
		take(t, task, process);
		if (++*seen >= THREADS_MAX) {
			t->cut = true;
			return true;
		}
		if (next == head)
			return true;
		task = next - t->at[THREAD_NODE];
		/* The other direction tells whether it is in the list yet. */
		if (!read_task(t, task, t->bytes) ||
		    uint_load(t->bytes + (t->at[THREAD_NODE] - t->low) + 8, 8,
			false) != node)
			return false;
	}
}

/* Follows the ring of processes; false: it changed, or is broken. */
static bool
follow(struct threads *t)
{
	const uint64_t init = t->init + elfsym_bias(t->kernel);
	uint64_t task = init, next, node;
	size_t seen = 0;

	if (!read_task(t, init, t->bytes))
		return false;
	for (;;) {
		node = task + t->at[TASKS];
		next = get(t, t->bytes, TASKS, 8);
		if (task != init && !take_process(t, task, &seen))
			return false;
		task = next - t->at[TASKS];
		if (task == init || t->cut)
			return true;
		if (!read_task(t, task, t->bytes) ||
		    uint_load(t->bytes + (t->at[TASKS] - t->low) + 8, 8,
			false) != node)
			return false;
	}
}

/* What was not found again: threads that run or have ended, unless the list was
 * not followed to its end. */
static void
leave_old(struct threads *t, bool whole)
{
	for (size_t i = 0; i < t->old.n; i++) {
		struct thread *k = &t->old.v[i];

		if (!whole && k->frame != NULL && t->now.n < THREADS_MAX)
			*xpush(t->now.v, t->now.n, t->now.cap) = *k;
		else if (k->frame != NULL)
			kept_drop(&t->frames, k);
	}
	t->old.n = 0;
}

int
threads_take(struct threads *t, const struct threads_guest *g)
{
	bool whole = false;

	t->g = g;
	t->cut = false;
	for (int i = 0; i < TRIES && !whole; i++) {
		const struct list spare = t->old;

		t->old = t->now;
		t->now = spare;
		t->now.n = t->next = 0;
		whole = follow(t);
		leave_old(t, whole);
	}
	t->before |= whole;
	t->whole = whole;
	return whole ? 0 : -1;
}

const struct thread *
threads_get(const struct threads *t, size_t *n)
{
	*n = t->whole ? t->now.n : 0;
	return t->now.v;
}

void
threads_none(struct threads *t)
{
	t->whole = false;
}

bool
threads_cut(const struct threads *t)
{
	return t->cut;
}
