/* SPDX-License-Identifier: ISC */
/* Cuts memory into reads that a protocol can carry, and keeps code. */
#include "native/reads.h"

#include <string.h>

#include "native/sampler.h"
#include "native/firmware.h"
#include "base/xalloc.h"
#include "guest/images.h"
#include "memory/outside.h"

enum { PAGE = 4096, BATCH = 64 << 10 };

/* Memory as the CPU sees it from machine mode. */
static int
read_physical(void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	int status;

	c->translate = false;
	status = reads_bytes(arg, c, addr, to, n);
	c->translate = true;
	return status;
}

void
reads_range(struct sampler *s, struct vcpu *c, uint64_t addr, size_t len)
{
	uint64_t at;
	size_t n;

	for (; len > 0; addr += n, len -= n) {
		n = PAGE - (addr & (PAGE - 1));
		n = n < s->chunk ? n : s->chunk;
		n = n < len ? n : len;
		at = addr;
		if (c->translate &&
		    firmware_place(c, addr, &at, read_physical, s) != 0)
			continue;
		*xpush(s->list, s->n_list, s->cap_list) = (struct sampler_read){
		    (uint32_t)(c - s->cpu), (uint32_t)n, addr, at};
	}
}

/*
 * Where a CPU's memory is from outside. Machine mode of riscv, and what is read
 * for it, has physical addresses; where the mode is not known, the kernel's
 * addresses tell.
 */
static enum pages
place(const struct sampler *s, const struct vcpu *c, uint64_t addr,
    pages_read *read, uint64_t *at)
{
	const enum unwind_arch arch = (enum unwind_arch)(s->abi - unwind_abis);

	*at = addr;
	if (c->physical || c->translate || c->regs.mode == UNWIND_MODE_FIRMWARE)
		return PAGES_FOUND;
	if (s->abi->riscv && c->regs.mode == UNWIND_MODE_UNKNOWN &&
	    c->regs.r[s->abi->pc] >> 63 == 0)
		return PAGES_UNKNOWN;
	return pages_place(arch, &c->paging, addr, read, s->outside, at);
}

/* One read, of one page, as place() has it; PAGES_UNKNOWN: not from outside. */
static enum pages
read_outside(const struct sampler *s, const struct vcpu *c, uint64_t addr,
    uint8_t *to, size_t n, pages_read *read)
{
	enum pages result = PAGES_UNKNOWN;
	uint64_t at;

	if (s->outside != NULL)
		result = place(s, c, addr, read, &at);
	if (result == PAGES_FOUND && read(s->outside, at, to, n) != 0)
		result = PAGES_UNMAPPED;
	return s->outside != NULL && outside_lost(s->outside) ? PAGES_UNKNOWN
							      : result;
}

int
reads_list(struct sampler *s, const struct sampler_read *list, size_t n)
{
	uint8_t bytes[PAGE], *to;
	size_t i = 0, from = 0;
	int status = 0;

	for (; i < n && status == 0; i++) {
		struct vcpu *c = &s->cpu[list[i].cpu];
		enum pages result = read_outside(
		    s, c, list[i].at, bytes, list[i].len, outside_copy_still);

		if (result == PAGES_UNKNOWN)
			continue;
		if (i > from)
			status = s->ops->read(s, list + from, i - from);
		from = i + 1;
		to = result == PAGES_FOUND
			 ? snap_add(&c->snap, list[i].addr, list[i].len)
			 : NULL;
		if (to != NULL)
			memcpy(to, bytes, list[i].len);
	}
	return status == 0 && n > from ? s->ops->read(s, list + from, n - from)
				       : status;
}

int
reads_stop(struct sampler *s, const struct sampler_read *list, size_t n)
{
	if (s->outside != NULL)
		outside_forget(s->outside);
	return s->ops->stop(s, list, n);
}

int
reads_running(struct sampler *s, const struct vcpu *c, uint64_t addr,
    uint8_t *to, size_t n)
{
	for (size_t part; n > 0; addr += part, to += part, n -= part) {
		part = PAGE - (addr & (PAGE - 1));
		part = part < n ? part : n;
		if (read_outside(s, c, addr, to, part, outside_copy) !=
		    PAGES_FOUND)
			return -1;
	}
	return 0;
}

/* Whether memory is neither in the CPU's snapshot nor in the list. */
static bool
is_new(const struct sampler *s, const struct vcpu *c, uint64_t addr)
{
	size_t n = 1;

	snap_missing(&c->snap, &addr, &n);
	for (size_t i = 0; i < s->n_list && n > 0; i++)
		if (&s->cpu[s->list[i].cpu] == c &&
		    addr - s->list[i].addr < s->list[i].len)
			n = 0;
	return n > 0;
}

