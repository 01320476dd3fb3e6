/* SPDX-License-Identifier: ISC */
/*
 * A thread counts only if its structure is the same before and after its stack
 * was read. Its stack is read each time, and is whole: nothing here counts how
 * often it was switched, and one that wakes and sleeps again in the same place
 * has the same registers.
 */
#include "threads/listed.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "threads/places.h"

enum {
	KEPT = 256,	       /* frames of one stack */
	PIECE = 1024,	       /* bytes of a stack whose end is not known */
	STACK_SIZE = 16 << 10, /* of one of which the file does not say it */
	TRIES = 4	       /* until a list that changes was followed */
};

struct listed {
	const struct os_threads *os;
	const struct unwind_abi *abi;
	struct elfsym *kernel;
	const struct threads_guest *g;
	struct places p;
	uint8_t now[OS_SIZE + 8], again[OS_SIZE + 8]; /* the bytes of one */
	uint8_t saved[SAVED + 8], stack[OS_STACK];
	uint64_t saved_at, stack_at, stack_len, running;
	uint64_t known[LISTED_MAX]; /* structures, for their numbers */
	size_t n_known;
	struct thread *slot; /* LISTED_MAX, for the memory of frames */
	struct thread *out;  /* what they have belongs to the slots */
	size_t n, seen;
	struct unwind_stack st;
};

