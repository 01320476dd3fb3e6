/* SPDX-License-Identifier: ISC */
/* The plugin of kst-count: what it counts, from where to where, and what it
 * refuses. */
#include <pthread.h>

#include "count_host.h"

/* A calls F at 0x2000, and goes on at 0x1006. */
static void
guest_calls(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP NOP RET),
				    *on = code(0x1006, NOP JUMP);

	for (int i = 0; i < 3; i++) {
		all_of(a);
		all_of(code(0x2000, NOP NOP RET)); /* the same one again */
		all_of(on);
	}
	all_of(a);
	part(0, f, 1);
}

static void
test_calls(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_calls, "CPU#0;0x1000 4\n"
			    "CPU#0;0x1001 4\n"
			    "CPU#0;0x1006;0x2000 3\n"
			    "CPU#0;0x1006;0x2001 3\n"
			    "CPU#0;0x1006;0x2002 3\n"
			    "CPU#0;0x1006 3\n"
			    "CPU#0;0x1007 3\n"
			    "CPU#0;0x1006;0x2000 1\n");
	CHECK_TEXT(ending, strlen(ending),
	    "#kst-end:2 1 24 2 24 0 1 0 0 0\n#kst-end:CPU#0;0x1006;0x2000\n");
	reset(COUNT_CALLS, "calls");
	WRITES_UNIT(
	    guest_calls, "CPU#0;0x1006;0x2000 4\n#kst:unit=calls,exact=1\n");
	reset(COUNT_READS, "reads");
	WRITES_UNIT(
	    guest_calls, "CPU#0;0x1006;0x2002 3\n#kst:unit=reads,exact=1\n");
	reset(COUNT_WRITES, "writes");
	WRITES_UNIT(guest_calls, "CPU#0;0x1001 4\n#kst:unit=writes,exact=1\n");
}

/* Where the count begins and ends. */
static void
test_ranges(void)
{
	reset(COUNT_INSNS, "instructions");
	ask.in = 0x2000;
	WRITES(guest_calls, "CPU#0;0x1006;0x2000 3\nCPU#0;0x1006;0x2001 3\n"
			    "CPU#0;0x1006;0x2002 3\nCPU#0;0x1006;0x2000 1\n");
	/* below it: what it calls, too */
	ask.in = 0x1000;
	ask.limit = 11;
	WRITES(guest_calls,
	    "CPU#0;0x1000 2\nCPU#0;0x1001 2\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2001 2\n"
	    "CPU#0;0x1006;0x2002 2\nCPU#0;0x1006 1\nCPU#0;0x1007 1\n");
	/* a jump into it is not it, and its end is its return */
	ask.limit = 0;
	ask.in = 0x1006;
	WRITES(guest_calls,
	    "CPU#0;0x1000 3\nCPU#0;0x1001 3\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2001 2\n"
	    "CPU#0;0x1006;0x2002 2\nCPU#0;0x1006 3\nCPU#0;0x1007 3\n"
	    "CPU#0;0x1006;0x2000 1\n");
	reset(COUNT_INSNS, "instructions");
	ask.from = (struct place){.given = true, .addr = 0x2000};
	ask.until = (struct place){.given = true, .addr = 0x1000};
	WRITES(guest_calls,
	    "CPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x2001 1\n"
	    "CPU#0;0x1006;0x2002 1\nCPU#0;0x1006 1\nCPU#0;0x1007 1\n");
	/* from 0x1006 on this CPU is followed: its callers are not known */
	reset(COUNT_INSNS, "instructions");
	ask.low = ask.high = 0x1006;
	ask.limit = 10;
	WRITES(guest_calls, "CPU#0;0x1000 2\nCPU#0;0x1001 2\nCPU#0;0x2000 1\n"
			    "CPU#0;0x2001 1\nCPU#0;0x2002 1\nCPU#0;0x1006 1\n"
			    "CPU#0;0x1007 1\nCPU#0;0x1006;0x2000 1\n"
			    "CPU#0;0x1006;0x2001 1\nCPU#0;0x1006;0x2002 1\n");
}

/* Pieces of 8 instructions. */
static void
test_pieces(void)
{
	reset(COUNT_INSNS, "instructions");
	ask.every = 8;
	ask.limit = 17;
	WRITES(guest_calls,
	    "[0.000000000s];CPU#0;0x1000 2\n[0.000000000s];CPU#0;0x1001 2\n"
	    "[0.000000000s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000000s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000000s];CPU#0;0x1006;0x2002 1\n"
	    "[0.000000000s];CPU#0;0x1006 1\n[0.000000000s];CPU#0;0x1007 1\n"
	    "[0.000000008s];CPU#0;0x1000 1\n[0.000000008s];CPU#0;0x1001 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2002 1\n"
	    "[0.000000008s];CPU#0;0x1006 1\n[0.000000008s];CPU#0;0x1007 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2002 1\n");
}

