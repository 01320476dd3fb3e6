/* SPDX-License-Identifier: ISC */
/* Threads, returns and RISC-V's calls as kst-count's plugin follows them. */
#include "count_host.h"

/* Two threads: the slot of a return address tells which one goes on. */
static void
guest_threads(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP RET),
				    *t = code(0x5000, NOP CALL_FFA),
				    *g = code(0x6000, NOP RET);

	all_of(a);
	sp = 0x60000;
	all_of(f); /* the other one begins, */
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g); /* and waits in g */
	all_of(code(0x1006, JUMP));
	sp = 0x80000;
	all_of(a);
	sp = 0x60000;
	all_of(f);
	all_of(code(0x5006, JUMP));
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g);
	all_of(code(0x1006, JUMP));
	/* one of its four innermost frames may be returned from, no other */
	sp = 0x80000;
	for (int i = 0; i < 6; i++)
		all_of(code(0x1000, NOP CALL_FFA)), all_of(code(0x2000, JUMP));
	all_of(code(0x2000, NOP RET));
	sp = 0x60000;
	all_of(code(0x1006, RET));
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g);
	all_of(code(0x1006, JUMP));
	sp = 0x50000;
	all_of(t);
	sp = 0x80000 - 16;
	all_of(g);
	all_of(code(0x1006, JUMP));
}

static void
test_threads(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_threads,
	    "CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;0x2000 2\n"
	    "CPU#0;0x1006;0x2001 2\nCPU#0;0x5000 4\nCPU#0;0x5001 4\n"
	    "CPU#0;0x5006;0x6000 4\nCPU#0;0x5006;0x6001 4\nCPU#0;0x1006 3\n"
	    "CPU#0;0x5006 1\nCPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1001 1\nCPU#0;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1000 1\nCPU#0;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006 1\n"
	    "CPU#0;0x1006;0x1006 1\n");
}

/* Returns that are jumps, and jumps that leave frames. */
static void
guest_returns(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *b = code(0x2000, NOP CALL_FFA),
				    *ret = code(0x3000, NOP RET);

	all_of(a); /* its return address was changed */
	all_of(code(0x2000, RET));
	all_of(code(0x7000, JUMP));
	sp = 0x80000;
	all_of(a);
	all_of(b);
	sp = 0x80000 - 8;
	all_of(ret); /* over a frame */
	all_of(code(0x1006, JUMP));
	all_of(a);
	all_of(b);
	all_of(code(0x3000, PUSH PUSH RET)); /* an address just pushed */
	all_of(code(0x7100, JUMP));
	sp = 0x80000;
	all_of(a); /* the same slot again: b and a are gone */
	all_of(code(0x2000, POP PUSH RET));
	all_of(code(0x1006, JUMP));
	all_of(a);
	sp = 0x80000 - 24;
	all_of(code(0x2000, RET)); /* it has moved its return address */
	all_of(code(0x1006, JUMP));
	sp = 0x80000;
	all_of(a);
	all_of(b);
	sp = 0x80000 - 8;
	all_of(ret); /* of an outer slot, to elsewhere: another thread */
	all_of(code(0x7200, JUMP));
	all_of(code(0x7201, RET)); /* of no frames */
	all_of(code(0x7300, JUMP));
}

static void
test_returns(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_returns,
	    "CPU#0;0x1000 5\nCPU#0;0x1001 5\nCPU#0;0x1006;0x2000 2\n"
	    "CPU#0;0x7000 1\nCPU#0;0x1006;0x2000 3\nCPU#0;0x1006;0x2001 3\n"
	    "CPU#0;0x1006;0x2006;0x3000 2\nCPU#0;0x1006;0x2006;0x3001 2\n"
	    "CPU#0;0x1006 3\nCPU#0;0x1006;0x2006;0x3000 1\n"
	    "CPU#0;0x1006;0x2006;0x3001 1\nCPU#0;0x1006;0x2006;0x3002 1\n"
	    "CPU#0;0x1006;0x2006;0x7100 1\nCPU#0;0x1006;0x2006;0x1000 1\n"
	    "CPU#0;0x1006;0x2006;0x1001 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001 1\nCPU#0;0x1006;0x2002 1\nCPU#0;0x7200 1\n"
	    "CPU#0;0x7201 1\nCPU#0;0x7300 1\n");
}

