/* SPDX-License-Identifier: ISC */
/* Chooses a CPU whose page tables have the kernel, and reads threads by it. */
#include "native/asleep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "native/reads.h"
#include "native/sampler.h"
#include "threads/listed.h"
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

	unwinder_run(s->guest.u, regs, read, read_arg, st);
}

int
asleep_open(struct sampler *s)
{
	const char *why = "there is no -e with the kernel";

	if (s->t->threads == THREADS_NONE)
		return 0;
	if (s->t->n_image > 0 && s->t->os && s->t->os->threads.n_source > 0)
		s->asleep.listed = listed_new(
		    &s->t->os->threads, s->t->image[0].sym, s->guest.abi, &why);
	else if (s->t->n_image > 0)
		s->asleep.threads = threads_new(s->t->image[0].sym,
		    (enum unwind_arch)(s->guest.abi - unwind_abis), &why);
	if (!asleep_asked(s) && s->t->threads == THREADS_TRY) {
		msg("only CPUs are sampled, and no threads: %s", why);
		return 0;
	}
	if (!asleep_asked(s)) {
		msg("--threads: %s", why);
		return -1;
	}
	s->asleep.sleeper = xcalloc(1, sizeof *s->asleep.sleeper);
	return 0;
}

void
asleep_close(struct sampler *s)
{
	if (s->asleep.blind > 0)
		msg("%" PRIu64 " samples lack the threads that were not on a "
		    "CPU: the kernel's task list could not be read",
		    s->asleep.blind);
	if (s->asleep.threads != NULL && s->asleep.crowd)
		msg("the guest has more than %d threads; the others are not "
		    "in the samples",
		    THREADS_MAX);
	threads_free(s->asleep.threads);
	listed_free(s->asleep.listed);
	free(s->asleep.sleeper);
}

bool
asleep_asked(const struct sampler *s)
{
	return s->asleep.threads != NULL || s->asleep.listed != NULL;
}

bool
asleep_needs_stop(const struct sampler *s)
{
	return asleep_asked(s) && s->conn.outside == NULL;
}

static bool
found(const struct sampler *s, const struct threads_guest *g)
{
	return s->asleep.listed ? listed_found(s->asleep.listed, g)
				: threads_found(s->asleep.threads, g);
}

/* Whether the CPU's page tables lead to the task list. */
static bool
sees_tasks(struct sampler *s, struct vcpu *c, const struct threads_guest *g)
{
	s->shot.view = c;
	if (!c->ok || c->early || c->firmware != 0 || c->physical)
		return false;
	if (found(s, g))
		return true;
	if (s->conn.outside == NULL ||
	    s->guest.abi != &unwind_abis[UNWIND_X86_64] ||
	    !(c->paging.reg[PAGING_LOW] & USER_TABLES))
		return false;
	s->asleep.sleeper->paging = c->paging;
	s->asleep.sleeper->paging.reg[PAGING_LOW] &= ~(uint64_t)USER_TABLES;
	s->asleep.sleeper->regs.mode = UNWIND_MODE_KERNEL;
	s->shot.view = s->asleep.sleeper;
	return found(s, g);
}

void
asleep_take(struct sampler *s)
{
	const struct threads_guest g = {
	    s, reads_view, unwind, asleep_needs_stop(s)};
	size_t i = 0;
	bool read;

	while (!s->guest.unsure && i < s->shot.n_cpu &&
	       !sees_tasks(s, &s->shot.cpu[i], &g))
		i++;
	read = !s->guest.unsure && i < s->shot.n_cpu;
	if (s->asleep.listed)
		read = read && listed_take(s->asleep.listed, &g) == 0;
	else
		read = read && threads_take(s->asleep.threads, &g) == 0;
	if (s->asleep.listed && !read)
		listed_none(s->asleep.listed);
	else if (!read)
		threads_none(s->asleep.threads);
	s->asleep.blind += !read;
	s->asleep.crowd |= s->asleep.threads && threads_cut(s->asleep.threads);
	s->shot.view = NULL;
}