/* Of two CPUs. */
static void
guest_cpus(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP RET),
				    *t = code(0x5000, NOP CALL_FFA),
				    *g = code(0x6000, NOP RET);

	on_vcpu(7, 1);
	all_of(a);
	sp = 0x70000;
	part(1, t, 2);
	sp = 0x60000;
	all_of(f);
	all_of(code(0x8000, JUMP));
	sp = 0x80000 - 8;
	part(1, g, 2); /* CPU 1 goes on with what CPU 0 did, */
	part(1, code(0x1006, JUMP), 1);
	sp = 0x80000 - 8;
	part(1, a, 2);
	sp = 0x70000 - 8;
	part(1, f, 2); /* and then with its own */
	part(1, code(0x5006, JUMP), 1);
}

static void
test_cpus(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_cpus,
	    "CPU#0;0x1000 1\nCPU#0;0x1001 1\nCPU#1;0x5000 1\nCPU#1;0x5001 1\n"
	    "CPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x2001 1\nCPU#0;0x8000 1\n"
	    "CPU#1;0x5006;0x6000 1\nCPU#1;0x5006;0x6001 1\nCPU#1;0x1006 1\n"
	    "CPU#1;0x1000 1\nCPU#1;0x1001 1\nCPU#1;0x1006;0x2000 1\n"
	    "CPU#1;0x1006;0x2001 1\nCPU#1;0x5006 1\n");
}

/* 4,097 frames: the innermost ones are counted as one. */
static void
guest_deep(void)
{
	const struct qemu_plugin_tb *a = code(0x3000, NOP CALL_SELF),
				    *f = code(0x3000, NOP RET),
				    *up = code(0x3006, RET);

	for (int i = 0; i < 4097; i++)
		all_of(a);
	all_of(f);
	for (int i = 0; i < 4096; i++)
		all_of(up);
	all_of(code(0x3006, JUMP));
	all_of(code(0x4000, JUMP));
}

static void
test_deep(void)
{
	const char *p;
	size_t frames = 0;

	reset(COUNT_CALLS, "calls");
	ask.from = (struct place){.given = true, .addr = 0x3006};
	CHECK(runs(guest_deep) == 0);
	CHECK_TEXT(got, strlen(got), "#kst:unit=calls,exact=1\n");
	reset(COUNT_INSNS, "instructions");
	ask.from = (struct place){.given = true, .addr = 0x4000};
	WRITES(guest_deep, "CPU#0;0x4000 1\n");
	reset(COUNT_READS, "reads");
	ask.until = (struct place){.given = true, .addr = 0x3006};
	CHECK(runs(guest_deep) == 0);
	for (p = got; (p = strstr(p, "0x3006;")) != NULL; p++)
		frames++;
	CHECK(frames == 4095);
	CHECK(strncmp(got, "CPU#0;0x3006;", 13) == 0);
	CHECK(strstr(got, "0x3006;[truncated];0x3001 1\n#") != NULL);
	/* of a deep stack the root and the innermost frames */
	frames = 0;
	for (p = ending; (p = strstr(p, "0x3006")) != NULL; p++)
		frames++;
	CHECK(frames == END_FRAMES - 1);
	CHECK(strncmp(ending, "#kst-end:0 1 ", 13) == 0);
	CHECK(strstr(ending, "\n#kst-end:CPU#0;...;0x3006;") != NULL);
}

static void
write_log(const char *text, size_t len, const char *mode)
{
	FILE *f = fopen(ask.serial, mode);

	CHECK(f != NULL && fwrite(text, len, 1, f) == 1 && fclose(f) == 0);
}

#define LOG(text, mode) write_log(text, sizeof text - 1, mode)

/* The log is looked at every 1,024 blocks. */
static void
guest_log(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, JUMP),
				    *b = code(0x2000, JUMP);

	for (int i = 0; i < 1024; i++)
		all_of(a);
	LOG("booted\nr\0ea", "w");
	for (int i = 0; i < 1024; i++)
		all_of(a);
	LOG("dy", "a");
	for (int i = 0; i < 1024; i++)
		all_of(b);
	LOG(" now\nready\nthe end\n", "a");
	for (int i = 0; i < 3000; i++)
		all_of(a);
	CHECK(ended);
}

static void
test_log(void)
{
	reset(COUNT_INSNS, "instructions");
	snprintf(ask.serial, sizeof ask.serial, "%s.log", path);
	ask.from = (struct place){.given = true, .line = "ready"};
	ask.until = (struct place){.given = true, .line = "end"};
	WRITES(guest_log, "CPU#0;0x1000 1023\nCPU#0;0x2000 1\n");
	unlink(ask.serial);
}

static void
guest_nothing(void)
{
}

static void *
begin_block(void *b)
{
	all_of(b);
	return NULL;
}

static void
guest_two_threads(void)
{
	struct qemu_plugin_tb *a = code(0x1000, JUMP);
	pthread_t other;

	all_of(a);
	pthread_create(&other, NULL, begin_block, a);
	pthread_join(other, NULL);
}

