/* SPDX-License-Identifier: ISC */
/* Decides which memory to read, and when the guest may go on. */
#include "native/sampler.h"

#include "native/programs.h"
#include "native/asleep.h"
#include "native/firmware.h"
#include "native/reads.h"
#include <elf.h>
#include "elf/elfsym.h"
#include "wire/clock.h"
#include "guest/images.h"
#include "guest/sample.h"

enum { GUESS_MAX = 2048, GUESS_MORE = 256 };

/* At the files of a stack, each of which may lead to another one. */
enum { TRIES = 8 };

/* The most samples between two looks for a kernel that was found before. */
enum { WAITS_MAX = 63 };

/*
 * The parts of the stacks that are likely needed, to be read in the exchange
 * that stops the guest: those in use at the last sample.
 */
static void
guess(struct sampler *s)
{
	s->n_list = 0;
	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];
		uint64_t low = c->regs.r[s->abi->sp] - GUESS_MORE;

		snap_clear(&c->snap);
		c->translate = false;
		low &= ~(uint64_t)(GUESS_MORE - 1);
		if (c->known - low > GUESS_MAX)
			low = c->known - GUESS_MAX;
		if (s->guess && s->outside == NULL && c->known != 0)
			reads_range(s, c, low, c->known - low);
	}
}

/* Whether a CPU is in user mode, as far as its registers tell. */
static bool
in_user(const struct sampler *s, const struct vcpu *c)
{
	if (c->regs.mode != UNWIND_MODE_UNKNOWN)
		return c->regs.mode == UNWIND_MODE_USER;
	return c->regs.r[s->abi->pc] < s->kernel_base;
}

/*
 * Whether the CPU is in the firmware below the kernel: without a word from the
 * processor, where QEMU's machines have theirs.
 */
static bool
in_firmware(const struct sampler *s, const struct vcpu *c)
{
	uint64_t pc = c->regs.r[s->abi->pc];

	if (s->abi->machine != EM_RISCV || s->t->n_image == 0 ||
	    elfsym_covers(s->t->image[0].sym, pc))
		return false;
	return c->regs.mode == UNWIND_MODE_FIRMWARE ||
	       (c->regs.mode == UNWIND_MODE_UNKNOWN &&
		   sample_firmware(EM_RISCV, pc));
}

/*
 * Whether no CPU in the kernel is in a file, though the kernel was found: it
 * may go on at another address. Code of modules is in no file either: the more
 * often it was that, the later comes the next look.
 */
static bool
has_left(struct sampler *s)
{
	bool any = false;

	if (s->unsure || !s->t->check || s->t->n_image == 0)
		return false;
	for (size_t i = 0; i < s->n_cpu; i++) {
		const struct vcpu *c = &s->cpu[i];

		if (!c->ok || in_user(s, c) || in_firmware(s, c))
			continue;
		if (images_symbols(s->images, c->regs.r[s->abi->pc]) != NULL)
			return false;
		any = true;
	}
	if (!any || s->wait-- > 0)
		return false;
	s->waits = s->waits < WAITS_MAX ? 2 * s->waits + 1 : WAITS_MAX;
	s->wait = s->waits;
	return true;
}

