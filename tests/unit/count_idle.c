/* SPDX-License-Identifier: ISC */
/*
 * A scheduler that waits on a stack of its own, as kst-count's plugin follows
 * it: threads and handlers jump there.
 */
#include "count_host.h"

/*
 * The kernel's first stack calls the scheduler. A thread begins by the return
 * from an exception, calls, and jumps to the scheduler's loop on the first
 * stack. Three interrupts come there, whose handlers jump to the loop, too.
 * Then the thread's call returns. It goes to the loop once more, where the next
 * interrupt's handler begins a second thread; that one goes to the loop, and
 * the handler returns to the first one, at last.
 */
static void
guest_x86(void)
{
	const struct qemu_plugin_tb *top = code(0x1000, NOP CALL_FFA),
				    *start = code(0x2000, NOP IRET),
				    *thread = code(0x5000, NOP CALL_FFA),
				    *sleeps = code(0x6000, NOP JUMP),
				    *loop = code(0x2100, NOP NOP),
				    *handler = code(0x9000, NOP CALL_FFA),
				    *goes = code(0xa000, NOP JUMP);
	const uint64_t system = 0x80000 - 16, first = 0x60000;

	all_of(top);
	sp = first;
	all_of(start);
	all_of(thread);
	for (int i = 0; i < 3; i++) {
		all_of(i == 0 ? sleeps : goes);
		sp = system;
		fail(loop, 1);
		all_of(handler);
	}
	sp = first + 16;
	all_of(code(0xa000, NOP RET));
	all_of(code(0x5006, JUMP));
	all_of(thread);
	all_of(sleeps);
	sp = system;
	fail(loop, 1);
	all_of(handler);
	sp = 0x40000;
	all_of(code(0xa000, NOP IRET));
	all_of(code(0x7000, NOP CALL_FFA));
	all_of(code(0x8000, NOP JUMP));
	sp = system;
	fail(loop, 1);
	all_of(handler);
	sp = first + 16;
	all_of(code(0xa000, NOP RET));
	all_of(code(0x5006, NOP JUMP));
}

static void
test_x86(void)
{
	reset(COUNT_BLOCKS, "blocks");
	WRITES_UNIT(guest_x86,
	    "CPU#0;0x1000 1\n"
	    "CPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x5000 2\n"
	    "CPU#0;0x5006;0x6000 2\n"
	    "CPU#0;0x5006;0x2100 1\n"
	    "CPU#0;0x5006;0x2100;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x5006;0x2100;<signal handler called>;0x9006;0xa000 1\n"
	    "CPU#0;0x5006;0x2100;<signal handler called>;0x9006;0x2100 1\n"
	    "CPU#0;0x5006;0x2100;<signal handler called>;0x9006;0x2100;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1006;0x2100;<signal handler called>;0x9006;0xa000 4\n"
	    "CPU#0;0x1006;0x2100 3\n"
	    "CPU#0;0x1006;0x2100;<signal handler called>;0x9000 3\n"
	    "CPU#0;0x5006 2\n"
	    "CPU#0;0x7000 1\n"
	    "CPU#0;0x7006;0x8000 1\n"
	    "#kst:unit=blocks,exact=1\n");
}

/* The same where handlers store the register of returns: instructions. */
static const struct {
	const char *target, *nop, *call, *jump, *ret, *back, *save, *load;
} isas[] = {{"riscv64", RV_NOP, RV_CALL, RV_JUMP, RV_RET, RV_MRET, RV_SAVE,
		RV_LOAD},
    {"aarch64", A64_NOP, A64_CALL, A64_JUMP, A64_RET, A64_ERET, A64_SAVE,
	A64_LOAD}},
  *isa;

/* A block of two instructions. */
static struct qemu_plugin_tb *
two(uint64_t pc, const char *a, const char *b)
{
	char *both = calloc(1, 11);

	memcpy(both, a, 5);
	memcpy(both + 5, b, 5);
	return code(pc, both);
}

