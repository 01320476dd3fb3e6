/* SPDX-License-Identifier: ISC */
/* What kst-count's plugin fills besides its result: the files of --coverage and
 * of what it reports meanwhile; and stacks beyond those that it keeps. */
#include <sys/mman.h>

#include "count_host.h"
#include "live/live.h"
#include "trace/cover.h"

static char side[] = "/tmp/kst-unit.XXXXXX"; /* that file */

/* A conditional jump of 0x1001 to 0x1013 is taken three times of four. */
static void
guest_jumps(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP JNE_10),
				    *to = code(0x1013, NOP NOP JUMP);

	for (int i = 0; i < 3; i++) {
		all_of(a);
		all_of(to);
	}
	all_of(a);
	all_of(code(0x1003, PUSH JUMP));
	part(0, a, 1); /* an exception, which ends all */
	all_of(code(0x9000, JUMP));
	part(0, to, 2);
}

/* Whether the file is whole, and its items in any order, as text. */
static void
covers(const char *want)
{
	struct cover_head h = {0};
	struct cover_insn x;
	struct cover_jump j;
	char text[1024] = "";
	size_t n = 0;
	FILE *f = fopen(side, "r");

	CHECK(f != NULL && fread(&h, sizeof h, 1, f) == 1);
	if (f == NULL)
		return;
	CHECK(h.size == sizeof h);
	while (h.insns-- > 0 && fread(&x, sizeof x, 1, f) == 1)
		n += (size_t)snprintf(text + n, sizeof text - n,
		    "%lx-%lx %lu\n", (long)x.addr, (long)x.next, (long)x.count);
	while (h.jumps-- > 0 && fread(&j, sizeof j, 1, f) == 1)
		n += (size_t)snprintf(text + n, sizeof text - n,
		    "%lx>%lx %lu+%lu\n", (long)j.addr, (long)j.target,
		    (long)j.on, (long)j.taken);
	CHECK(getc(f) == EOF && fclose(f) == 0);
	CHECK_TEXT(text, n, want);
}

static void
test_coverage(void)
{
	reset(COUNT_INSNS, "instructions");
	strcpy(ask.cover, side);
	CHECK(truncate(side, 0) == 0);
	CHECK(runs(guest_jumps) == 0);
	covers("1001-1003 4\n1000-1001 5\n1015-1017 3\n1014-1015 4\n"
	       "1013-1014 4\n1004-1006 1\n1003-1004 1\n9000-9002 1\n"
	       "1001>1013 1+3\n");
	/* of nothing there is nothing */
	ask.from = (struct place){.given = true, .addr = 0x7000};
	CHECK(truncate(side, 0) == 0);
	CHECK(runs(guest_jumps) == 0);
	covers("1001-1003 0\n1000-1001 0\n1015-1017 0\n1014-1015 0\n"
	       "1013-1014 0\n1004-1006 0\n1003-1004 0\n9000-9002 0\n");
}

/* It is reported once in 1,024 blocks, without the last two of them; every
 * other one here just goes on, and is not one of these. */
static void
guest_on(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP JNE_10),
				    *on = code(0x1003, NOP JUMP),
				    *to = code(0x1013, JUMP);
	const int fd = open(side, O_RDWR);
	const struct live *v =
	    mmap(NULL, sizeof *v, PROT_READ, MAP_SHARED, fd, 0);

	CHECK(v != MAP_FAILED && v->n_args > 0 && v->begun == 0);
	for (int i = 0; i < 2000; i++) {
		all_of(a);
		all_of(on);
	}
	CHECK(v->begun == 1024 && v->counted == 4084 && v->stacks == 4);
	for (int i = 0; i < 200; i++)
		all_of(to);
	CHECK(v->begun == 2048 && v->counted == 8045 && v->stacks == 5);
	close(fd);
}

static void
test_live(void)
{
	reset(COUNT_INSNS, "instructions");
	strcpy(ask.live, side);
	CHECK(truncate(side, 0) == 0);
	CHECK(runs(guest_on) == 0);
}

/* 4,097 threads wait in a function: the first one's stack is given up. */
enum { THREADS = 4097 };

static uint64_t
stack_of(unsigned i)
{
	return 0x100000 + 0x100 * (uint64_t)i;
}

static void
guest_many(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP RET),
				    *on = code(0x1006, NOP JUMP);

	for (unsigned i = 0; i < THREADS; i++) {
		sp = stack_of(i);
		all_of(a);
		sp = stack_of(THREADS + i);
		all_of(f);
	}
	/* from another function back to the third one, and to the first */
	all_of(code(0x1000, NOP CALL_FFA));
	sp = stack_of(2) - 8;
	all_of(f);
	all_of(on);
	sp = stack_of(2 * THREADS);
	all_of(a);
	sp = stack_of(0) - 8;
	all_of(f);
	all_of(code(0x1006, NOP NOP JUMP));
}

static void
test_many(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_many,
	    "CPU#0;0x1000 4097\nCPU#0;0x1001 4097\nCPU#0;0x1006;0x2000 4097\n"
	    "CPU#0;0x1006;0x2001 4097\nCPU#0;[lost];0x1000 2\n"
	    "CPU#0;[lost];0x1001 2\nCPU#0;[lost];0x1006;0x2000 2\n"
	    "CPU#0;[lost];0x1006;0x2001 2\nCPU#0;0x1006 1\nCPU#0;0x1007 1\n"
	    "CPU#0;[lost];0x1006 1\nCPU#0;[lost];0x1007 1\n"
	    "CPU#0;[lost];0x1008 1\n");
	/* without a caller, and without the outermost ones */
	CHECK(strstr(ending, " 7 1 0 0 4\n") != NULL);
}

/* A stack that begins is not within a function that another one is in, */
static void
guest_within(void)
{
	all_of(code(0x1000, NOP CALL_FFA));
	sp = 0x60000;
	all_of(code(0x2000, NOP RET));
	all_of(code(0x5000, JUMP));
}

/* and two frames of one are found on the other CPU. */
static void
guest_moves(void)
{
	on_vcpu(7, 1);
	all_of(code(0x1000, NOP CALL_FFA));
	all_of(code(0x2000, NOP CALL_FFA));
	sp = 0x60000;
	all_of(code(0x3000, NOP RET));
	all_of(code(0x8000, JUMP));
	part(1, code(0x7000, NOP RET), 2);
	part(1, code(0x7100, NOP CALL_FFA), 2);
	sp = 0x80000 - 16;
	part(1, code(0x8100, RET), 1);
	part(1, code(0x2006, RET), 1);
	part(1, code(0x1006, JUMP), 1);
}

static void
test_stacks(void)
{
	reset(COUNT_INSNS, "instructions");
	ask.in = 0x2000;
	WRITES(guest_within, "CPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x2001 1\n");
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_moves,
	    "CPU#0;0x1000 1\nCPU#0;0x1001 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001 1\nCPU#0;0x1006;0x2006;0x3000 1\n"
	    "CPU#0;0x1006;0x2006;0x3001 1\nCPU#0;0x8000 1\nCPU#1;0x7000 1\n"
	    "CPU#1;0x7001 1\nCPU#1;0x7100 1\nCPU#1;0x7101 1\n"
	    "CPU#1;0x7106;0x8100 1\nCPU#1;0x1006;0x2006 1\n"
	    "CPU#1;0x1006 1\n");
}

static void
test_all(void)
{
	const int fd = mkstemp(side);

	CHECK(fd >= 0 && close(fd) == 0);
	test_coverage();
	test_live();
	test_many();
	test_stacks();
	unlink(side);
}

int
main(void)
{
	return with_result(test_all);
}
