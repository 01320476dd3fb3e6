/* SPDX-License-Identifier: ISC */
/*
 * A thread counts only if its structure is the same before and after its stack
 * was read. Its stack is read each time, and is whole: nothing here counts how
 * often it was switched, and one that wakes and sleeps again in the same place
 * has the same registers.
 */
#include "threads/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "linux/object.h"

enum { KEPT = 256 }; /* frames of one stack */

struct array {
	const struct os_threads *os;
	const struct unwind_abi *abi;
	struct elfsym *kernel;
	uint64_t at;	      /* in the kernel's file */
	struct thread *slot;  /* one for each place of the array */
	uint8_t *now, *again; /* the bytes of one */
	uint8_t *stack;
	uint64_t stack_at, stack_len;
	struct thread *out; /* what they have belongs to the slots */
	size_t n;
	struct unwind_stack st;
};

struct array *
array_new(const struct os_threads *os, struct elfsym *kernel,
    const struct unwind_abi *abi, const char **why)
{
	struct array *a;
	uint64_t at, size;

	*why = NULL;
	if (os->n_states == 0 || os->n_registers == 0 || os->stack_size == 0)
		*why = "the OS file lacks lines `threads state`, `threads "
		       "registers` or `threads stack`";
	else if (abi->word != 8 || !object_sized(kernel, os->array, &at, &size))
		*why = "the kernel's file lacks the array of threads that the "
		       "OS file names";
	else if (size != (uint64_t)os->count * os->size)
		*why = "the array of threads has another size in this kernel "
		       "than in the OS file: its members may be elsewhere";
	if (*why != NULL)
		return NULL;
	a = xcalloc(1, sizeof *a);
	a->os = os;
	a->abi = abi;
	a->kernel = kernel;
	a->at = at - elfsym_bias(kernel);
	a->slot = xcalloc(os->count, sizeof *a->slot);
	a->out = xcalloc(os->count, sizeof *a->out);
	a->now = xmalloc(os->size);
	a->again = xmalloc(os->size);
	a->stack = xmalloc(os->stack_size);
	return a;
}

void
array_free(struct array *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < a->os->count; i++)
		free(a->slot[i].frame);
	free(a->slot);
	free(a->out);
	free(a->now);
	free(a->again);
	free(a->stack);
	free(a);
}

static bool
read_slot(struct array *a, const struct threads_guest *g, size_t i, uint8_t *to)
{
	const uint64_t at = a->at + elfsym_bias(a->kernel) + i * a->os->size;

	return g->read(g->arg, at, to, a->os->size) == 0;
}

/* A word in the structure; what would be beyond it is 0. */
static uint64_t
get(const struct array *a, uint32_t at, unsigned n)
{
	return at + n <= a->os->size ? uint_load(a->now + at, n, false) : 0;
}

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	const struct array *a = arg;
	const uint64_t at = addr - a->stack_at;

	if (at >= a->stack_len || a->stack_len - at < 8)
		return -1;
	*word = uint_load(a->stack + at, 8, false);
	return 0;
}

static struct unwind_regs
registers(const struct array *a)
{
	struct unwind_regs regs = {.mode = UNWIND_MODE_KERNEL};

	for (size_t i = 0; i < a->os->n_registers; i++) {
		const struct os_register *r = &a->os->registers[i];
		const unsigned reg = r->reg == OS_PC   ? a->abi->pc
				     : r->reg == OS_SP ? a->abi->sp
				     : r->reg == OS_FP ? a->abi->fp
						       : r->reg;

		if (reg < sizeof regs.r / sizeof *regs.r)
			regs.r[reg] = get(a, r->at, 8);
	}
	regs.r[a->abi->ra] = regs.r[a->abi->pc];
	return regs;
}

/* Reads and unwinds a stack; false: the thread has changed meanwhile. */
static bool
read_stack(struct array *a, const struct threads_guest *g, size_t i)
{
	struct thread *th = &a->slot[i];
	const struct unwind_regs regs = registers(a);
	const uint64_t low = get(a, a->os->stack, 8);
	const uint64_t sp = regs.r[a->abi->sp];

	th->n = 0;
	th->sp = sp;
	if (sp - low >= a->os->stack_size)
		return false;
	a->stack_at = sp;
	a->stack_len = low + a->os->stack_size - sp;
	if (g->read(g->arg, sp, a->stack, a->stack_len) != 0 ||
	    !read_slot(a, g, i, a->again) ||
	    memcmp(a->now, a->again, a->os->size) != 0)
		return false;
	g->unwind(g->arg, &regs, read_word, a, &a->st);
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
state_of(const struct array *a)
{
	const uint64_t v = get(a, a->os->state, 4);

	for (size_t i = 0; i < a->os->n_states; i++)
		if (a->os->states[i].value == v)
			return a->os->states[i].is;
	return STATE_UNKNOWN;
}

/* The thread whose structure was just read. */
static void
take(struct array *a, const struct threads_guest *g, size_t i)
{
	struct thread *th = &a->slot[i];

	th->state = state_of(a);
	if (th->state == STATE_UNKNOWN || !read_stack(a, g, i))
		return;
	th->pid = th->tgid = a->os->number ? get(a, a->os->number, 4) : i + 1;
	th->ran = true;
	memset(th->comm, 0, sizeof th->comm);
	if (a->os->name > 0 && a->os->name + OS_NAME <= a->os->size)
		memcpy(th->comm, a->now + a->os->name, OS_NAME);
	memcpy(th->process, th->comm, sizeof th->process);
	a->out[a->n++] = *th;
}

bool
array_found(struct array *a, const struct threads_guest *g)
{
	return read_slot(a, g, 0, a->now);
}

void
array_take(struct array *a, const struct threads_guest *g)
{
	a->n = 0;
	for (size_t i = 0; i < a->os->count; i++)
		if (read_slot(a, g, i, a->now))
			take(a, g, i);
}

const struct thread *
array_get(const struct array *a, size_t *n)
{
	*n = a->n;
	return a->out;
}

void
array_none(struct array *a)
{
	a->n = 0;
}
