/* SPDX-License-Identifier: ISC */
/*
 * Threads in an array, as an OS file tells, in a memory that is made here: what
 * waits and what does not, stacks that change while they are read, and lines
 * that are wrong. Lists are in tests/capture-lists.bats.
 */
#include "threads/listed.h"

#include "capture_kernel.h"

#define KERNEL UINT64_C(0x80000000)
#define SLIDE 0
enum { MEMORY = 64 << 10 };
#include "capture_memory.h"

#include "capture_busy.h"

enum { RUNS = 0x3000, WORD = 0xf00 }; /* a pointer; in a stack */
enum { SIZE = 128, COUNT = 4, STACKS = 0x4000 };

/* A kernel's file in which `proc` has so many bytes. */
static struct elfsym *
make_kernel(uint64_t size)
{
	const struct variable all[] = {
	    {"proc", KERNEL, size}, {"runs", KERNEL + RUNS, 8}};
	struct buf none = BUF_INIT;

	return kernel_file(EM_RISCV, KERNEL, &none, all, 2);
}

static void
add_thread(unsigned i, unsigned state, const char *name)
{
	const uint64_t at = SIZE * i, stack = STACKS + 0x1000 * i;

	put(at + 8, state, 4);
	put(at + 16, 10 + i, 4);
	put(at + 24, KERNEL + stack, 8);
	put(at + 32, 0xc0de00 + i, 8);
	put(at + 40, KERNEL + stack + 0xf00, 8);
	put(stack + 0xf00, 0x5a5a00 + i, 8);
	memcpy(memory + at + 64, name, strlen(name) + 1);
}

static unsigned unwound;

/* That thread runs whenever its stack is looked at. */
static void
wobble(unsigned i)
{
	meanwhile.on = true;
	meanwhile.at = STACKS + 0x1000 * i + 0xf00;
	meanwhile.adds_at = SIZE * i + 48;
}

static void
unwind(void *arg, struct thread *th, const struct unwind_regs *regs,
    unwind_read *read, void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)arg;
	(void)th;
	unwound++;
	CHECK(read(read_arg, regs->r[2], &word) == 0);
	CHECK(word - 0x5a5a00 == regs->r[32] - 0xc0de00);
	CHECK(regs->r[1] == regs->r[32] && regs->r[9] == 0);
	CHECK(read(read_arg, regs->r[2] + 0x100, &word) != 0);
	CHECK(read(read_arg, regs->r[2] - 8, &word) != 0);
	st->n = 1;
	st->end = UNWIND_ROOT;
	st->frame[0] = (struct unwind_frame){.pc = regs->r[32], .exact = true};
}

static const struct threads_guest guest = {
    memory, read_memory, unwind, false, false};

static const char *
line(struct os_threads *t, const char *text)
{
	return osthreads_line(t, text, strlen(text));
}

static struct os_threads
tell(void)
{
	struct os_threads t = {0};

	CHECK(line(&t, "array proc 4 128") == NULL);
	CHECK(line(&t, "name 64") == NULL);
	CHECK(line(&t, "number 0x10") == NULL);
	CHECK(line(&t, "state 8 2=waiting 3=ready 5=disk") == NULL);
	CHECK(line(&t, "stack 24 4096") == NULL);
	CHECK(line(&t, "registers pc 32 sp 40 fp 48 9 56") == NULL);
	return t;
}

static void
test_lines(void)
{
	static const char *const wrong[] = {"", "array", "array proc",
	    "array proc 4", "array proc 99999 8", "array proc 4 8 8", "list",
	    "list first", "list first 99999", "list first 8 0 0",
	    "pointers table", "pointers table 4 4", "array .proc 4 8",
	    "array proc. 4 8", "array a..b 4 8", "array proc+ 4 8",
	    "array * 4 8", "array proc 4 8 =", "array proc 4 8 =asleep",
	    "array proc 4 8 =ready 3", "list first 8 =ready 0",
	    "list first 8 3v", "registers pc 8 sp =", "registers pc =x sp 8",
	    "saved", "current", "list first *8", "name", "name 99999999",
	    "stack 8", "stack 8 999999", "state", "state 8", "state 8 2",
	    "state 8 2=", "state 8 2=asleep", "registers pc 8 sp &",
	    "state 8 =waiting",
	    "state 8 1=disk 2=disk 3=disk 4=disk 5=disk 6=disk 7=disk 8=disk "
	    "9=disk 10=disk 11=disk 12=disk 13=disk 14=disk 15=disk 16=disk "
	    "17=disk",
	    "registers", "registers pc", "registers pc 8",
	    "registers xx 8 pc 8", "registers 64 8 pc 8", "registers pc 8 sp",
	    "lock", "lock 8", "lock 8 8", "lock 8 .x f", "thing 8"};
	struct os_threads t = {0};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(line(&t, wrong[i]) != NULL);
	osthreads_done(&t);
}

static void
test_missing(void)
{
	const struct unwind_abi *abi = &unwind_abis[UNWIND_RISCV64];
	struct os_threads t = tell(), less = t;
	struct elfsym *kernel = make_kernel(SIZE * COUNT),
		      *other = make_kernel(SIZE * COUNT + 8);
	const char *why;

	CHECK(listed_new(&t, other, abi, &why) == NULL && why != NULL);
	less.source[0].at = "process";
	CHECK(listed_new(&less, kernel, abi, &why) == NULL && why != NULL);
	less = t;
	less.n_states = 0;
	CHECK(listed_new(&less, kernel, abi, &why) == NULL && why != NULL);
	less.n_registers = 0;
	CHECK(listed_new(&less, kernel, abi, &why) == NULL && why != NULL);
	elfsym_free(kernel);
	elfsym_free(other);
	osthreads_done(&t);
}

