/* SPDX-License-Identifier: ISC */
/*
 * A guest whose stacks grow, and how often it is asked for memory until they
 * are whole, where only the protocol reads it.
 */
#include "native/native.h"
#include "native/sampler.h"

#include "guest/backend.h"
#include "unit.h"
#include "wire/wire.h"

enum { ROOM = 0x100000, CODE = 0x1000, SP = 0x1ff00, SIZE = 64 };
enum { STACK = 0x8000 };	     /* each CPU's */
enum { RBP = 6, RSP = 7, RIP = 16 }; /* DWARF's numbers */

static uint8_t memory[ROOM];
static struct sampler *sampler;
static unsigned stops, reads;
static size_t cpus; /* that the guest has */
static bool paged;
static enum unwind_arch arch = UNWIND_X86_64;
static enum unwind_mode mode;

static void
put(uint64_t addr, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		memory[addr + (uint64_t)i] = (uint8_t)(word >> 8 * i);
}

/* A frame at each of these addresses; the last one is the root's. */
static void
put_frames(const uint64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put(at[i], i + 1 < n ? at[i + 1] : 0);
		put(at[i] + 8, i + 1 < n ? CODE + SIZE * (i + 1) : 0);
	}
}

static int
read_list(void *arg, const struct sampler_read *list, size_t n)
{
	(void)arg;
	reads += n > 0;
	for (size_t i = 0; i < n; i++) {
		uint8_t *to;

		if (list[i].at >= ROOM || list[i].len > ROOM - list[i].at)
			continue;
		to = snap_add(&sampler->shot.cpu[list[i].cpu].snap,
		    list[i].addr, list[i].len);
		if (to != NULL)
			memcpy(to, memory + list[i].at, list[i].len);
	}
	return 0;
}

static int
stop(void *arg)
{
	(void)arg;
	stops++;
	for (size_t i = 0; i < cpus; i++) {
		struct unwind_regs *r = &sampler->shot.cpu[i].regs;

		sampler->shot.cpu[i].ok = true;
		r->r[RIP] = CODE + 8;
		r->r[RSP] = SP + i * STACK;
		r->r[RBP] = SP + i * STACK + 0x20;
		r->paged = paged;
		r->mode = mode;
		if (arch == UNWIND_RISCV64)
			r->r[unwind_abis[arch].pc] = CODE;
	}
	return 0;
}

static int
nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int
look(void *arg, bool readable)
{
	(void)arg;
	(void)readable;
	return 0;
}

static int
meet(void *arg, const struct target *t)
{
	static struct wire wire;
	struct sampler *s = arg;

	(void)t;
	s->conn.w = &wire;
	s->guest.abi = &unwind_abis[arch];
	s->conn.chunk = 0x800;
	while (s->shot.n_cpu < cpus)
		sampler_add(s);
	return 0;
}

static void
begin(const struct target *t, size_t n)
{
	static const struct sampler_ops ops = {
	    meet, look, stop, read_list, nothing, nothing, NULL};

	cpus = n;
	sampler = sampler_open(sizeof *sampler, &ops, t);
	stops = 0;
}

/* Takes a sample; whether CPU i has a whole stack of n frames. */
static bool
take(size_t i, size_t n)
{
	struct sample sample = {0};
	bool whole;

	reads = 0;
	whole = sampler_sample(sampler, &sample) == SAMPLE_OK &&
		vcpu_complete(&sampler->shot.cpu[i]) &&
		sampler->shot.cpu[i].stack.n == n;
	buf_done(&sample.text);
	return whole;
}

/* A stack is read to its end, however deep it was before, in one stop. */
static void
test_growth(void)
{
	static const uint64_t small[] = {SP + 0x20, SP + 0x40},
			      large[] = {
				  SP + 0x20, SP + 0x40, 0x20100, 0x20800};
	static const struct target target = {.kernel_base = 1};
	static const struct target cut = {.kernel_base = 1, .stack_bytes = 64};

	begin(&target, 1);
	put_frames(small, 2);
	CHECK(take(0, 2) && stops == 1);
	CHECK(take(0, 2) && reads == 1); /* its code is known */
	put_frames(large, 4);
	CHECK(take(0, 4) && stops == 3);
	CHECK(take(0, 4) && reads == 3);
	sampler_close(sampler, false);
	/* as much of it as is wanted */
	begin(&cut, 1);
	CHECK(!take(0, 4));
	CHECK(sampler->shot.cpu[0].stack.end == UNWIND_WINDOW);
	put_frames(small, 1);
	CHECK(take(0, 1));
	sampler_close(sampler, false);
}

/* Where stacks begin is read together. */
static void
test_together(void)
{
	static const struct target target = {.kernel_base = 1};
	const uint64_t at[] = {SP + 0x20, SP + 0x40};

	begin(&target, 4);
	for (size_t i = 0; i < 4; i++) {
		const uint64_t own[] = {at[0] + i * STACK, at[1] + i * STACK};

		put_frames(own, 2);
	}
	CHECK(take(0, 2));
	CHECK(take(0, 2) && reads == 1);
	for (size_t i = 0; i < 4; i++)
		CHECK(sampler->shot.cpu[i].stack.n == 2);
	sampler_close(sampler, false);
}

static bool
boots(void)
{
	struct sample sample = {0};
	bool is;

	is = sampler_sample(sampler, &sample) == SAMPLE_OK &&
	     sample_is_boot(&sample);
	buf_done(&sample.text);
	return is;
}

/* Code in the lowest MiB is a BIOS' or a ROM's, unless the CPU tells more. */
static void
test_reset(void)
{
	static const struct target target = {.kernel_base = 1};

	begin(&target, 1);
	CHECK(boots());
	paged = true;
	CHECK(!boots());
	paged = false;
	mode = UNWIND_MODE_USER;
	CHECK(!boots());
	sampler_close(sampler, false);
	arch = UNWIND_RISCV64;
	begin(&target, 1);
	mode = UNWIND_MODE_KERNEL;
	CHECK(!boots());
	mode = UNWIND_MODE_FIRMWARE;
	CHECK(boots());
	sampler_close(sampler, false);
	arch = UNWIND_X86_64;
	mode = UNWIND_MODE_UNKNOWN;
}

int
main(void)
{
	/* push rbp; mov rbp, rsp; and calls before all return addresses. */
	for (uint64_t f = 0; f < 8; f++) {
		memcpy(memory + CODE + SIZE * f, "\x90\x90\x90\x90", 4);
		memory[CODE + SIZE * f - 5] = 0xe8;
	}
	test_growth();
	test_together();
	test_reset();
	return unit_end();
}
