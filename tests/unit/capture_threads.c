/* SPDX-License-Identifier: ISC */
/* Threads of Linux that are not on a CPU, in rings of tasks, also broken ones.
 */
#include "capture_ring.h"

static unsigned unwound;

/* The thread that is a program's, and whether it runs when that was read. */
static struct {
	uint64_t pid;
	bool runs;
} program;

/* That thread runs whenever its stack is looked at. */
static void
wobble(unsigned i)
{
	meanwhile.on = true;
	meanwhile.at = TASK * i + LOW;
	meanwhile.adds_at = TASK * i + NVCSW;
}

static void
unwind(void *arg, struct thread *th, const struct unwind_regs *regs,
    unwind_read *read, void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)arg;
	unwound++;
	if (th->pid == program.pid) {
		th->entered = true;
		th->program = xcalloc(1, sizeof *th->program);
		th->n_program = 1;
		memory[TASK * (th->pid - 100) + NVCSW] += program.runs;
	}
	CHECK(read(read_arg, regs->r[7] - 8, &word) == 0);
	CHECK(word == regs->r[16]);
	CHECK(read(read_arg, regs->r[7] + TASK, &word) != 0);
	CHECK(read(read_arg, regs->r[7] - 1024, &word) != 0);
	st->n = 1;
	st->end = UNWIND_ROOT;
	st->frame[0] = (struct unwind_frame){.pc = regs->r[16]};
}

static const struct threads_guest guest = {
    memory, read_memory, unwind, false, false};

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

/* A program's stack is read again when there are files, and last of all. */
static void
test_program(struct threads *t)
{
	struct threads_guest g = guest;
	const struct thread *th;
	unsigned before;
	size_t n;

	make_tasks();
	put(TASK * 3 + NVCSW, 50, 8);
	program.pid = 103;
	CHECK(threads_take(t, &g) == 0);
	th = threads_get(t, &n);
	CHECK(n == 4 && th[3].pid == 103 && th[3].n_program == 1);
	before = unwound;
	CHECK(threads_take(t, &g) == 0 && unwound == before);
	g.files = true;
	CHECK(threads_take(t, &g) == 0 && unwound == before + 1);
	program.runs = true;
	CHECK(threads_take(t, &g) == 0);
	threads_get(t, &n);
	CHECK(n == 3);
	program.pid = 0;
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
	const struct threads_guest g = {
	    memory, read_endless, unwind, false, false};
	size_t n;

	make_tasks();
	CHECK(threads_take(t, &g) == 0);
	threads_get(t, &n);
	CHECK(n == THREADS_MAX && threads_cut(t));
}

/* A kernel without types: of Linux these are missing, of others an OS file. */
static void
test_no_types(void)
{
	static const struct variable v[] = {
	    {"init_task", KERNEL, 0}, {"tasks", KERNEL, 0}};
	static const char *const says[] = {"no BTF", "kst count"};
	struct buf none = BUF_INIT;
	const char *why;

	for (size_t i = 0; i < 2; i++) {
		struct elfsym *k =
		    kernel_file(EM_X86_64, KERNEL, &none, &v[i], 1);

		CHECK(threads_new(k, UNWIND_X86_64, &why) == NULL);
		CHECK(strstr(why, says[i]) != NULL);
		CHECK(threads_new(k, UNWIND_ARM, &why) == NULL);
		CHECK((strstr(why, says[i]) != NULL) == (i == 0));
		elfsym_free(k);
	}
	buf_done(&none);
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
	test_program(t);
	test_broken(t);
	test_endless(t);
	test_no_types();
	threads_free(t);
	CHECK(threads_new(kernel, UNWIND_I386, &why) == NULL && why != NULL);
	CHECK(threads_new(other, UNWIND_X86_64, &why) == NULL && why != NULL);
	elfsym_free(kernel);
	elfsym_free(other);
	buf_done(&btf);
	buf_done(&less);
	return unit_end();
}