/* Plans the reads of a CPU's stack, and whether it needs care. */
static void
plan_cpu(struct sampler *s, struct vcpu *c)
{
	uint64_t sp = c->regs.r[s->abi->sp], pc = c->regs.r[s->abi->pc];

	c->careful = c->entered = false;
	c->process = NULL;
	c->mm = 0;
	c->known = 0;
	c->user = c->ok && in_user(s, c);
	c->skip = c->user ? s->t->no_user : s->t->no_kernel;
	if (!c->ok || c->skip || c->early)
		return;
	/* Its memory is found only while it stands still. */
	c->careful = c->translate;
	if (c->careful)
		return;
	if (c->user && s->procs != NULL) {
		/* Its program decides how its stack is unwound. */
		reads_range(s, c, s->t->os->metadata, s->t->os->size);
		c->careful = true;
	}
	if (c->user && s->programs)
		reads_range(s, c, images_around(pc), IMAGES_AROUND);
	/* Memory tells which code it is, or has some that the last stack
	 * lacked. */
	if (s->programs || (c->user && s->t->tasks != NULL) ||
	    ((s->unsure || s->left) && !c->user) || c->stack.code ||
	    reads_lack_code(s, c, pc) ||
	    (c->regs.has_exception && !c->user &&
		reads_lack_code(s, c, c->regs.exception_pc)) ||
	    (c->regs.mode == UNWIND_MODE_FIRMWARE &&
		reads_lack_code(s, c, c->regs.machine_pc)))
		c->careful = true;
	if (s->t->stack_bytes != 0)
		reads_range(s, c, sp, s->t->stack_bytes);
	else if (!reads_stack(s, c, sp))
		c->careful = true;
}

/*
 * Plans the reads of all stacks; returns whether none is left to chance. The
 * CPU whose registers came last is first: a stub need not be told of it again.
 */
static bool
plan(struct sampler *s)
{
	bool sure = true;

	s->n_list = 0;
	s->left = has_left(s);
	for (size_t i = s->n_cpu; i-- > 0;) {
		plan_cpu(s, &s->cpu[i]);
		s->cpu[i].waits = s->cpu[i].careful;
		sure = sure && !s->cpu[i].careful;
	}
	return sure;
}

/* What a stack teaches about the next one at its place. */
static void
learn(struct sampler *s, const struct vcpu *c)
{
	uint64_t sp = c->regs.r[s->abi->sp];
	const struct unwind_stack *st = &c->stack;

	if (!c->careful) {
		if (st->end == UNWIND_WINDOW)
			extents_forget(&s->stacks, sp);
	} else if (vcpu_complete(c) && st->top - sp < WINDOW_MAX) {
		extents_learn(&s->stacks, sp, st->top);
	}
}

int
sampler_confirm(struct sampler *s)
{
	bool tried = false, found = !s->unsure && !s->left;

	for (size_t i = 0; i < s->n_cpu && !found; i++) {
		s->now = &s->cpu[i];
		if (!s->now->ok || in_user(s, s->now) || in_firmware(s, s->now))
			continue;
		tried = true;
		found = images_confirm(s->images, s->now->regs.r[s->abi->pc]);
		s->waits = found ? 0 : s->waits;
	}
	s->now = NULL;
	s->unsure = s->unsure && !found;
	return !s->unsure ? 0 : tried ? -1 : 1;
}

/* A CPU whose stack nobody can unwind: its program counter alone. */
static void
no_stack(struct vcpu *c, uint64_t pc)
{
	c->stack.n = 1;
	c->stack.frame[0] = (struct unwind_frame){.pc = pc, .exact = true};
	c->stack.end = UNWIND_ROOT;
	c->stack.bad = c->stack.top = 0;
}

/* Whether a CPU of x86 may be one that the kernel has not started yet. */
static bool
in_bios(const struct sampler *s, const struct vcpu *c)
{
	return s->abi->x86 && s->t->n_image > 0 && !c->regs.paged;
}

/*
 * Until the kernel's code has been seen, a CPU is in the firmware or in a
 * loader, or in code of the kernel's that is not yet where its file says.
 */
static void
look_early(struct sampler *s)
{
	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];
		uint64_t pc = c->regs.r[s->abi->pc];

		if (c->user || c->early)
			continue;
		if ((s->t->start || in_bios(s, c)) &&
		    images_symbols(s->images, pc) == NULL &&
		    sample_firmware(s->abi->machine, pc))
			c->early = "[firmware]";
		else if (s->t->start && s->unsure)
			c->early = "[boot]";
		if (c->early)
			no_stack(c, pc);
	}
}

