/* SPDX-License-Identifier: ISC */
/* Threads of Linux in a guest that goes on while they are read. */
#include "capture_ring.h"

#include "capture_busy.h"

/*
 * Thread 3 of a guest that goes on between any two reads: what it last left on
 * its stack and its return address have one number, no other sleep has that,
 * and while it runs the stack has others.
 */
static unsigned serial, step, shown;

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

static void
unwind_busy(void *arg, struct thread *th, const struct unwind_regs *regs,
    unwind_read *read, void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)arg;
	(void)th;
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
	struct busy busy = {.most = 5};
	const struct threads_guest g = {
	    &busy, read_busy, unwind_busy, false, false};

	make_tasks();
	serial = 100;
	step = 0;
	for (unsigned i = 0; i < 100000; i++) {
		busy.calm = 1 + i % 6;
		threads_take(t, &g);
	}
	CHECK(shown > 5000);
}

int
main(void)
{
	static const struct variable init = {"init_task", KERNEL, 0};
	struct buf btf = make_btf(ALL);
	struct elfsym *kernel = kernel_file(EM_X86_64, KERNEL, &btf, &init, 1);
	const char *why;
	struct threads *t = threads_new(kernel, UNWIND_X86_64, &why);

	CHECK(t != NULL);
	if (t != NULL)
		test_busy(t);
	threads_free(t);
	elfsym_free(kernel);
	buf_done(&btf);
	return unit_end();
}
