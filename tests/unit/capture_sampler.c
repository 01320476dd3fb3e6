/* SPDX-License-Identifier: ISC */
/* A guest of one CPU whose stack grows beyond what was learnt of it. */
#include "native/sampler.h"

#include "guest/backend.h"
#include "guest/images.h"
#include "unit.h"

enum { ROOM = 0x30000, CODE = 0x1000, SP = 0x1ff00, SIZE = 64 };
enum { RBP = 6, RSP = 7, RIP = 16 }; /* DWARF's numbers */

static uint8_t memory[ROOM];
static struct sampler sampler;
static unsigned stops;

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
read_list(void *arg, const struct sampler_read *list, size_t n, bool go)
{
	(void)arg, (void)go;
	for (size_t i = 0; i < n; i++) {
		uint8_t *to;

		if (list[i].at >= ROOM || list[i].len > ROOM - list[i].at)
			continue;
		to = snap_add(&sampler.cpu->snap, list[i].addr, list[i].len);
		if (to != NULL)
			memcpy(to, memory + list[i].at, list[i].len);
	}
	return 0;
}

static int
stop(void *arg, const struct sampler_read *list, size_t n)
{
	struct unwind_regs *r = &sampler.cpu->regs;

	stops++;
	sampler.cpu->ok = true;
	r->r[RIP] = CODE + 8;
	r->r[RSP] = SP;
	r->r[RBP] = SP + 0x20;
	return read_list(arg, list, n, false);
}

static int
go(void *arg)
{
	(void)arg;
	return 0;
}

int
main(void)
{
	static const uint64_t small[] = {SP + 0x20, SP + 0x40},
			      large[] = {
				  SP + 0x20, SP + 0x40, 0x20100, 0x20800};
	static const struct sampler_ops ops = {
	    .stop = stop, .read = read_list, .go = go};
	const struct target target = {0};
	struct unwinder *u = unwinder_new(UNWIND_X86_64);

	/* push rbp; mov rbp, rsp; and calls before all return addresses. */
	for (uint64_t f = 0; f < 8; f++) {
		memcpy(memory + CODE + SIZE * f, "\x90\x90\x90\x90", 4);
		memory[CODE + SIZE * f - 5] = 0xe8;
	}
	sampler = (struct sampler){.t = &target,
	    .ops = &ops,
	    .abi = &unwind_abis[UNWIND_X86_64],
	    .chunk = 0x800,
	    .images = images_new(&target, u)};
	unwinder_set(u,
	    &(struct unwind_settings){.code = sampler_code, .arg = &sampler});
	sampler_add(&sampler);
	put_frames(small, 2);
	CHECK(sampler_take(&sampler, u) == 0);
	CHECK(vcpu_complete(sampler.cpu));
	CHECK(sampler.cpu->stack.n == 2 && stops == 1);
	put_frames(large, 4);
	CHECK(sampler_take(&sampler, u) == 0);
	CHECK(vcpu_complete(sampler.cpu));
	CHECK(sampler.cpu->stack.n == 4 && stops == 3);
	images_free(sampler.images);
	sampler_done(&sampler);
	unwinder_free(u);
	return unit_end();
}
