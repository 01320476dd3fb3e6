/* SPDX-License-Identifier: ISC */
/*
 * Threads of Linux that are not on a CPU, in a memory that is made here: a
 * kernel's file with BTF and init_task, and rings of tasks, also broken ones.
 */
#include "threads/threads.h"

#include "base/num.h"
#include "capture_kernel.h"

/* Where members are, in bytes; a task has 0x200, and its stack's end is 16 kB
 * above the page that it is in. */
enum {
	STATE = 0x18,
	ON_CPU = 0x20,
	ON_RQ = 0x24,
	TASKS = 0x30,
	NODE = 0x40,
	SIGNAL = 0x50,
	PID = 0x58,
	TGID = 0x5c,
	COMM = 0x60,
	NVCSW = 0x70,
	NIVCSW = 0x78,
	STACK = 0x80,
	SP = 0x90, /* 0x88 in the task, and 8 in thread_struct */
	HEAD = 0x10
};

static const struct {
	const char *of, *name;
	unsigned at;
} members[] = {{"task_struct", "__state", STATE}, {"", "on_cpu", ON_CPU},
    {"", "on_rq", ON_RQ}, {"", "tasks", TASKS}, {"", "thread_node", NODE},
    {"", "signal", SIGNAL}, {"", "pid", PID}, {"", "tgid", TGID},
    {"", "comm", COMM}, {"", "nvcsw", NVCSW}, {"", "nivcsw", NIVCSW},
    {"", "stack", STACK}, {"", "thread", SP - 8}, {"thread_struct", "sp", 8},
    {"signal_struct", "thread_head", HEAD}, {"inactive_task_frame", "r15", 0},
    {"", "r14", 8}, {"", "r13", 16}, {"", "r12", 24}, {"", "bx", 32},
    {"", "bp", 40}, {"", "ret_addr", 48}};
enum { ALL = sizeof members / sizeof *members };

/* BTF, by Documentation/bpf/btf.rst, with the first n members. */
static struct buf
make_btf(size_t n)
{
	struct buf types = BUF_INIT, strings = BUF_INIT, b = BUF_INIT;

	buf_addc(&strings, 0);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && members[k].of[0] == 0;)
			k++;
		put_int(&types, strings.len, 4);
		put_int(&types, 4u << 24 | (k - i), 4);
		put_int(&types, 8, 4);
		buf_add(&strings, members[i].of, strlen(members[i].of) + 1);
		for (size_t m = i; m < k; m++) {
			put_int(&types, strings.len, 4);
			put_int(&types, 0, 4);
			put_int(&types, members[m].at * 8, 4);
			buf_add(&strings, members[m].name,
			    strlen(members[m].name) + 1);
		}
	}
	b = kernel_btf(&types, &strings);
	buf_done(&types);
	buf_done(&strings);
	return b;
}

#define KERNEL UINT64_C(0xffffffff81000000)
#define SLIDE 0
enum { MEMORY = 256 << 10 };
#include "capture_memory.h"

enum { TASK = 0x4000, LOW = 0x3800 };

static uint64_t
task(unsigned i)
{
	return KERNEL + TASK * i;
}

/* A task, its stack, and its signal_struct, in 16 kB; alone in its process. */
static void
add_task(unsigned i, uint64_t state, const char *comm)
{
	const uint64_t at = TASK * i, head = KERNEL + at + 0x300 + HEAD;

	put(at + STATE, state, 4);
	put(at + PID, 100 + i, 4);
	put(at + TGID, 100 + i, 4);
	put(at + NVCSW, 7 * i, 8);
	put(at + STACK, KERNEL + at, 8);
	put(at + SP, KERNEL + at + LOW, 8);
	put(at + LOW + 48, 0xc0de00 + i, 8);
	put(at + SIGNAL, KERNEL + at + 0x300, 8);
	put(at + NODE, head, 8);
	put(at + NODE + 8, head, 8);
	memset(memory + at + COMM, 0, 16);
	memcpy(memory + at + COMM, comm, strlen(comm));
}

/* Links a ring of tasks, also that of one process's threads. */
static void
link_tasks(unsigned from, unsigned to, unsigned member)
{
	put(TASK * from + member, task(to) + member, 8);
	put(TASK * to + member + 8, task(from) + member, 8);
}

static unsigned unwound;

/* That thread runs whenever its stack is looked at. */
static void
wobble(unsigned i)
{
	meanwhile.on = true;
	meanwhile.at = TASK * i + LOW;
	meanwhile.adds_at = TASK * i + NVCSW;
}