static void
test_take(void)
{
	struct os_threads t = tell();
	struct elfsym *kernel = make_kernel(SIZE * COUNT);
	const struct thread *th;
	const char *why;
	struct listed *a =
	    listed_new(&t, kernel, &unwind_abis[UNWIND_RISCV64], &why);
	size_t n;

	CHECK(a != NULL && listed_found(a, &guest));
	add_thread(0, 2, "init");
	add_thread(1, 4, "runs");
	add_thread(2, 3, "a name of more than fifteen");
	listed_take(a, &guest);
	th = listed_get(a, &n);
	CHECK(n == 2 && unwound == 2);
	CHECK(th[0].pid == 10 && strcmp(th[0].comm, "init") == 0);
	CHECK(th[0].state == STATE_WAITING && th[1].state == STATE_READY);
	CHECK(th[0].n == 1 && th[0].frame[0].pc == 0xc0de00);
	CHECK(!th[0].frame[0].exact && th[0].ran);
	CHECK(strcmp(th[1].comm, "a name of more ") == 0);
	/* what has not changed may have run and sleep again: it is read, too */
	put(SIZE * 2 + 48, 7, 8);
	add_thread(3, 5, "new");
	listed_take(a, &guest);
	th = listed_get(a, &n);
	CHECK(n == 3 && unwound == 5);
	CHECK(th[0].ran && th[1].ran && th[2].ran);
	CHECK(th[2].state == STATE_DISK && th[2].frame[0].pc == 0xc0de03);
	/* it changes while its stack is read */
	wobble(2);
	put(SIZE * 2 + 48, 8, 8);
	listed_take(a, &guest);
	listed_get(a, &n);
	CHECK(n == 2);
	meanwhile.on = false;
	/* a stack pointer beyond the stack, and no memory there */
	put(SIZE * 3 + 40, KERNEL + STACKS + 0x5000, 8);
	put(SIZE * 0 + 24, UINT64_C(1) << 60, 8);
	put(SIZE * 0 + 40, (UINT64_C(1) << 60) + 8, 8);
	listed_take(a, &guest);
	th = listed_get(a, &n);
	CHECK(n == 1 && th[0].pid == 12);
	listed_none(a);
	listed_get(a, &n);
	CHECK(n == 0);
	listed_free(a);
	listed_free(NULL);
	elfsym_free(kernel);
	osthreads_done(&t);
}

/*
 * A kernel of one CPU. Whatever a thread has last left on its stack, and its
 * registers, have one number, and no other thread ever has that; while it runs
 * the stack has others.
 */
static unsigned serial, on_cpu; /* 0: none, else a thread's number + 1 */
static unsigned steps, shown;

/* What the guest does until the next read. */
static void
go_on(void)
{
	const unsigned i = on_cpu > 0 ? on_cpu - 1 : dice(COUNT);
	const uint64_t at = SIZE * i, word = STACKS + 0x1000 * i + WORD;

	switch (on_cpu == 0 ? 9 : steps++ % 4) {
	case 0: /* it runs */
		put(word, 0xdead00 + serial++, 8);
		break;
	case 1: /* it is about to sleep, */
		put(at + 8, 2, 4);
		break;
	case 2:
		put(at + 32, 0xc0de00 + serial, 8);
		put(word, 0x5a5a00 + serial++, 8);
		break;
	case 3: /* and sleeps */
		put(RUNS, 0, 8);
		on_cpu = 0;
		break;
	default:
		put(RUNS, KERNEL + at, 8);
		put(at + 8, 4, 4);
		put(word, 0xdead00, 8);
		on_cpu = i + 1;
	}
}

static void
unwind_busy(void *arg, struct thread *th, const struct unwind_regs *regs,
    unwind_read *read, void *read_arg, struct unwind_stack *st)
{
	uint64_t word;

	(void)th;
	(void)arg;
	shown++;
	CHECK(read(read_arg, regs->r[2], &word) == 0);
	CHECK(word - 0x5a5a00 == regs->r[32] - 0xc0de00);
	st->n = 0;
	st->end = UNWIND_ROOT;
}

/* 100,000 reads of a guest that runs: what runs is never told as waiting. */
static void
test_busy(void)
{
	struct os_threads t = tell();
	struct elfsym *kernel = make_kernel(SIZE * COUNT);
	struct busy busy = {.calm = 1};
	const struct threads_guest g = {
	    &busy, read_busy, unwind_busy, false, false};
	const char *why;
	struct listed *a;

	CHECK(line(&t, "current runs") == NULL);
	a = listed_new(&t, kernel, &unwind_abis[UNWIND_RISCV64], &why);
	CHECK(a != NULL);
	memset(memory, 0, sizeof memory);
	for (unsigned i = 0; i < COUNT; i++)
		add_thread(i, 2, "t");
	serial = COUNT;
	for (unsigned i = 0; i < 100000; i++) {
		busy.most = 1 + i % 8;
		listed_take(a, &g);
	}
	CHECK(shown > 100000 && shown < 300000);
	listed_free(a);
	elfsym_free(kernel);
	osthreads_done(&t);
}

int
main(void)
{
	test_lines();
	test_missing();
	test_take();
	test_busy();
	return unit_end();
}
