/* SPDX-License-Identifier: ISC */
/* Chooses a CPU whose page tables have the kernel, and reads threads by it. */
#include "native/asleep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "native/reads.h"
#include "native/sampler.h"
#include "threads/threads.h"

/*
 * Linux' tables of a process on x86_64, where that lacks the kernel, are the
 * second page of two; the first one has both (PTI_USER_PGTABLE_BIT).
 */
enum { USER_TABLES = 0x1000 };

static void
unwind(void *arg, const struct unwind_regs *regs, unwind_read *read,
    void *read_arg, struct unwind_stack *st)
{
	struct sampler *s = arg;

	unwinder_run(s->u, regs, read, read_arg, st);
}

int
asleep_open(struct sampler *s)
{
	const char *why = "there is no -e with the kernel";

	if (s->t->threads == THREADS_NONE)
		return 0;
	if (s->t->n_image > 0)
		s->threads = threads_new(s->t->image[0].sym,
		    (enum unwind_arch)(s->abi - unwind_abis), &why);
	if (s->threads == NULL && s->t->threads == THREADS_TRY) {
		msg("only CPUs are sampled, and no threads: %s", why);
		return 0;
	}
	if (s->threads == NULL) {
		msg("--threads: %s", why);
		return -1;
	}
	s->sleeper = xcalloc(1, sizeof *s->sleeper);
	return 0;
}

void
asleep_close(struct sampler *s)
{
	if (s->blind > 0)
		msg("%" PRIu64 " samples lack the threads that were not on a "
		    "CPU: the kernel's task list could not be read",
		    s->blind);
	if (s->threads != NULL && s->crowd)
		msg("the guest has more than %d threads; the others are not "
		    "in the samples",
		    THREADS_MAX);
	threads_free(s->threads);
	free(s->sleeper);
}

bool
asleep_needs_stop(const struct sampler *s)
{
	return s->threads != NULL && s->outside == NULL;
}

/* Whether the CPU's page tables lead to the task list. */
static bool
sees_tasks(struct sampler *s, struct vcpu *c, const struct threads_guest *g)
{
	s->view = c;
	if (!c->ok || c->early || c->firmware != 0 || c->physical)
		return false;
	if (threads_found(s->threads, g))
		return true;
	if (s->outside == NULL || s->abi != &unwind_abis[UNWIND_X86_64] ||
	    !(c->paging.reg[PAGING_LOW] & USER_TABLES))
		return false;
	s->sleeper->paging = c->paging;
	s->sleeper->paging.reg[PAGING_LOW] &= ~(uint64_t)USER_TABLES;
	s->sleeper->regs.mode = UNWIND_MODE_KERNEL;
	s->view = s->sleeper;
	return threads_found(s->threads, g);
}

void
asleep_take(struct sampler *s)
{
	const struct threads_guest g = {s, reads_view, unwind};
	size_t i = 0;

	while (!s->unsure && i < s->n_cpu && !sees_tasks(s, &s->cpu[i], &g))
		i++;
	if (s->unsure || i == s->n_cpu || threads_take(s->threads, &g) != 0) {
		threads_none(s->threads);
		s->blind++;
	}
	s->crowd |= threads_cut(s->threads);
	s->view = NULL;
}