static void
unwind(void *arg, const struct unwind_regs *regs, unwind_read *read,
    void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)arg;
	unwound++;
	CHECK(read(read_arg, regs->r[7] - 8, &word) == 0);
	CHECK(word == regs->r[16]);
	CHECK(read(read_arg, regs->r[7] + TASK, &word) != 0);
	CHECK(read(read_arg, regs->r[7] - 1024, &word) != 0);
	st->n = 1;
	st->end = UNWIND_ROOT;
	st->frame[0] = (struct unwind_frame){.pc = regs->r[16]};
}

static const struct threads_guest guest = {memory, read_memory, unwind, false};

static void
make_tasks(void)
{
	memset(memory, 0, sizeof memory);
	for (unsigned i = 0; i < 6; i++)
		add_task(i,
		    i == 3   ? 2
		    : i == 4 ? 0
			     : 1,
		    i == 0   ? "swapper/0"
		    : i == 1 ? "a\033[2J"
			     : "b");
	/* 0, 1, 2, 3; thread 4 is of process 2, and thread 5 is on a CPU */
	for (unsigned i = 0; i < 4; i++)
		link_tasks(i, (i + 1) % 4, TASKS);
	link_tasks(2, 4, NODE);
	link_tasks(4, 5, NODE);
	put(TASK * 5 + NODE, KERNEL + TASK * 2 + 0x300 + HEAD, 8);
	for (unsigned i = 4; i < 6; i++) {
		put(TASK * i + SIGNAL, KERNEL + TASK * 2 + 0x300, 8);
		put(TASK * i + TGID, 102, 4);
	}
	put(TASK * 5 + ON_CPU, 1, 4);
}

static void
test_list(struct threads *t)
{
	static const enum trace_state states[] = {
	    STATE_WAITING, STATE_WAITING, STATE_READY, STATE_DISK};
	static const unsigned pids[] = {101, 102, 104, 103};
	const struct thread *th;
	size_t n;

	make_tasks();
	CHECK(threads_found(t, &guest));
	CHECK(threads_take(t, &guest) == 0);
	th = threads_get(t, &n);
	CHECK(n == 4);
	for (size_t i = 0; i < n && i < 4; i++) {
		CHECK(th[i].pid == pids[i] && th[i].state == states[i]);
		CHECK(th[i].n == 1 && !th[i].ran);
		CHECK(th[i].frame[0].pc == 0xc0de00 + pids[i] - 100);
	}
	CHECK(th[2].tgid == 102);
	CHECK(strcmp(th[0].comm, "a\033[2J") == 0);
	CHECK(strcmp(th[2].process, "b") == 0);
	CHECK(!threads_cut(t));
}

/* Only a stack that may have changed is read again. */
static void
test_again(struct threads *t)
{
	const unsigned before = unwound;
	const struct thread *th;
	size_t n;

	CHECK(threads_take(t, &guest) == 0 && unwound == before);
	put(TASK * 2 + NIVCSW, 1, 8);
	put(TASK * 1 + ON_RQ, 1, 4);
	CHECK(threads_take(t, &guest) == 0 && unwound == before + 1);
	th = threads_get(t, &n);
	CHECK(n == 4 && th[1].ran && !th[0].ran && !th[3].ran);
	CHECK(th[0].state == STATE_READY);
	put(TASK * 3 + STATE, 0x402, 4);
	put(TASK * 1 + STATE, 0x80, 4);
	put(TASK * 2 + STATE, 8, 4);
	CHECK(threads_take(t, &guest) == 0);
	th = threads_get(t, &n);
	CHECK(n == 3 && th[2].state == STATE_WAITING);
	CHECK(th[0].state == STATE_STOPPED);
	threads_none(t);
	threads_get(t, &n);
	CHECK(n == 0);
}

/* A thread that runs while it is read is not there. */
static void
test_runs(struct threads *t)
{
	const struct thread *th;
	size_t n;

	make_tasks();
	put(TASK * 3 + NVCSW, 1000, 8);
	wobble(3);
	CHECK(threads_take(t, &guest) == 0);
	th = threads_get(t, &n);
	CHECK(n == 3);
	for (size_t i = 0; i < n; i++)
		CHECK(th[i].pid != 103);
	meanwhile.on = false;
	put(TASK * 1 + SP, KERNEL + TASK * 2 + LOW, 8); /* not its stack */
	CHECK(threads_take(t, &guest) == 0);
	threads_get(t, &n);
	CHECK(n == 3);
}