/* RISC-V: the return address is in a register, until it is stored. */
static void
guest_riscv(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, RV_NOP RV_CALL),
				    *f = code(0x2004, RV_SAVE RV_CALL),
				    *g = code(0x3008, RV_NOP RV_RET),
				    *end = code(0x200c, RV_LOAD RV_RET),
				    *any = code(0x1100, RV_NOP RV_CALL_A0),
				    *vector = code(0x9000, RV_NOP RV_MRET);

	for (int i = 0; i < 2; i++) {
		all_of(a);
		all_of(f);
		all_of(g);
		all_of(end);
		all_of(code(0x1008, RV_JUMP));
	}
	all_of(code(0x1008, RV_RET)); /* of no frames: a jump */
	part(0, a, 1);
	all_of(vector); /* so it is known, */
	all_of(code(0x1004, RV_CALL));
	all_of(f);
	all_of(g);
	all_of(end);
	all_of(any); /* an interrupt comes before the function, */
	all_of(vector);
	all_of(g);
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* and before what follows a return */
	all_of(g);
	all_of(vector);
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* of two calls neither stores the address */
	all_of(code(0x3100, RV_NOP RV_CALL));
	all_of(code(0x4104, RV_NOP RV_CALL));
	all_of(code(0x5108, RV_NOP RV_RET));
	all_of(code(0x410c, RV_JUMP));
	all_of(code(0x4200, RV_NOP RV_RET));
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* after deeper frames than these */
	all_of(g);
	all_of(vector);
	all_of(code(0x1108, RV_JUMP));
	all_of(code(0x1300, RV_SAVE RV_JUMP)); /* of no call */
	all_of(code(0x1400, RV_JUMP));
}

static void
test_riscv(void)
{
	reset(COUNT_INSNS, "instructions");
	target = "riscv64";
	WRITES(guest_riscv,
	    "CPU#0;0x1000 2\nCPU#0;0x1004 2\nCPU#0;0x1008;0x2004 3\n"
	    "CPU#0;0x1008;0x2008 3\nCPU#0;0x1008;0x200c;0x3008 3\n"
	    "CPU#0;0x1008;0x200c;0x300c 3\nCPU#0;0x1008;0x200c 3\n"
	    "CPU#0;0x1008;0x2010 3\nCPU#0;0x1008 2\nCPU#0;0x1008 1\n"
	    "CPU#0;0x1000 1\nCPU#0;0x1000;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1000;<signal handler called>;0x9004 1\nCPU#0;0x1004 1\n"
	    "CPU#0;0x1100 4\nCPU#0;0x1104 4\n"
	    "CPU#0;0x1108;0x1104;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1108;0x1104;<signal handler called>;0x9004 1\n"
	    "CPU#0;0x1108;0x3008 3\nCPU#0;0x1108;0x300c 3\nCPU#0;0x1108 4\n"
	    "CPU#0;0x300c;<signal handler called>;0x9000 2\n"
	    "CPU#0;0x300c;<signal handler called>;0x9004 2\n"
	    "CPU#0;0x1108;0x3100 1\nCPU#0;0x1108;0x3104 1\n"
	    "CPU#0;0x1108;0x3108;0x4104 1\nCPU#0;0x1108;0x3108;0x4108 1\n"
	    "CPU#0;0x1108;0x3108;0x410c;0x5108 1\n"
	    "CPU#0;0x1108;0x3108;0x410c;0x510c 1\nCPU#0;0x1108;0x3108;0x410c 1\n"
	    "CPU#0;0x1108;0x3108;0x4200 1\nCPU#0;0x1108;0x3108;0x4204 1\n"
	    "CPU#0;0x1300 1\nCPU#0;0x1304 1\nCPU#0;0x1400 1\n");
}

/* So many blocks on two stacks, again and again: each is one that is known. */
static void
guest_again(void)
{
	enum { BLOCKS = 1200 };
	const struct qemu_plugin_tb *b[BLOCKS];

	for (uint64_t i = 0; i < BLOCKS; i++)
		b[i] = code(0x100000 + 16 * i, JUMP);
	for (uint64_t k = 0; k < 4; k++) {
		const uint64_t from = k % 2 ? 0x5000 : 0x1000;

		all_of(code(from, NOP CALL_FFA));
		all_of(code(from + 0x1000, JUMP));
		for (size_t i = 0; i < BLOCKS; i++)
			all_of(b[i]);
		all_of(code(0x9000, RET));
		all_of(code(from + 6, JUMP));
	}
}

static void
test_again(void)
{
	size_t twice = 0;

	reset(COUNT_INSNS, "instructions");
	CHECK(runs(guest_again) == 0);
	for (char *p = got; (p = strchr(p, '\n')) != NULL; p++)
		twice += p[-1] == '2' && p[-2] == ' ';
	CHECK(twice == 2410);
	CHECK(strstr(got, " 1\n") == NULL);
}

static void
test_all(void)
{
	test_again();
	test_threads();
	test_returns();
	test_riscv();
}

int
main(void)
{
	return with_result(test_all);
}
