/* SPDX-License-Identifier: ISC */
/*
 * First all lists are followed, then each thread is read. While the guest runs,
 * one counts only if twice all that was read of it is equal, and if it was on
 * no CPU before, between and after: nothing here counts how often it was
 * switched.
 */
#include "threads/listed.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "threads/held.h"
#include "threads/places.h"
#include "threads/sources.h"

enum {
	KEPT = 256,	       /* frames of one stack */
	PIECE = 1024,	       /* bytes of a stack whose end is not known */
	STACK_SIZE = 16 << 10, /* of one of which the file does not say it */
	CPUS = 256,	       /* whose threads that run are looked at */
	TRIES = 16	       /* until a list that changes was followed */
};

struct listed {
	const struct os_threads *os;
	const struct unwind_abi *abi;
	const struct threads_guest *g;
	struct places p;
	struct sources s;
	/* the bytes of one thread, its registers and its stack */
	uint8_t now[OS_SIZE + 8], saved[SAVED + 8], stack[OS_STACK];
	uint8_t again[OS_STACK]; /* any of these */
	uint64_t saved_at, saved_len, stack_at, stack_len;
	uint64_t known[LISTED_MAX]; /* structures, for their numbers */
	size_t n_known;
	struct thread *slot; /* LISTED_MAX, for the memory of frames */
	struct thread *out;  /* what they have belongs to the slots */
	size_t n;
	struct unwind_stack st;
};

struct listed *
listed_new(const struct os_threads *os, struct elfsym *kernel,
    const struct unwind_abi *abi, const char **why)
{
	struct listed *a;

	*why = os->n_registers == 0
		   ? "the OS file lacks a line `threads registers`"
		   : NULL;
	for (size_t i = 0; i < os->n_source && os->n_states == 0; i++)
		if (os->source[i].is == STATE_UNKNOWN)
			*why = "the OS file lacks a line `threads state`";
	if (*why != NULL)
		return NULL;
	a = xcalloc(1, sizeof *a);
	a->os = os;
	a->abi = abi;
	a->s.p = &a->p;
	a->s.kernel = kernel;
	a->s.word = abi->word;
	if (!places_find(&a->p, os, kernel, abi->word, why)) {
		free(a);
		return NULL;
	}
	a->slot = xcalloc(LISTED_MAX, sizeof *a->slot);
	a->out = xcalloc(LISTED_MAX, sizeof *a->out);
	return a;
}

void
listed_free(struct listed *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < LISTED_MAX; i++)
		free(a->slot[i].frame);
	free(a->slot);
	free(a->out);
	free(a);
}

/* The guest's memory ---------------------------------------------------- */

static bool
read_at(struct listed *a, uint64_t at, uint8_t *to, size_t n)
{
	return a->g->read(a->g->arg, at, to, n) == 0;
}

/* Whether memory still has these bytes; n is at most OS_STACK. */
static bool
is_same(struct listed *a, uint64_t at, const uint8_t *bytes, size_t n)
{
	return read_at(a, at, a->again, n) && memcmp(bytes, a->again, n) == 0;
}

/* A member of the structure that was read; 0: it does not have it. */
static uint64_t
get(const struct listed *a, enum member m)
{
	const struct elfplace *p = &a->p.member[m];

	return p->at + p->size <= a->p.size
		   ? uint_load(a->now + p->at, p->size < 8 ? p->size : 8, false)
		   : 0;
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	const struct listed *a = arg;
	const uint64_t at = addr - a->stack_at;

	if (at >= a->stack_len || a->stack_len - at < a->abi->word)
		return -1;
	*word = uint_load(a->stack + at, a->abi->word, false);
	return 0;
}

/* One thread ------------------------------------------------------------ */

/* Reads where the registers are; false if that cannot be read. */
static bool
read_saved(struct listed *a, uint64_t thread)
{
	const bool apart = a->os->saved != NULL;

	a->saved_at = apart ? get(a, SAVED_AT) : thread;
	a->saved_len = 0;
	for (size_t i = 0; apart && i < a->os->n_registers; i++) {
		const uint64_t end = a->p.reg[i].at + a->abi->word;

		if (a->os->registers[i].held == OS_THERE && end > a->saved_len)
			a->saved_len = end;
	}
	return read_at(a, a->saved_at, a->saved, a->saved_len);
}

