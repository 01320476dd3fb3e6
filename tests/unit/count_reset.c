/* SPDX-License-Identifier: ISC */
/* What kst-count's plugin knows of stacks when a guest is reset: nothing. */
#include "count_host.h"
#include "trace/pack.h"

/* Below two calls, the guest is reset. */
static void
guest_reset(void)
{
	const struct qemu_plugin_tb *v = code(0xfff0, NOP),
				    *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP CALL_FFA),
				    *g = code(0x3000, NOP);

	for (int i = 0; i < 2; i++) {
		all_of(v);
		all_of(a);
		all_of(f);
		all_of(g);
	}
}

static void
test_reset(void)
{
	reset(COUNT_BLOCKS, "blocks");
	ask.low = 0x1000;
	ask.high = 0x3fff;
	WRITES_UNIT(guest_reset,
	    "CPU#0;0xfff0 2\nCPU#0;0x1000 2\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2006;0x3000 2\n"
	    "#kst:unit=blocks,exact=1\n");
	/* what was within a function is not any more */
	ask.in = 0x2000;
	WRITES_UNIT(guest_reset,
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2006;0x3000 2\n"
	    "#kst:unit=blocks,exact=1\n");
}

/* CPU 0 leaves a stack, and is reset on another one; CPU 1 is not reset. */
static void
guest_stacks(void)
{
	const struct qemu_plugin_tb *v = code(0xfff0, NOP),
				    *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP CALL_FFA),
				    *g = code(0x3000, NOP RET);

	on_vcpu(7, 1);
	all_of(v);
	all_of(a);
	all_of(f);
	sp = 0x60000;
	part(1, v, 1);
	part(1, a, 2);
	part(1, f, 2);
	sp = 0x50000;
	all_of(g);
	all_of(code(0x5000, NOP CALL_FFA));
	all_of(code(0x6000, NOP));
	all_of(v);
	sp = 0x40000;
	all_of(a);
	sp = 0x80000 - 16; /* where f was called on the stack of before */
	all_of(code(0x2000, NOP RET));
	all_of(code(0x2006, JUMP));
	sp = 0x60000 - 16;
	part(1, g, 2);
	part(1, code(0x2006, JUMP), 1);
}

static void
test_stacks(void)
{
	reset(COUNT_BLOCKS, "blocks");
	ask.low = 0x1000;
	ask.high = 0x6fff;
	WRITES_UNIT(guest_stacks,
	    "CPU#0;0xfff0 2\nCPU#0;0x1000 2\nCPU#0;0x1006;0x2000 2\n"
	    "CPU#1;0xfff0 1\nCPU#1;0x1000 1\nCPU#1;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2006;0x3000 1\nCPU#0;0x5000 1\n"
	    "CPU#0;0x5006;0x6000 1\nCPU#0;0x2006 1\n"
	    "CPU#1;0x1006;0x2006;0x3000 1\nCPU#1;0x1006;0x2006 1\n"
	    "#kst:unit=blocks,exact=1\n");
}

/* The records of --trace say that the stack is a new one. */
static void
test_born(void)
{
	struct trace_head h = {0};
	struct record r = {0};
	uint8_t bytes[1024];
	const uint8_t *p = bytes;
	char born[32] = "", name[] = "/tmp/kst-unit.XXXXXX";
	FILE *f = fdopen(mkstemp(name), "r");

	reset(COUNT_BLOCKS, "blocks");
	ask.low = 0x1000;
	ask.high = 0x3fff;
	ask.trace.on = true;
	strcpy(ask.trace.path, name);
	CHECK(runs(guest_reset) == 0);
	CHECK(f && fread(&h, sizeof h, 1, f) == 1 && h.records < sizeof born);
	CHECK(
	    h.bytes <= sizeof bytes && fread(bytes, 1, h.bytes, f) == h.bytes);
	for (size_t i = 0; p && i < h.records; i++) {
		p = pack_get(p, bytes + h.bytes, &r);
		born[i] = r.flags & RECORD_BORN ? '1' : '0';
	}
	CHECK_TEXT(born, strlen(born), "100100");
	if (f)
		fclose(f);
	unlink(name);
}

static void
test_all(void)
{
	test_reset();
	test_stacks();
	test_born();
}

int
main(void)
{
	return with_result(test_all);
}