static void
guest_stores(void)
{
	const struct qemu_plugin_tb *top = two(0x1000, isa->save, isa->call),
				    *start = two(0x2004, isa->save, isa->back),
				    *thread = two(0x5000, isa->nop, isa->call),
				    *sleeps = two(0x6004, isa->save, isa->jump),
				    *loop = two(0x2100, isa->nop, isa->nop),
				    *handler =
					two(0x9000, isa->save, isa->call),
				    *goes = two(0xa004, isa->nop, isa->jump);
	const uint64_t system = 0x80000 - 16, first = 0x60000;

	all_of(top);
	sp = system;
	all_of(start);
	sp = first;
	all_of(thread);
	for (int i = 0; i < 3; i++) {
		all_of(i == 0 ? sleeps : goes);
		sp = system - 64;
		part(0, loop, 1);
		all_of(handler);
	}
	sp = first;
	all_of(two(0xa004, isa->load, isa->ret));
	all_of(code(0x5008, isa->jump));
	all_of(thread);
	all_of(sleeps);
	sp = system - 64;
	part(0, loop, 1);
	all_of(handler);
	sp = 0x40000;
	all_of(two(0xa004, isa->load, isa->back));
	all_of(two(0x7000, isa->nop, isa->call));
	all_of(two(0x8004, isa->save, isa->jump));
	sp = system - 64;
	part(0, loop, 1);
	all_of(handler);
	sp = first;
	all_of(two(0xa004, isa->load, isa->ret));
	all_of(two(0x5008, isa->nop, isa->jump));
}

static void
test_stores(void)
{
	for (isa = isas; isa < isas + 2; isa++) {
		reset(COUNT_BLOCKS, "blocks");
		target = isa->target;
		WRITES_UNIT(guest_stores,
		    "CPU#0;0x1000 1\n"
		    "CPU#0;0x1008;0x2004 1\n"
		    "CPU#0;0x5000 2\n"
		    "CPU#0;0x5008;0x6004 2\n"
		    "CPU#0;0x5008;0x2100 1\n"
		    "CPU#0;0x5008;0x2100;<signal handler called>;0x9000 1\n"
		    "CPU#0;0x5008;0x2100;<signal handler called>;0x9008;0xa004 1\n"
		    "CPU#0;0x5008;0x2100;<signal handler called>;0x9008;0x2100 1\n"
		    "CPU#0;0x5008;0x2100;<signal handler called>;0x9008;0x2100;<signal handler called>;0x9000 1\n"
		    "CPU#0;0x1008;0x2100;<signal handler called>;0x9008;0xa004 4\n"
		    "CPU#0;0x1008;0x2100 3\n"
		    "CPU#0;0x1008;0x2100;<signal handler called>;0x9000 3\n"
		    "CPU#0;0x5008 2\n"
		    "CPU#0;0x7000 1\n"
		    "CPU#0;0x7008;0x8004 1\n"
		    "#kst:unit=blocks,exact=1\n");
	}
}

/*
 * Handlers that store it in one place of no stack: where the first one's calls
 * stand, the second one interrupts it, and returns.
 */
static void
guest_scratch(void)
{
	const struct qemu_plugin_tb *handler =
	    two(0x9000, isa->save, isa->call);

	all_of(two(0x1000, isa->save, isa->call));
	sp = 0x7f000;
	all_of(two(0x2004, isa->save, isa->nop));
	sp = 0x30000;
	all_of(handler);
	sp = 0x7e000;
	all_of(two(0xa004, isa->save, isa->nop));
	sp = 0x30000;
	all_of(handler);
	all_of(two(0xa004, isa->nop, isa->back));
	sp = 0x7e000;
	all_of(two(0xa00c, isa->load, isa->ret));
	all_of(two(0x9008, isa->nop, isa->back));
	all_of(code(0x200c, isa->jump));
}

static void
test_scratch(void)
{
	for (isa = isas; isa < isas + 2; isa++) {
		reset(COUNT_BLOCKS, "blocks");
		target = isa->target;
		WRITES_UNIT(guest_scratch,
		    "CPU#0;0x1000 1\n"
		    "CPU#0;0x1008;0x2004 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9000 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9008;0xa004 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9008;0xa008;<signal handler called>;0x9000 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9008;0xa008;<signal handler called>;0x9008;0xa004 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9008;0xa00c 1\n"
		    "CPU#0;0x1008;0x2008;<signal handler called>;0x9008 1\n"
		    "CPU#0;0x1008;0x200c 1\n"
		    "#kst:unit=blocks,exact=1\n");
	}
}

static void
test_all(void)
{
	test_scratch();
	test_x86();
	test_stores();
}

int
main(void)
{
	return with_result(test_all);
}