bool
reads_stack(struct sampler *s, struct vcpu *c, uint64_t sp)
{
	const struct extent *e = extents_find(&s->stacks, sp);
	size_t need = 2 * SAMPLER_BLOCK - (sp & (SAMPLER_BLOCK - 1));

	if (e != NULL) {
		c->known = c->known != 0 ? c->known : e->top;
		need = (size_t)(e->top - sp);
	}
	for (size_t i = 0; e != NULL && i < EXTENT_BESIDES; i++)
		if (e->besides[i].len > 0 && is_new(s, c, e->besides[i].addr))
			reads_range(
			    s, c, e->besides[i].addr, e->besides[i].len);
	snap_missing(&c->snap, &sp, &need);
	reads_range(s, c, sp, need);
	return e != NULL;
}

void
reads_learn(struct sampler *s, size_t begin)
{
	for (size_t i = begin; i < s->n_list; i++) {
		const struct sampler_read *q = &s->list[i];
		const uint64_t top = s->cpu[q->cpu].known;
		struct extent *e = extents_find(&s->stacks, top - 1);

		/* Of the stack itself it is known how much to read. */
		if (top != 0 && e != NULL && top - q->addr > WINDOW_MAX)
			extent_beside(e, q->addr, q->len);
	}
}

/* Whether the CPU's stack can be unwound anew, with memory at an address. */
static bool
may_ask(const struct sampler *s, const struct vcpu *c, uint64_t addr)
{
	return !c->waits && c->snap.bytes.len < WINDOW_MAX &&
	       is_new(s, c, addr);
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	struct sampler *s = arg;
	struct vcpu *c = s->on;
	size_t n = s->abi->word, begin = s->n_list;
	uint64_t block;

	if (snap_word(&c->snap, addr, n, word) == 0)
		return 0;
	snap_missing(&c->snap, &addr, &n);
	if (s->now == NULL || !may_ask(s, c, addr))
		return -1;
	block = addr & ~(uint64_t)(SAMPLER_BLOCK - 1);
	reads_stack(s, c, block);
	/* A stack that was learnt may end before that word. */
	if (is_new(s, c, addr))
		reads_range(s, c, addr, SAMPLER_BLOCK - (addr - block));
	c->waits = s->n_list > begin;
	return -1;
}

void
reads_unwind(struct sampler *s, struct vcpu *c)
{
	s->on = c;
	unwinder_run(s->u, &c->regs, read_word, s, &c->stack);
	if (c->stack.end == UNWIND_MEMORY && s->now == NULL)
		c->stack.end = UNWIND_WINDOW;
}

bool
reads_program(struct sampler *s, struct vcpu *c, uint64_t pc, uint64_t sp)
{
	const uint64_t addr = images_around(pc);
	const size_t begin = s->n_list;
	uint64_t lacks = addr;
	size_t n = IMAGES_AROUND;

	snap_missing(&c->snap, &lacks, &n);
	if (n > 0 && may_ask(s, c, lacks)) {
		reads_range(s, c, addr, IMAGES_AROUND);
		if (sp != 0 && is_new(s, c, sp))
			reads_stack(s, c, sp);
		c->waits = s->n_list > begin;
	}
	return n == 0;
}

int
reads_bytes(void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;
	struct snap own = c->snap;
	const size_t begin = s->n_list;
	int status = 0;

	memset(&c->snap, 0, sizeof c->snap);
	for (size_t part; status == 0 && n > 0; addr += part, to += part) {
		part = n < BATCH ? n : BATCH;
		n -= part;
		snap_clear(&c->snap);
		reads_range(s, c, addr, part);
		status = reads_list(s, s->list + begin, s->n_list - begin);
		s->n_list = begin;
		if (status == 0)
			status = snap_bytes(&c->snap, addr, to, part);
	}
	snap_done(&c->snap);
	c->snap = own;
	return status;
}

int
reads_view(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;

	if (s->view == NULL)
		return -1;
	return s->outside != NULL ? reads_running(s, s->view, addr, to, n)
				  : reads_bytes(s, s->view, addr, to, n);
}

int
reads_now(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;

	if (s->now == NULL)
		return reads_view(s, addr, to, n);
	return snap_bytes(&s->now->snap, addr, to, n) == 0
		   ? 0
		   : reads_bytes(s, s->now, addr, to, n);
}

size_t
reads_code(void *s, uint64_t addr, uint8_t *to, size_t n)
{
	return code_bytes(
	    &((struct sampler *)s)->code, addr, to, n, reads_now, s);
}

bool
reads_lack_code(const struct sampler *s, const struct vcpu *c, uint64_t pc)
{
	uint64_t at, ra = c->regs.r[s->abi->ra];
	size_t n;

	return unwinder_needs(s->u, pc, &at, &n) &&
	       (!code_has(&s->code, at, n) || !code_has(&s->code, ra - 4, 4));
}