static void
test_broken(struct threads *t)
{
	size_t n;

	make_tasks();
	put(TASK * 3 + TASKS, task(2) + TASKS, 8); /* a loop */
	CHECK(threads_take(t, &guest) == -1);
	threads_get(t, &n);
	CHECK(n == 0);
	make_tasks();
	put(TASK * 5 + NODE, task(4) + NODE, 8);
	CHECK(threads_take(t, &guest) == -1);
	make_tasks();
	put(TASK * 2 + TASKS, 0x1234, 8); /* nowhere */
	CHECK(threads_take(t, &guest) == -1);
	make_tasks();
	CHECK(threads_take(t, &guest) == 0);
	threads_get(t, &n);
	CHECK(n == 4);
	memset(memory + COMM, 'x', 8);
	CHECK(!threads_found(t, &guest));
}

/* A list without an end. */
static int
read_endless(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const uint64_t base = (addr - KERNEL) / TASK * TASK;

	put(TASKS, KERNEL + base + TASK + TASKS, 8);
	put(TASKS + 8, KERNEL + base - TASK + TASKS, 8);
	put(SIGNAL, KERNEL + base + 0x300, 8);
	put(NODE, KERNEL + base + 0x300 + HEAD, 8);
	put(STACK, KERNEL + base, 8);
	put(SP, KERNEL + base + LOW, 8);
	return read_memory(arg, addr - base, to, n);
}

static void
test_endless(struct threads *t)
{
	const struct threads_guest g = {memory, read_endless, unwind, false};
	size_t n;

	make_tasks();
	CHECK(threads_take(t, &g) == 0);
	threads_get(t, &n);
	CHECK(n == THREADS_MAX && threads_cut(t));
}

/*
 * Thread 3 of a guest that goes on between any two reads: what it last left on
 * its stack and its return address have one number, no other sleep has that,
 * and while it runs the stack has others.
 */
static unsigned seed = 1, serial, step, shown;

static unsigned
dice(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void
go_on(void)
{
	enum { AT = TASK * 3, DEEP = AT + LOW + 0x400 };

	switch (step++ % 6) {
	case 0:
		put(AT + ON_CPU, 1, 4);
		put(AT + STATE, 0, 4);
		break;
	case 1:
	case 2: /* it runs */
		put(DEEP, 0xdead00 + serial++, 8);
		break;
	case 3: /* it is about to sleep, */
		put(AT + STATE, 1, 4);
		put(AT + NVCSW, step, 8);
		break;
	case 4:
		put(DEEP, 0x5a5a00 + serial, 8);
		put(AT + LOW + 48, 0xc0de00 + serial++, 8);
		break;
	default: /* and sleeps */
		put(AT + ON_CPU, 0, 4);
	}
}

static int
read_busy(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const unsigned *busy = arg;
	const int status = read_memory(memory, addr, to, n);

	for (unsigned k = dice(*busy) == 0 ? 1 + dice(4) : 0; k > 0; k--)
		go_on();
	return status;
}

static void
unwind_busy(void *arg, const struct unwind_regs *regs, unwind_read *read,
    void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)arg;
	st->n = 1;
	st->end = UNWIND_ROOT;
	st->frame[0] = (struct unwind_frame){.pc = regs->r[16]};
	if (regs->r[16] < 0xc0de00 + 100) /* a thread that always sleeps */
		return;
	shown++;
	CHECK(read(read_arg, regs->r[7] - 56 + 0x400, &word) == 0);
	CHECK(word - 0x5a5a00 == regs->r[16] - 0xc0de00);
}

/* 100,000 reads of a guest that runs: what runs is never told as waiting. */
static void
test_busy(struct threads *t)
{
	unsigned busy;
	const struct threads_guest g = {&busy, read_busy, unwind_busy, false};

	make_tasks();
	serial = 100;
	step = 0;
	for (unsigned i = 0; i < 100000; i++) {
		busy = 1 + i % 6;
		threads_take(t, &g);
	}
	CHECK(shown > 5000);
}

int
main(void)
{
	static const struct variable init = {"init_task", KERNEL, 0};
	struct buf btf = make_btf(ALL), less = make_btf(ALL - 1);
	struct elfsym *kernel = kernel_file(EM_X86_64, KERNEL, &btf, &init, 1),
		      *other = kernel_file(EM_X86_64, KERNEL, &less, &init, 1);
	const char *why;
	struct threads *t = threads_new(kernel, UNWIND_X86_64, &why);

	CHECK(t != NULL);
	if (t == NULL)
		return unit_end();
	test_list(t);
	test_again(t);
	test_runs(t);
	test_broken(t);
	test_busy(t);
	test_endless(t);
	threads_free(t);
	CHECK(threads_new(kernel, UNWIND_I386, &why) == NULL && why != NULL);
	CHECK(threads_new(other, UNWIND_X86_64, &why) == NULL && why != NULL);
	elfsym_free(kernel);
	elfsym_free(other);
	buf_done(&btf);
	buf_done(&less);
	return unit_end();
}
