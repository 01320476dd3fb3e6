/* SPDX-License-Identifier: ISC */
/*
 * A read that runs into a page that is not mapped fails as a whole, so each is
 * of one page. What the protocol cannot carry in one read is cut further.
 */
#include "native/reads.h"

#include <stdlib.h>
#include <string.h>

#include "native/sampler.h"
#include "base/xalloc.h"
#include "memory/outside.h"
#include "wire/clock.h"

/* No protocol carries less than CHUNK_MIN bytes. */
/* ns until the guest's memory is sought for the second time. */
enum { REMAP_FIRST = NS_PER_S };

/* Of riscv's register that says where page tables are: which tables. */
#define SATP_MODE (UINT64_C(15) << 60)

enum { PAGE = 4096, CHUNK_MIN = 32, PIECES = PAGE / CHUNK_MIN };

static size_t
to_page_end(uint64_t addr)
{
	return PAGE - (size_t)(addr & (PAGE - 1));
}

/*
 * Where a CPU's memory is in the physical one. Machine mode of riscv has those
 * addresses, but for what it has interrupted; where the mode is not known, the
 * kernel's addresses tell.
 */
static enum pages
place(const struct sampler *s, const struct vcpu *c, uint64_t addr,
    pages_read *read, void *arg, uint64_t *at)
{
	const enum unwind_arch arch =
	    (enum unwind_arch)(s->guest.abi - unwind_abis);

	*at = addr;
	if (!c->firmware.translate &&
	    (c->firmware.physical || c->regs.mode == UNWIND_MODE_FIRMWARE))
		return PAGES_FOUND;
	if (s->guest.abi->riscv && c->regs.mode == UNWIND_MODE_UNKNOWN &&
	    c->regs.r[s->guest.abi->pc] >> 63 == 0)
		return PAGES_UNKNOWN;
	return pages_place(arch, &c->paging, addr, read, arg, at);
}

/*
 * One read, of one page, as place() has it, whose tables `walk` reads;
 * PAGES_UNKNOWN: not from outside.
 */
static enum pages
from_outside(const struct sampler *s, const struct vcpu *c, uint64_t addr,
    uint8_t *to, size_t n, pages_read *walk, pages_read *read)
{
	enum pages result;
	uint64_t at;

	if (s->conn.outside == NULL)
		return PAGES_UNKNOWN;
	result = place(s, c, addr, walk, s->conn.outside, &at);
	if (result == PAGES_FOUND && read(s->conn.outside, at, to, n) != 0)
		result = PAGES_UNMAPPED;
	return outside_lost(s->conn.outside) ? PAGES_UNKNOWN : result;
}

/* The same by the protocol, into the CPU's snapshot. */
static int
by_protocol(
    struct sampler *s, struct vcpu *c, uint64_t addr, uint64_t at, size_t len)
{
	struct sampler_read list[PIECES];
	size_t n = 0, part;

	for (; len > 0 && n < PIECES; addr += part, at += part, len -= part) {
		part = len < s->conn.chunk ? len : s->conn.chunk;
		list[n++] = (struct sampler_read){
		    (uint32_t)(c - s->shot.cpu), (uint32_t)part, addr, at};
	}
	s->shot.failed |= s->conn.ops->read(s, list, n) != 0;
	return s->shot.failed ? -1 : 0;
}

/* A CPU in machine mode, whose stub has physical memory. */
struct machine {
	struct sampler *s;
	struct vcpu *c;
};

static int
read_physical(void *arg, uint64_t at, void *to, size_t n)
{
	const struct machine *m = arg;
	int status;

	m->c->firmware.translate = false;
	status = reads_bytes(m->s, m->c, at, to, n);
	m->c->firmware.translate = true;
	return status;
}

/* Bytes of one page. */
static int
read_page(
    struct sampler *s, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	struct snap own = c->snap;
	enum pages result;
	uint64_t at = addr;
	int status;

	result = from_outside(
	    s, c, addr, to, n, outside_copy_still, outside_copy_still);
	if (result != PAGES_UNKNOWN)
		return result == PAGES_FOUND ? 0 : -1;
	if (c->firmware.translate &&
	    place(s, c, addr, read_physical, &(struct machine){s, c}, &at) !=
		PAGES_FOUND)
		return -1;
	memset(&c->snap, 0, sizeof c->snap);
	status = by_protocol(s, c, addr, at, n);
	if (status == 0)
		status = snap_bytes(&c->snap, addr, to, n);
	snap_done(&c->snap);
	c->snap = own;
	return status;
}

int
reads_bytes(void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	int status = 0;

	for (size_t part; status == 0 && n > 0; addr += part, to += part) {
		part = to_page_end(addr) < n ? to_page_end(addr) : n;
		n -= part;
		status = read_page(arg, c, addr, to, part);
	}
	return status;
}

int
reads_stop(struct sampler *s)
{
	s->shot.failed = false;
	for (size_t i = 0; i < s->shot.n_cpu; i++) {
		snap_clear(&s->shot.cpu[i].snap);
		s->shot.cpu[i].firmware.translate = false;
	}
	if (s->conn.outside != NULL)
		outside_forget(s->conn.outside);
	return s->conn.ops->stop(s);
}