/* Unwinds the stack of a CPU that stands still. */
static void
unwind_now(struct sampler *s, struct vcpu *c)
{
	s->now = c;
	c->waits = false;
	c->n_program = 0;
	programs_process(s, c);
	reads_unwind(s, c);
	s->now = NULL;
	for (size_t i = 0; i < c->n_program; i++)
		images_use(&c->program[i], false);
}

/*
 * Unwinds the stacks of the CPUs that need care. What one lacks is read
 * together with what others lack; then it is unwound anew.
 */
static int
unwind_careful(struct sampler *s)
{
	size_t planned = s->n_list, begin;
	int status = 0;

	do {
		begin = s->n_list;
		for (size_t i = s->n_cpu; i-- > 0;)
			if (s->cpu[i].waits && !s->cpu[i].early)
				unwind_now(s, &s->cpu[i]);
		if (s->n_list > begin)
			status =
			    reads_list(s, s->list + begin, s->n_list - begin);
	} while (s->n_list > begin && status == 0);
	reads_learn(s, planned);
	return status;
}

/* A CPU in the firmware, which tells nothing of what it has interrupted. */
static void
no_firmware(struct sampler *s, struct vcpu *c, uint64_t pc)
{
	c->early = "[firmware]";
	no_stack(c, pc);
	if (!s->t->start)
		c->stack.end = UNWIND_FIRMWARE;
}

/*
 * A CPU in the firmware below the kernel is led on to what the firmware has
 * interrupted: a kernel that calls it waits for it.
 */
static void
leave_firmware(struct sampler *s)
{
	/* Of 64 bits: that of 32 and its page tables were never seen. */
	const bool known = s->abi->word == 8;

	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];
		uint64_t pc = c->regs.r[s->abi->pc];

		c->early = NULL;
		c->firmware = 0;
		c->physical = c->ok && in_firmware(s, c);
		if (c->ok && !in_firmware(s, c))
			c->translate = known && firmware_translates(c);
		else if (c->ok && !(known && firmware_leave(c, reads_bytes, s)))
			no_firmware(s, c, pc);
	}
}

static int
take_all(struct sampler *s)
{
	bool sure;

	guess(s);
	if (reads_stop(s, s->list, s->n_list) != 0)
		return -1;
	leave_firmware(s);
	sure = plan(s) && !asleep_needs_stop(s);
	if (reads_list(s, s->list, s->n_list) != 0)
		return -1;
	if (!sure && sampler_confirm(s) < 0 && !s->t->start) {
		images_refuse(s->images);
		s->refused = true;
		return -1;
	}
	look_early(s);
	if (!sure && unwind_careful(s) != 0)
		return -1;
	if (asleep_needs_stop(s))
		asleep_take(s);
	if (s->hold) {
		s->stopped = clock_now() - s->stop.asked;
		return 0;
	}
	stood_look(&s->stood, &s->stop, &s->monitor);
	if (s->ops->go(s) != 0)
		return -1;
	s->stopped = stood_add(&s->stood, &s->stop);
	return 0;
}

/* *cut: a stack goes on beyond what was read of it, and is no longer there. */
static int
take_once(struct sampler *s, bool *cut)
{
	*cut = false;
	if (take_all(s) != 0)
		return -1;
	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];

		if (!c->ok || c->skip || c->early)
			continue;
		if (!c->careful) {
			reads_unwind(s, c);
			*cut |= c->stack.end == UNWIND_WINDOW;
		}
		if (s->t->stack_bytes == 0)
			learn(s, c);
	}
	return 0;
}

int
sampler_take(struct sampler *s)
{
	uint64_t stopped = 0;
	bool cut, lacks;
	int i = 0;

	do {
		if (take_once(s, &cut) != 0)
			return -1;
		s->stopped += stopped;
		stopped = s->stopped;
		lacks = images_load(s->images);
		/* Another one at once: with that stack read to its end. */
		cut = cut && s->t->stack_bytes == 0 && !s->hold && i == 0;
	} while (++i < TRIES && (cut || lacks));
	if (asleep_asked(s) && !asleep_needs_stop(s))
		asleep_take(s);
	return 0;
}
