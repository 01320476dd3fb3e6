/* SPDX-License-Identifier: ISC */
/* Exceptions in which kst-count's plugin sees another stack: forks, and tasks.
 */
#include "count_host.h"

/* Returns from exceptions in which another stack was left. */
static void
guest_other_traps(void)
{
	const struct qemu_plugin_tb *user = code(0x1000, NOP SYSCALL),
				    *a = code(0xa000, NOP CALL_FFA),
				    *f = code(0xb000, NOP RET);

	all_of(user);
	all_of(a);
	sp = 0x60000;
	all_of(f); /* another stack, which has no exception, */
	all_of(code(0x5000, NOP IRET));
	all_of(code(0x1003, JUMP)); /* and yet one returns: a child of fork */
	all_of(code(0x2000, NOP SYSCALL));
	all_of(a); /* it has one, and returns from the other's */
	sp = 0x50000;
	all_of(code(0xb000, NOP IRET));
	all_of(code(0x1003, JUMP));
	all_of(code(0x3000, NOP SYSCALL));
	all_of(a);
	sp = 0x40000;
	all_of(code(0xb000, NOP IRET));
	all_of(code(0x9999, JUMP)); /* and where nobody was */
}

/*
 * An exception returns to where nobody was, and the next one to what was left
 * then: that is on its callers.
 */
static void
guest_nobody(void)
{
	all_of(code(0x1000, NOP CALL_FFA));
	all_of(code(0x2000, NOP SYSCALL));
	all_of(code(0xa000, NOP CALL_FFA));
	sp = 0x60000;
	all_of(code(0xb000, NOP IRET));
	all_of(code(0x9999, NOP IRET));
	all_of(code(0x2003, JUMP));
}

/* In its own exception a stack returns from another's, which goes on then and
 * is not there for a second one. */
static void
guest_once(void)
{
	all_of(code(0x1000, NOP CALL_FFA));
	all_of(code(0x2000, NOP SYSCALL));
	all_of(code(0xa000, NOP CALL_FFA));
	sp = 0x60000;
	all_of(code(0xb000, NOP RET));
	all_of(code(0x5000, NOP SYSCALL));
	all_of(code(0xa100, NOP IRET));
	all_of(code(0x2003, NOP SYSCALL));
	all_of(code(0xa200, NOP IRET));
	all_of(code(0x2003, NOP SYSCALL));
}

static void
test_nobody(void)
{
	reset(COUNT_BLOCKS, "blocks");
	WRITES_UNIT(guest_once,
	    "CPU#0;0x1000 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x5000 1\nCPU#0;0x5001;<signal handler called>;0xa100 1\n"
	    "CPU#0;0x1006;0x2003 1\n"
	    "CPU#0;0x1006;0x2004;<signal handler called>;0xa200 1\n"
	    "CPU#0;0x2003 1\n#kst:unit=blocks,exact=1\n");
	reset(COUNT_BLOCKS, "blocks");
	WRITES_UNIT(guest_nobody,
	    "CPU#0;0x1000 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x9999 1\nCPU#0;0x1006;0x2003 1\n"
	    "#kst:unit=blocks,exact=1\n");
}

static void
test_other_traps(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_other_traps,
	    "CPU#0;0x1000 1\n"
	    "CPU#0;0x1001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x5000 1\n"
	    "CPU#0;0x5001 1\n"
	    "CPU#0;0x1003 2\n"
	    "CPU#0;0x2000 1\n"
	    "CPU#0;0x2001 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x3000 1\n"
	    "CPU#0;0x3001 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x9999 1\n");
}

/* The child of a fork has its parent's callers, while CPU 1 is in a system call
 * from the same place. */
static void
guest_fork(void)
{
	const struct qemu_plugin_tb *user = code(0x2000, NOP SYSCALL);

	on_vcpu(7, 1);
	part(1, user, 2);
	part(1, code(0xa100, NOP JUMP), 2);
	all_of(code(0x1000, NOP CALL_FFA));
	all_of(user);
	all_of(code(0xa000, NOP CALL_FFA));
	sp = 0x60000;
	all_of(code(0xb000, NOP RET));
	all_of(code(0x5000, NOP IRET));
	all_of(code(0x2003, JUMP));
	/* and the parent goes on with its own ones */
	all_of(code(0x3000, NOP SYSCALL));
	all_of(code(0xa200, NOP CALL_FFA));
	sp = 0x80000 - 16;
	all_of(code(0xb200, NOP RET));
	all_of(code(0xa006, IRET));
	all_of(code(0x2003, JUMP));
}

static void
test_fork(void)
{
	reset(COUNT_BLOCKS, "blocks");
	WRITES_UNIT(guest_fork,
	    "CPU#1;0x2000 1\nCPU#1;0x2001;<signal handler called>;0xa100 1\n"
	    "CPU#0;0x1000 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x5000 1\nCPU#0;0x1006;0x2003 2\nCPU#0;0x1006;0x3000 1\n"
	    "CPU#0;0x1006;0x3001;<signal handler called>;0xa200 1\n"
	    "CPU#0;0x1006;0x3001;<signal handler called>;0xa206;0xb200 1\n"
	    "CPU#0;0x1006;0x2001;<signal handler called>;0xa006 1\n"
	    "#kst:unit=blocks,exact=1\n");
}

static void
test_all(void)
{
	test_other_traps();
	test_nobody();
	test_fork();
}

int
main(void)
{
	return with_result(test_all);
}