struct listed *
listed_new(const struct os_threads *os, struct elfsym *kernel,
    const struct unwind_abi *abi, const char **why)
{
	struct listed *a;

	*why = NULL;
	if (os->n_states == 0 || os->n_registers == 0) {
		*why = "the OS file lacks lines `threads state` or `threads "
		       "registers`";
		return NULL;
	}
	a = xcalloc(1, sizeof *a);
	a->os = os;
	a->abi = abi;
	a->kernel = kernel;
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

static bool
read_number(struct listed *a, uint64_t at, size_t n, uint64_t *to)
{
	uint8_t p[8];

	if (!read_at(a, at, p, n))
		return false;
	*to = uint_load(p, n, false);
	return true;
}

/* The address of a place, where the kernel is now. */
static bool
address_of(struct listed *a, const struct elfplace *p, uint64_t *to)
{
	*to = p->at + (p->moves ? elfsym_bias(a->kernel) : 0);
	return !p->through || read_number(a, *to, a->abi->word, to);
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

/* False if the memory that has them cannot be read. */
static bool
read_registers(struct listed *a, struct unwind_regs *regs)
{
	const size_t word = a->abi->word;
	const bool apart = a->os->saved != NULL;
	bool told_ra = false;
	uint64_t high = 0;

	a->saved_at = apart ? get(a, SAVED_AT) : 0;
	for (size_t i = 0; i < a->os->n_registers; i++)
		if (!a->os->registers[i].is_place &&
		    a->p.reg[i].at + word > high)
			high = a->p.reg[i].at + word;
	if (apart && !read_at(a, a->saved_at, a->saved, high))
		return false;
	*regs = (struct unwind_regs){.mode = UNWIND_MODE_KERNEL};
	for (size_t i = 0; i < a->os->n_registers; i++) {
		const struct os_register *r = &a->os->registers[i];
		const uint8_t *from = apart ? a->saved : a->now;
		const unsigned reg = r->reg == OS_PC   ? a->abi->pc
				     : r->reg == OS_SP ? a->abi->sp
				     : r->reg == OS_FP ? a->abi->fp
						       : r->reg;

		told_ra |= reg == a->abi->ra;
		if (reg < sizeof regs->r / sizeof *regs->r)
			regs->r[reg] =
			    r->is_place
				? a->saved_at + a->p.reg[i].at
				: uint_load(from + a->p.reg[i].at, word, false);
	}
	if (a->abi->ra != a->abi->sp && !told_ra)
		regs->r[a->abi->ra] = regs->r[a->abi->pc];
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

/* Reads and unwinds a stack; false: the thread has changed meanwhile. */
static bool
read_stack(struct listed *a, uint64_t thread, struct thread *th)
{
	struct unwind_regs regs;

	th->n = 0;
	if (!read_registers(a, &regs))
		return false;
	th->sp = regs.r[a->abi->sp];
	if (!read_whole_stack(a, th->sp) ||
	    !read_at(a, thread, a->again, a->p.size) ||
	    memcmp(a->now, a->again, a->p.size) != 0)
		return false;
	a->g->unwind(a->g->arg, &regs, read_word, a, &a->st);
	th->n = a->st.n < KEPT ? a->st.n : KEPT;
	th->end = th->n < a->st.n ? UNWIND_LIMIT : a->st.end;
	th->bad = a->st.bad;
	th->frame = xreallocn(th->frame, th->n + 1, sizeof *th->frame);
	memcpy(th->frame, a->st.frame, th->n * sizeof *th->frame);
	/* what switched it out returns there */
	if (th->n > 0)
		th->frame[0].exact = false;
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

/* A structure's number, from 1, which it keeps. */
static uint64_t
number_of(struct listed *a, uint64_t thread)
{
	/* mostly they come in the same order */
	if (a->seen < a->n_known && a->known[a->seen] == thread)
		return a->seen + 1;
	for (size_t i = 0; i < a->n_known; i++)
		if (a->known[i] == thread)
			return i + 1;
	if (a->n_known == LISTED_MAX)
		a->n_known = 0;
	a->known[a->n_known] = thread;
	return ++a->n_known;
}

/* Takes the thread of a structure, unless it is on a CPU. */
static bool
take(struct listed *a, uint64_t thread)
{
	struct thread *th;
	const uint64_t number = number_of(a, thread);

	if (a->seen == LISTED_MAX)
		return false;
	a->seen++;
	if (thread == a->running || !read_at(a, thread, a->now, a->p.size))
		return thread == a->running;
	th = &a->slot[a->n];
	th->task = thread;
	th->state = state_of(a);
	if (th->state == STATE_UNKNOWN || !read_stack(a, thread, th))
		return true;
	th->pid = th->tgid = a->os->number != NULL ? get(a, NUMBER) : number;
	th->ran = true;
	memset(th->comm, 0, sizeof th->comm);
	if (a->os->name != NULL)
		memcpy(th->comm, a->now + a->p.member[NAME].at,
		    a->p.member[NAME].size);
	memcpy(th->process, th->comm, sizeof th->process);
	a->out[a->n++] = *th;
	return true;
}

/* All ------------------------------------------------------------------- */

static bool
take_array(struct listed *a, const struct source *s)
{
	uint64_t at, count = s->count.at;

	if (!address_of(a, &s->at, &at) ||
	    ((s->count.moves || s->count.through) &&
		(!address_of(a, &s->count, &count) ||
		    (!s->count.through && !read_number(a, count, 4, &count)))))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t thread = at + i * s->size;

		if (s->shape == OS_POINTERS &&
		    !read_number(
			a, at + i * a->abi->word, a->abi->word, &thread))
			return false;
		if (thread != 0 && !take(a, thread) &&
		    (s->shape == OS_POINTERS || a->seen == LISTED_MAX))
			return false;
	}
	return true;
}

/* It ends at 0, or where it began. */
static bool
take_list(struct listed *a, const struct source *s)
{
	const size_t word = a->abi->word;
	uint64_t first, p;

	if (!address_of(a, &s->at, &first) || !read_number(a, first, word, &p))
		return false;
	while (p != 0 && p != first - (s->next - s->node)) {
		if (!take(a, p - s->node) ||
		    !read_number(a, p - s->node + s->next, word, &p))
			return false;
	}
	return true;
}

bool
listed_found(struct listed *a, const struct threads_guest *g)
{
	uint64_t at, word;

	a->g = g;
	return address_of(a, &a->p.source[0].at, &at) &&
	       read_number(a, at, a->abi->word, &word);
}

static bool
take_all(struct listed *a)
{
	uint64_t at;

	a->n = a->seen = 0;
	a->running = 0;
	if (a->os->current != NULL &&
	    (!address_of(a, &a->p.current, &at) ||
		!read_number(a, at, a->abi->word, &a->running)))
		return false;
	for (size_t i = 0; i < a->os->n_source; i++) {
		const struct source *s = &a->p.source[i];

		if (s->shape == OS_LIST ? !take_list(a, s) : !take_array(a, s))
			return false;
	}
	return true;
}

int
listed_take(struct listed *a, const struct threads_guest *g)
{
	a->g = g;
	for (int i = 0; i < TRIES; i++)
		if (take_all(a))
			return 0;
	a->n = 0;
	return -1;
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