static uint64_t
get_register(const struct listed *a, size_t i)
{
	const uint8_t *from = a->os->saved != NULL ? a->saved : a->now;
	const uint64_t at = a->p.reg[i].at;

	switch (a->os->registers[i].held) {
	case OS_ADDRESS:
		return a->saved_at + at;
	case OS_VALUE:
		return at;
	default:
		return uint_load(from + at, a->abi->word, false);
	}
}

/* Whether the thread goes on by Cortex-M's return from an exception. */
static bool
is_exception(const struct listed *a, const struct unwind_regs *regs)
{
	return a->abi->arm && regs->r[a->abi->pc] >> 8 == 0xffffff;
}

/* Returns whether the thread was interrupted where it is. */
static bool
get_registers(const struct listed *a, struct unwind_regs *regs)
{
	const struct unwind_abi *abi = a->abi;
	uint64_t fpu_sp = 0;
	bool told_ra = false;

	*regs = (struct unwind_regs){.mode = UNWIND_MODE_KERNEL};
	for (size_t i = 0; i < a->os->n_registers; i++) {
		const uint8_t its = a->os->registers[i].reg;
		const unsigned reg = its == OS_PC   ? abi->pc
				     : its == OS_SP ? abi->sp
				     : its == OS_FP ? abi->fp
						    : its;

		told_ra |= reg == abi->ra && abi->ra != abi->sp;
		if (its == OS_FPU_SP)
			fpu_sp = get_register(a, i);
		else if (reg < sizeof regs->r / sizeof *regs->r)
			regs->r[reg] = get_register(a, i);
	}
	if (abi->ra != abi->sp && !told_ra)
		regs->r[abi->ra] = regs->r[abi->pc];
	if (!is_exception(a, regs))
		return told_ra;
	if (fpu_sp != 0 && !(regs->r[abi->pc] & 16))
		regs->r[abi->sp] = fpu_sp;
	regs->thread_sp = regs->r[abi->sp];
	return true;
}

/* What of the stack there is above the stack pointer; false: nothing. */
static bool
read_whole_stack(struct listed *a, uint64_t sp)
{
	const uint64_t low = get(a, STACK);

	a->stack_at = sp;
	a->stack_len = 0;
	if (a->os->stack != NULL) {
		if (sp - low >= a->os->stack_size)
			return false;
		a->stack_len = low + a->os->stack_size - sp;
		return read_at(a, sp, a->stack, a->stack_len);
	}
	while (a->stack_len < STACK_SIZE) {
		/* to the next piece's beginning, so that none crosses a page */
		const uint64_t at = sp + a->stack_len;
		const size_t n = PIECE - at % PIECE;

		if (!read_at(a, at, a->stack + a->stack_len, n))
			break;
		a->stack_len += n;
	}
	return a->stack_len > 0;
}

/* Whether the thread is on no CPU; false also if that cannot be read. */
static bool
is_off(struct listed *a, uint64_t thread)
{
	const struct elfplace *p = &a->p.current;
	const uint64_t n = p->times > 0 ? p->times : 1;
	uint64_t at, runs;

	if (a->os->current == NULL)
		return true;
	if (n > CPUS || !sources_address(&a->s, p, &at))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!sources_number(
			&a->s, at + i * p->step, a->abi->word, &runs) ||
		    runs == thread)
			return false;
	return true;
}

/* Whether it is as it was read, and still on no CPU. */
static bool
is_still(struct listed *a, uint64_t thread)
{
	return is_same(a, thread, a->now, a->p.size) && is_off(a, thread);
}

/*
 * Reads and unwinds the stack of the thread whose bytes are in a->now; false:
 * it has changed meanwhile.
 */
