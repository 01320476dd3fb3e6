/* SPDX-License-Identifier: ISC */
/*
 * Knows how the unwinder reads a snapshot that can still grow.
 */
#include "guest/vcpu.h"

struct reader {
	struct vcpu *c;
	vcpu_fetch *fetch;
	void *arg;
	size_t bytes; /* of a word */
};

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	struct reader *r = arg;

	if (snap_word(&r->c->snap, addr, r->bytes, word) == 0)
		return 0;
	if (r->fetch == NULL || r->c->snap.bytes.len >= WINDOW_MAX ||
	    r->fetch(r->arg, r->c, addr) != 0)
		return -1;
	if (snap_word(&r->c->snap, addr, r->bytes, word) == 0)
		return 0;
	/* A word on the border of two parts. */
	if (r->fetch(r->arg, r->c, addr + r->bytes - 1) != 0)
		return -1;
	return snap_word(&r->c->snap, addr, r->bytes, word);
}

void
vcpu_unwind(struct vcpu *c, struct unwinder *u, vcpu_fetch *fetch, void *arg)
{
	struct reader r = {c, fetch, arg, unwinder_abi(u)->word};

	unwinder_run(u, &c->regs, read_word, &r, &c->stack);
	if (c->stack.end == UNWIND_MEMORY && fetch == NULL)
		c->stack.end = UNWIND_WINDOW;
}

void
vcpu_no_stack(struct vcpu *c, uint64_t pc)
{
	c->stack.n = 1;
	c->stack.frame[0] = (struct unwind_frame){.pc = pc, .exact = true};
	c->stack.end = UNWIND_ROOT;
	c->stack.bad = c->stack.top = 0;
}

bool
vcpu_complete(const struct vcpu *c)
{
	return c->stack.end <= UNWIND_USER;
}