static void
guest_1024_cpus(void)
{
	for (unsigned i = 1; i < 1024; i++)
		on_vcpu(7, i);
}

static void
guest_1025_cpus(void)
{
	guest_1024_cpus();
	on_vcpu(7, 1024);
}

/* A kernel whose code is at CODE_AT in its file, and runs further up. */
enum { CODE_AT = 0x10000, MOVED = 0x5000000, BLOCKS = 10, APART = 0x40 };

/* Block i: four moves of numbers, and a jump. */
static const char *
block(int i)
{
	static char b[32];
	const int n = snprintf(b, sizeof b,
	    "\5\xb8%04d\5\xb9%04d\5\xba%04d\5\xbb%04d", i, i, i, i);

	memcpy(b + n, JUMP, sizeof JUMP);
	return b;
}

static void
guest_moved(void)
{
	const struct qemu_plugin_tb *b[BLOCKS], *above;

	for (int i = 0; i < BLOCKS; i++)
		b[i] = code(CODE_AT + MOVED + APART * (uint64_t)i, block(i));
	above = code(CODE_AT + MOVED + APART * BLOCKS, JUMP);
	for (int i = 0; i < BLOCKS; i++)
		all_of(b[i]);
	all_of(above);
	all_of(b[1]); /* here the second one ends */
	all_of(b[1]);
}

static void
test_moved(void)
{
	char image[BLOCKS * APART] = "", name[] = "/tmp/kst-unit.XXXXXX",
			    want[4096];
	int n = 0, fd = mkstemp(name);

	for (int i = 0; i < BLOCKS; i++) {
		char *to = image + APART * i;

		for (const char *p = block(i); *p; to += *p, p += 1 + *p)
			memcpy(to, p + 1, (size_t)*p);
	}
	CHECK(write(fd, image, sizeof image) == sizeof image && close(fd) == 0);
	reset(COUNT_INSNS, "instructions");
	strcpy(ask.code, name);
	ask.code_size = sizeof image;
	ask.low = CODE_AT;
	ask.high = CODE_AT + sizeof image - 1;
	ask.top = CODE_AT + sizeof image;
	ask.from = (struct place){.given = true, .addr = CODE_AT};
	ask.until = (struct place){
	    .given = true, .addr = CODE_AT + MOVED + APART * BLOCKS};
	CHECK(runs(guest_moved) == 0);
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < 5; k++)
			n += snprintf(want + n, sizeof want - (size_t)n,
			    "CPU#0;0x%x 1\n", CODE_AT + APART * i + 5 * k);
	snprintf(want + n, sizeof want - (size_t)n, LAST);
	CHECK_TEXT(got, strlen(got), want);
	n = snprintf(want, sizeof want,
	    END_MARK "0 1 50 1 50 0 1 %d 0 0\n" END_MARK "CPU#0;0x%x\n", MOVED,
	    CODE_AT + MOVED + APART * BLOCKS);
	CHECK_TEXT(ending, strlen(ending), want);
	/* the last function's place, too; one above all is none of the file */
	ask.until.addr = CODE_AT + APART;
	ask.from.addr = CODE_AT + APART * (BLOCKS - 1);
	CHECK(runs(guest_moved) == 0);
	CHECK(strncmp(got, "CPU#0;0x10240 1\n", 16) == 0);
	CHECK(strstr(got, "\nCPU#0;0x5010280 1\n" LAST) != NULL);
	unlink(name);
}

/* What is refused. */
static void
test_refused(void)
{
	reset(COUNT_INSNS, "instructions");
	CHECK(runs(guest_nothing) == 0 && *got == 0);
	CHECK(runs(guest_1024_cpus) == 0);
	if (freopen("/dev/null", "w", stderr) == NULL)
		return;
	CHECK(runs(guest_1025_cpus) == 1);
	CHECK(runs(guest_two_threads) == 1);
	newest = 3;
	CHECK(runs(guest_cpus) == 0);
	newest = 4;
	CHECK(runs(guest_cpus) == 1);
	CHECK(runs(guest_calls) == 0);
	newest = 6;
	CHECK(runs(guest_nothing) == 0);
	newest = 8;
	CHECK(runs(guest_nothing) == 1);
	reset(COUNT_INSNS, "instructions");
	target = "mips";
	CHECK(runs(guest_nothing) == 1);
	target = "i386";
	CHECK(runs(guest_nothing) == 0);
	target = "aarch64";
	CHECK(runs(guest_nothing) == 0);
	ask.trace.on = true;
	strcpy(ask.trace.path, "/nowhere/events");
	CHECK(runs(guest_nothing) == 4);
	ask.trace.on = false;
	ask.size++;
	CHECK(runs(guest_nothing) == 1);
}

static void
test_all(void)
{
	test_calls();
	test_ranges();
	test_pieces();
	test_cpus();
	test_deep();
	test_log();
	test_moved();
	test_refused();
}

int
main(void)
{
	return with_result(test_all);
}
