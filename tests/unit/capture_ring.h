/* SPDX-License-Identifier: ISC */
/*
 * A memory with tasks of Linux: a kernel's file with BTF and init_task, six
 * tasks in a ring, and threads of one process.
 */
#ifndef CAPTURE_RING_H
#define CAPTURE_RING_H

#include "threads/threads.h"

#include "base/num.h"
#include "base/xalloc.h"
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

#endif
