/* SPDX-License-Identifier: ISC */
/* Chooses a CPU whose page tables have the kernel, and reads threads by it. */
#include "native/asleep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "guest/images.h"
#include "linux/object.h"
#include "native/programs.h"
#include "native/reads.h"
#include "native/sampler.h"
#include "memory/outside.h"
#include "threads/listed.h"
#include "threads/threads.h"

/*
 * Linux' tables of a process on x86_64, where that lacks the kernel, are the
 * second page of two; the first one has both (PTI_USER_PGTABLE_BIT).
 */
enum { USER_TABLES = 0x1000 };

/* A stack that begins in a program: the kernel's part was read before. */
struct both {
	struct sampler *s;
	unwind_read *read;
	void *arg;
};

static int
read_both(void *arg, uint64_t addr, uint64_t *word)
{
	const struct both *b = arg;

	return addr >= b->s->guest.kernel_base ? b->read(b->arg, addr, word)
					       : reads_word(b->s, addr, word);
}

static void
unwind(void *arg, struct thread *th, const struct unwind_regs *regs,
    unwind_read *read, void *read_arg, struct unwind_stack *st)
{
	struct sampler *s = arg;
	struct vcpu *c = s->asleep.sleeper, *view = s->shot.view;

	th->entered =
	    s->asleep.threads != NULL && programs_thread(s, th->task, c);
	if (!th->entered) {
		unwinder_run(s->guest.u, regs, read, read_arg, st);
		return;
	}
	s->shot.view = s->shot.now = c;
	unwinder_run(
	    s->guest.u, regs, read_both, &(struct both){s, read, read_arg}, st);
	s->shot.view = view;
	s->shot.now = NULL;
	for (size_t i = 0; i < c->runs.n_program; i++)
		images_use(&c->runs.program[i], false);
	th->n_program = c->runs.n_program;
	th->program =
	    xreallocn(NULL, c->runs.n_program + 1, sizeof *th->program);
	memcpy(th->program, c->runs.program,
	    c->runs.n_program * sizeof *th->program);
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
	if (!asleep_asked(s) && (s->t->threads == THREADS_TRY ||
				    s->t->threads == THREADS_TRY_RAN)) {
		msg("only CPUs are sampled, and no threads: %s", why);
		return 0;
	}
	if (!asleep_asked(s)) {
		msg("--threads: %s", why);
		return -1;
	}
	s->asleep.sleeper = xcalloc(1, sizeof *s->asleep.sleeper);
	s->asleep.whole = xcalloc(1, sizeof *s->asleep.whole);
	return 0;
}

void
asleep_close(struct sampler *s)
{
	if (s->asleep.blind > 0)
		msg("%" PRIu64 " sample%s the threads that were not on a CPU: "
		    "the kernel's task list could not be read%s",
		    s->asleep.blind, s->asleep.blind == 1 ? " lacks" : "s lack",
		    s->asleep.seen && s->asleep.blind == s->asleep.early
			? " at first, which is normal early in the boot"
			: "");
	if (s->asleep.threads != NULL && s->asleep.crowd)
		msg("the guest has more than %d threads; the others are not "
		    "in the samples",
		    THREADS_MAX);
	threads_free(s->asleep.threads);
	listed_free(s->asleep.listed);
	if (s->asleep.sleeper != NULL)
		snap_done(&s->asleep.sleeper->snap);
	free(s->asleep.sleeper);
	free(s->asleep.whole);
}

bool
asleep_asked(const struct sampler *s)
{
	return s->asleep.threads != NULL || s->asleep.listed != NULL;
}

bool
asleep_is_brief(const struct sampler *s)
{
	return s->t->threads == THREADS_RAN || s->t->threads == THREADS_TRY_RAN;
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

/*
 * Linux' tables of the kernel, where the CPU is in a process and has others;
 * false: it has none. On aarch64 they are in places that its file tells.
 */
static bool
get_whole(struct sampler *s, const struct vcpu *c)
{
	struct vcpu *to = s->asleep.whole;
	uint64_t *low = &to->paging.reg[PAGING_LOW];
	uint64_t own, other;

	if (s->conn.outside == NULL)
		return false;
	to->paging = c->paging;
	to->regs.mode = UNWIND_MODE_KERNEL;
	if (s->guest.abi == &unwind_abis[UNWIND_X86_64] && *low & USER_TABLES) {
		*low &= ~(uint64_t)USER_TABLES;
		return true;
	}
	if (s->guest.abi != &unwind_abis[UNWIND_AARCH64] || !c->user ||
	    !object_find(s->t->image[0].sym, "swapper_pg_dir", &own) ||
	    !object_find(s->t->image[0].sym, "tramp_pg_dir", &other))
		return false;
	to->paging.reg[PAGING_HIGH] += own - other;
	return true;
}

/* Whether the CPU's page tables lead to the task list. */
static bool
sees_tasks(struct sampler *s, struct vcpu *c, const struct threads_guest *g)
{
	s->shot.view = c;
	if (!c->ok || c->early || c->firmware.at != 0 || c->firmware.physical)
		return false;
	if (found(s, g))
		return true;
	if (!get_whole(s, c))
		return false;
	s->shot.view = s->asleep.whole;
	return found(s, g);
}

void
asleep_take(struct sampler *s)
{
	const struct threads_guest g = {
	    s, reads_view, unwind, asleep_needs_stop(s), s->asleep.files};
	size_t i = 0;
	bool read;

	if (s->conn.outside != NULL)
		outside_forget(s->conn.outside);
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
	s->asleep.files = false;
	s->asleep.seen |= read;
	s->asleep.blind += !read;
	s->asleep.early += !s->asleep.seen;
	s->asleep.crowd |= s->asleep.threads && threads_cut(s->asleep.threads);
	s->shot.view = NULL;
}
