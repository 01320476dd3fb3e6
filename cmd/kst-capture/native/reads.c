/* SPDX-License-Identifier: ISC */
/* Cuts memory into reads that a protocol can carry, and keeps code. */
#include "native/reads.h"

#include <string.h>

#include "base/xalloc.h"
#include "native/firmware.h"

enum { PAGE = 4096, BATCH = 64 << 10 };

void
reads_want(struct sampler *s, size_t cpu, uint64_t addr, size_t len)
{
	s->list = xgrow(s->list, s->n_list + 1, &s->cap_list, sizeof *s->list);
	s->list[s->n_list++] =
	    (struct sampler_read){(uint32_t)cpu, (uint32_t)len, addr, addr};
}

void
reads_range(
    struct sampler *s, size_t cpu, uint64_t addr, size_t len, bool pages)
{
	while (len > 0) {
		size_t n = len < s->chunk ? len : s->chunk;
		size_t left = PAGE - (addr & (PAGE - 1));

		if (pages && n > left)
			n = left;
		reads_want(s, cpu, addr, n);
		addr += n;
		len -= n;
	}
}

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

/* Adds some of a stopped CPU's memory to its snapshot. */
static int
read_part(struct sampler *s, struct vcpu *c, uint64_t addr, size_t n)
{
	uint64_t at = addr;

	if (c->translate && firmware_place(c, addr, &at, read_physical, s) != 0)
		return 0;
	s->n_list = 0;
	reads_range(s, (size_t)(c - s->cpu), addr, n, true);
	for (size_t i = 0; i < s->n_list; i++)
		s->list[i].at += at - addr;
	return s->ops->read(s->arg, s->list, s->n_list, false);
}

/* A CPU's snapshot, which can grow. */
struct reader {
	struct sampler *s; /* NULL: it cannot */
	struct vcpu *c;
	size_t bytes; /* of a word */
};

/* The block around the address. */
static int
read_more(struct reader *r, uint64_t addr)
{
	return read_part(
	    r->s, r->c, addr & ~(uint64_t)(SAMPLER_BLOCK - 1), SAMPLER_BLOCK);
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	struct reader *r = arg;

	if (snap_word(&r->c->snap, addr, r->bytes, word) == 0)
		return 0;
	if (r->s == NULL || r->c->snap.bytes.len >= WINDOW_MAX ||
	    read_more(r, addr) != 0)
		return -1;
	if (snap_word(&r->c->snap, addr, r->bytes, word) == 0)
		return 0;
	/* A word on the border of two parts, or there is none. */
	if (addr % SAMPLER_BLOCK + r->bytes <= SAMPLER_BLOCK ||
	    read_more(r, addr + r->bytes - 1) != 0)
		return -1;
	return snap_word(&r->c->snap, addr, r->bytes, word);
}

void
reads_unwind(struct sampler *s, struct vcpu *c, struct unwinder *u, bool more)
{
	struct reader r = {more ? s : NULL, c, s->abi->word};

	unwinder_run(u, &c->regs, read_word, &r, &c->stack);
	if (c->stack.end == UNWIND_MEMORY && !more)
		c->stack.end = UNWIND_WINDOW;
}

int
reads_bytes(void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;
	struct snap own = c->snap;
	int status = 0;

	memset(&c->snap, 0, sizeof c->snap);
	for (size_t part; status == 0 && n > 0; addr += part, to += part) {
		part = PAGE - (addr & (PAGE - 1));
		if (!c->translate)
			part = BATCH;
		part = n < part ? n : part;
		n -= part;
		snap_clear(&c->snap);
		status = read_part(s, c, addr, part);
		if (status == 0)
			status = snap_bytes(&c->snap, addr, to, part);
	}
	snap_done(&c->snap);
	c->snap = own;
	return status;
}

int
reads_now(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct sampler *s = arg;

	return s->now ? reads_bytes(s, s->now, addr, to, n) : -1;
}

size_t
sampler_code(void *s, uint64_t addr, uint8_t *to, size_t n)
{
	return code_bytes(
	    &((struct sampler *)s)->code, addr, to, n, reads_now, s);
}

bool
reads_lack_code(const struct sampler *s, struct unwinder *u,
    const struct vcpu *c, uint64_t pc)
{
	uint64_t at, ra = c->regs.r[s->abi->ra];
	size_t n;

	return unwinder_needs(u, pc, &at, &n) &&
	       (!code_has(&s->code, at, n) || !code_has(&s->code, ra - 4, 4));
}

void
reads_missed(struct sampler *s)
{
	uint8_t code[CODE_BLOCK];

	for (size_t i = 0; s->missed != 0 && i < s->n_cpu; i++) {
		s->now = &s->cpu[i];
		if (s->now->ok && !sampler_in_user(s, s->now) &&
		    sampler_code(s, s->missed, code, sizeof code) > 0)
			s->missed = 0;
	}
	s->missed = 0;
	s->now = NULL;
}