/* Devices are met again and again: each time that is done half as often. */
void
reads_look_again(struct sampler *s)
{
	struct connection *c = &s->conn;
	const uint64_t now = s->shot.stop.asked;

	if (c->outside == NULL || !outside_missed(c->outside) || now < c->remap)
		return;
	outside_map(c->outside, &c->monitor);
	c->pause = c->pause ? 2 * c->pause : REMAP_FIRST;
	c->remap = now + c->pause;
}

/* The block around an address, as the protocol reads it. */
static uint64_t
block_of(uint64_t addr)
{
	return addr & ~(uint64_t)(SAMPLER_BLOCK - 1);
}

void
reads_stacks(struct sampler *s)
{
	struct sampler_read *list;
	size_t n = 0;

	if (s->conn.outside != NULL || s->conn.chunk < SAMPLER_BLOCK)
		return;
	list = xcalloc(s->shot.n_cpu + 1, sizeof *list);
	for (size_t i = s->shot.n_cpu; i-- > 0;) {
		struct vcpu *c = &s->shot.cpu[i];
		const uint64_t at = block_of(c->regs.r[s->guest.abi->sp]);

		if (vcpu_unwinds(c) && !c->firmware.translate)
			list[n++] = (struct sampler_read){
			    (uint32_t)i, SAMPLER_BLOCK, at, at};
	}
	if (n > 0)
		s->shot.failed |= s->conn.ops->read(s, list, n) != 0;
	free(list);
}

/* Adds the block around an address to the snapshot. */
static int
fetch(struct sampler *s, struct vcpu *c, uint64_t addr)
{
	const uint64_t block =
	    s->conn.outside ? addr & ~(uint64_t)(PAGE - 1) : block_of(addr);
	uint8_t bytes[PAGE], *to;
	const size_t n = s->conn.outside ? PAGE : SAMPLER_BLOCK;

	if (c->snap.bytes.len >= WINDOW_MAX ||
	    (s->shot.view != NULL ? reads_view(s, block, bytes, n)
				  : read_page(s, c, block, bytes, n)) != 0 ||
	    (to = snap_add(&c->snap, block, n)) == NULL)
		return -1;
	memcpy(to, bytes, n);
	return 0;
}

bool
reads_cut(const struct sampler *s, const struct vcpu *c, uint64_t addr)
{
	const uint64_t from =
	    addr + s->guest.abi->word - c->regs.r[s->guest.abi->sp];

	return s->t->stack_bytes != 0 && from > s->t->stack_bytes &&
	       from < WINDOW_MAX;
}

int
reads_word(void *arg, uint64_t addr, uint64_t *word)
{
	struct sampler *s = arg;
	struct vcpu *c = s->shot.now;
	const size_t n = s->guest.abi->word;

	if (reads_cut(s, c, addr))
		return -1;
	while (snap_word(&c->snap, addr, n, word) != 0) {
		uint64_t lacks = addr;
		size_t left = n;

		snap_missing(&c->snap, &lacks, &left);
		if (fetch(s, c, lacks) != 0)
			return -1;
	}
	return 0;
}

int
reads_view(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;

	/* the kernel's tables hardly change while threads are read */
	pages_read *walk = s->shot.view == s->asleep.sleeper
			       ? outside_copy
			       : outside_copy_still;

	if (s->shot.view == NULL)
		return -1;
	if (s->conn.outside == NULL)
		return reads_bytes(s, s->shot.view, addr, to, n);
	for (size_t part; n > 0; addr += part, to += part, n -= part) {
		part = to_page_end(addr) < n ? to_page_end(addr) : n;
		if (from_outside(s, s->shot.view, addr, to, part, walk,
			outside_copy) != PAGES_FOUND)
			return -1;
	}
	return 0;
}

bool
reads_switch(struct sampler *s, struct vcpu *c, uint64_t tables)
{
	enum paging_reg reg = PAGING_LOW;
	uint64_t at;

	if (s->conn.outside == NULL ||
	    place(s, s->shot.view, tables, outside_copy, s->conn.outside,
		&at) != PAGES_FOUND)
		return false;
	c->paging = s->shot.view->paging;
	if (s->guest.abi->riscv)
		at = at / PAGE | (c->paging.reg[reg] & SATP_MODE);
	c->paging.reg[reg] = at;
	c->regs.mode = UNWIND_MODE_KERNEL;
	return true;
}

int
reads_now(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;

	if (s->shot.view != NULL || s->shot.now == NULL)
		return reads_view(s, addr, to, n);
	return snap_bytes(&s->shot.now->snap, addr, to, n) == 0
		   ? 0
		   : reads_bytes(s, s->shot.now, addr, to, n);
}

size_t
reads_code(void *s, uint64_t addr, uint8_t *to, size_t n)
{
	return code_bytes(
	    &((struct sampler *)s)->guest.code, addr, to, n, reads_now, s);
}