static bool
read_stack(struct listed *a, uint64_t thread, struct thread *th)
{
	struct unwind_regs regs;
	bool exact;

	th->n = 0;
	if (!read_saved(a, thread))
		return false;
	exact = get_registers(a, &regs);
	th->sp = regs.r[a->abi->sp];
	if (!read_whole_stack(a, th->sp))
		return false;
	if (!a->g->stands &&
	    (!is_still(a, thread) ||
		!is_same(a, a->saved_at, a->saved, a->saved_len) ||
		!is_same(a, a->stack_at, a->stack, a->stack_len) ||
		!is_still(a, thread)))
		return false;
	a->g->unwind(a->g->arg, th, &regs, read_word, a, &a->st);
	th->n = a->st.n < KEPT ? a->st.n : KEPT;
	th->end = th->n < a->st.n ? UNWIND_LIMIT : a->st.end;
	th->bad = a->st.bad;
	th->frame = xreallocn(th->frame, th->n + 1, sizeof *th->frame);
	memcpy(th->frame, a->st.frame, th->n * sizeof *th->frame);
	/* what switched it out returns there */
	if (th->n > 0)
		th->frame[0].exact = exact;
	return true;
}

static enum trace_state
state_of(const struct listed *a)
{
	const uint64_t v = get(a, STATE);

	for (size_t i = 0; i < a->p.n_state; i++)
		if (a->p.state[i].value == v)
			return a->p.state[i].is;
	return STATE_UNKNOWN;
}

/* A structure's number, from 1, which it keeps; the i-th that was found. */
static uint64_t
number_of(struct listed *a, size_t i, uint64_t thread)
{
	/* mostly they come in the same order */
	if (i < a->n_known && a->known[i] == thread)
		return i + 1;
	for (i = 0; i < a->n_known; i++)
		if (a->known[i] == thread)
			return i + 1;
	if (a->n_known == LISTED_MAX)
		a->n_known = 0;
	a->known[a->n_known] = thread;
	return ++a->n_known;
}

/* Its name, or what a pointer to it leads to; empty if that cannot be read. */
static void
read_name(struct listed *a, struct thread *th)
{
	const struct elfplace *p = &a->p.member[NAME];
	const uint64_t at = p->through ? get(a, NAME) : 0;
	const size_t n = PIECE - at % PIECE; /* no piece crosses a page */
	uint8_t name[OS_NAME + 1] = {0};

	if (!p->through)
		memcpy(name, a->now + p->at, p->size);
	else if (at != 0 && read_at(a, at, name, n < OS_NAME ? n : OS_NAME) &&
		 n < OS_NAME)
		read_at(a, at + n, name + n, OS_NAME - n);
	memcpy(th->comm, name, sizeof th->comm);
}

/* Takes the i-th thread that was found, unless it is on a CPU. */
static void
take(struct listed *a, size_t i)
{
	const struct sourced *from = &a->s.found[i];
	const uint64_t number = number_of(a, i, from->at);
	struct thread *th = &a->slot[a->n];

	if (from->again || !is_off(a, from->at) ||
	    !read_at(a, from->at, a->now, a->p.size) ||
	    (from->next_at != 0 && uint_load(a->now + from->next_at,
				       a->abi->word, false) != from->next))
		return;
	th->task = from->at;
	th->state = from->is != STATE_UNKNOWN ? from->is : state_of(a);
	if (th->state == STATE_UNKNOWN || !read_stack(a, from->at, th))
		return;
	th->pid = th->tgid = a->os->number != NULL ? get(a, NUMBER) : number;
	th->holder = held_by(&a->p, a->os, a->s.kernel, a->g, th, get(a, LOCK));
	th->ended = false;
	th->ran = true;
	read_name(a, th);
	memcpy(th->process, th->comm, sizeof th->process);
	a->out[a->n++] = *th;
}

/* All ------------------------------------------------------------------- */

bool
listed_found(struct listed *a, const struct threads_guest *g)
{
	uint64_t at, word;

	a->g = a->s.g = g;
	return sources_address(&a->s, &a->p.source[0].at, &at) &&
	       sources_number(&a->s, at, a->abi->word, &word);
}

int
listed_take(struct listed *a, const struct threads_guest *g)
{
	int tries = TRIES;

	a->g = a->s.g = g;
	a->n = 0;
	while (!sources_take(&a->s))
		if (--tries == 0 || g->stands)
			return -1;
	for (size_t i = 0; i < a->s.n; i++)
		take(a, i);
	if (a->os->number != NULL)
		held_ended(&a->s, a->out, a->n);
	return 0;
}

const struct thread *
listed_get(const struct listed *a, size_t *n)
{
	*n = a->n;
	return a->out;
}

void
listed_none(struct listed *a)
{
	a->n = 0;
}
