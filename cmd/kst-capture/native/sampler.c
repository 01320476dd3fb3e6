/* SPDX-License-Identifier: ISC */
/* A sample, from the request to stop to the request to go. */
#include "native/sampler.h"

#include "native/programs.h"
#include "native/asleep.h"
#include "native/firmware.h"
#include "native/reads.h"
#include <elf.h>
#include <string.h>
#include "base/num.h"
#include "elf/elfsym.h"
#include "wire/clock.h"
#include "guest/images.h"
#include "guest/sample.h"
#include "linux/modules.h"

/* At the files of a stack, each of which may lead to another one. */
enum { TRIES = 8 };

/* The most samples between two looks for a kernel that was found before. */
enum { WAITS_MAX = 63 };

/* Whether a CPU is in user mode, as far as its registers tell. */
static bool
in_user(const struct sampler *s, const struct vcpu *c)
{
	if (c->regs.mode != UNWIND_MODE_UNKNOWN)
		return c->regs.mode == UNWIND_MODE_USER;
	return c->regs.r[s->guest.abi->pc] < s->guest.kernel_base;
}

/*
 * Whether the CPU is in machine mode, whose traps lead to the kernel: no
 * firmware is below that, and other code is that of its programs.
 */
static bool
owns_machine(const struct sampler *s, const struct vcpu *c)
{
	return c->regs.mode == UNWIND_MODE_FIRMWARE && s->t->n_image > 0 &&
	       elfsym_covers(
		   s->t->image[0].sym, c->regs.machine_vector & ~UINT64_C(3));
}

/*
 * Whether the CPU is in the firmware below the kernel: without a word from the
 * processor, where QEMU's machines have theirs.
 */
static bool
in_firmware(const struct sampler *s, const struct vcpu *c)
{
	uint64_t pc = c->regs.r[s->guest.abi->pc];

	if (s->guest.abi->machine != EM_RISCV || s->t->n_image == 0 ||
	    elfsym_covers(s->t->image[0].sym, pc) || owns_machine(s, c))
		return false;
	return c->regs.mode == UNWIND_MODE_FIRMWARE ||
	       (c->regs.mode == UNWIND_MODE_UNKNOWN &&
		   sample_firmware(EM_RISCV, pc));
}

/* Whether code there has a name: that of a file, or of a module of Linux. */
static bool
is_known(const struct sampler *s, uint64_t pc)
{
	return images_symbols(s->guest.images, pc) != NULL ||
	       modules_symbols(s->guest.modules, pc) != NULL;
}

/* A kernel of the upper half does not stay below it. */
static bool
is_loader(const struct sampler *s, const struct vcpu *c)
{
	return s->guest.abi->word == 8 && s->guest.kernel_base >> 63 != 0 &&
	       c->regs.r[s->guest.abi->pc] >> 63 == 0;
}

/*
 * Whether a CPU of x86 has left its page tables, as a reset makes it: another
 * base may be chosen then, of which a part is where the kernel was before.
 */
static bool
was_reset(struct sampler *s)
{
	bool any = false;

	for (size_t i = 0; s->guest.abi->x86 && i < s->shot.n_cpu; i++) {
		struct vcpu *c = &s->shot.cpu[i];

		if (!c->ok)
			continue;
		any |= c->paged && !c->regs.paged;
		c->paged = c->regs.paged;
	}
	return any && s->t->n_image > 0;
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

	if (s->guest.unsure || s->t->n_image == 0)
		return false;
	for (size_t i = 0; i < s->shot.n_cpu; i++) {
		const struct vcpu *c = &s->shot.cpu[i];

		if (!c->ok || in_user(s, c) || in_firmware(s, c) ||
		    is_loader(s, c) || owns_machine(s, c))
			continue;
		if (is_known(s, c->regs.r[s->guest.abi->pc]))
			return false;
		any = true;
	}
	if (!any || s->guest.wait-- > 0)
		return false;
	s->guest.waits =
	    s->guest.waits < WAITS_MAX ? 2 * s->guest.waits + 1 : WAITS_MAX;
	s->guest.wait = s->guest.waits;
	return true;
}

/* Where a CPU is, of what its registers tell. */
static void
look_at(struct sampler *s, struct vcpu *c)
{
	c->runs.entered = false;
	c->runs.process = NULL;
	c->runs.mm = 0;
	c->user = c->ok && in_user(s, c);
	c->skip = c->user ? s->t->no_user : s->t->no_kernel;
}

int
sampler_confirm(struct sampler *s)
{
	bool tried = false,
	     found = !s->guest.unsure && !s->shot.left && !s->guest.again;

	for (size_t i = 0; i < s->shot.n_cpu && !found; i++) {
		s->shot.now = &s->shot.cpu[i];
		if (!s->shot.now->ok || in_user(s, s->shot.now) ||
		    in_firmware(s, s->shot.now) ||
		    (s->guest.again && is_loader(s, s->shot.now)))
			continue;
		tried = true;
		found = images_confirm(s->guest.images,
		    owns_machine(s, s->shot.now)
			? s->shot.now->regs.machine_vector & ~UINT64_C(3)
			: s->shot.now->regs.r[s->guest.abi->pc]);
		if (found)
			s->guest.waits = s->guest.wait = 0;
	}
	s->shot.now = NULL;
	s->guest.unsure = s->guest.unsure && !found;
	s->guest.again = s->guest.again && !found;
	return !s->guest.unsure ? 0 : tried ? -1 : 1;
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

/*
 * Whether a CPU may be one that the kernel has not started yet: of x86, or of
 * aarch64 below the kernel, without page tables.
 */
static bool
in_bios(const struct sampler *s, const struct vcpu *c)
{
	if (s->t->n_image == 0)
		return false;
	if (s->guest.abi->machine == EM_AARCH64)
		return (c->paging.seen >> PAGING_ON & 1) != 0 &&
		       (c->paging.reg[PAGING_ON] & 1) == 0 &&
		       c->regs.r[s->guest.abi->pc] < s->guest.kernel_base;
	return s->guest.abi->x86 && !c->regs.paged;
}

/*
 * Until the kernel's code has been seen, a CPU is in the firmware or in a
 * loader, or in code of the kernel's that is not yet where its file says.
 */
static void
look_early(struct sampler *s)
{
	for (size_t i = 0; i < s->shot.n_cpu; i++) {
		struct vcpu *c = &s->shot.cpu[i];
		uint64_t pc = c->regs.r[s->guest.abi->pc];

		if (c->user || c->early)
			continue;
		if ((s->t->start || in_bios(s, c)) &&
		    images_symbols(s->guest.images, pc) == NULL &&
		    !owns_machine(s, c) &&
		    sample_firmware(s->guest.abi->machine, pc))
			c->early = "[firmware]";
		else if (s->t->start && s->guest.unsure)
			c->early = "[boot]";
		if (c->early)
			no_stack(c, pc);
	}
}

/*
 * A CPU in a page of the kernel that is mapped twice, or in unknown code, may
 * be on its way between a program and the kernel, with the program's registers
 * in others.
 */
static void
ask_spare(struct sampler *s, struct vcpu *c, uint64_t pc)
{
	memset(c->regs.has_spare, 0, sizeof c->regs.has_spare);
	if (s->conn.ops->spare != NULL && !s->shot.failed && !c->user &&
	    !s->guest.unsure && s->t->n_image > 0 &&
	    (images_own(s->guest.images, pc) != pc || !is_known(s, pc)))
		s->shot.failed |= s->conn.ops->spare(s, c) != 0;
}

/* Unwinds the stack of a CPU, and finds out what it runs. */
static void
unwind(struct sampler *s, struct vcpu *c)
{
	struct unwind_stack *st = &c->stack;
	const uint64_t pc = c->regs.r[s->guest.abi->pc];

	s->shot.now = c;
	c->runs.n_program = 0;
	programs_process(s, c);
	if (!c->user && !s->guest.unsure && !is_known(s, pc))
		images_page(s->guest.images, pc);
	ask_spare(s, c, pc);
	unwinder_run(s->guest.u, &c->regs, reads_word, s, st);
	if (st->end == UNWIND_MEMORY && reads_cut(s, c, st->bad))
		st->end = UNWIND_WINDOW;
	s->shot.now = NULL;
	for (size_t i = 0; i < c->runs.n_program; i++)
		images_use(&c->runs.program[i], false);
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
	const bool known = s->guest.abi->word == 8;

	for (size_t i = 0; i < s->shot.n_cpu; i++) {
		struct vcpu *c = &s->shot.cpu[i];
		uint64_t pc = c->regs.r[s->guest.abi->pc];

		c->early = NULL;
		c->firmware.at = 0;
		c->firmware.physical = c->ok && in_firmware(s, c);
		if (c->ok && !in_firmware(s, c))
			c->firmware.translate = known && firmware_translates(c);
		else if (c->ok && !(known && firmware_leave(c, reads_bytes, s)))
			no_firmware(s, c, pc);
	}
}

/* What is done while the guest stands still. */
static int
read_all(struct sampler *s)
{
	modules_doubt(s->guest.modules);
	leave_firmware(s);
	for (size_t i = 0; i < s->shot.n_cpu; i++)
		look_at(s, &s->shot.cpu[i]);
	s->guest.again |= was_reset(s);
	s->shot.left = has_left(s);
	if (sampler_confirm(s) < 0 && !s->t->start) {
		images_refuse(s->guest.images);
		s->guest.refused = true;
		return -1;
	}
	look_early(s);
	reads_stacks(s);
	for (size_t i = s->shot.n_cpu; i-- > 0;)
		if (vcpu_unwinds(&s->shot.cpu[i]))
			unwind(s, &s->shot.cpu[i]);
	if (asleep_needs_stop(s))
		asleep_take(s);
	return s->shot.failed ? -1 : 0;
}

/*
 * Whether a CPU with these four bytes before its program counter may wait for
 * an interrupt, or for another CPU to start it; zeros are before a kernel's
 * entry.
 */
static bool
waits_after(const struct unwind_abi *abi, const uint8_t *code)
{
	const uint32_t word = (uint32_t)uint_load(code, 4, false);

	if (word == 0)
		return true;
	if (abi->x86) /* hlt, mwait */
		return code[3] == 0xf4 || word >> 8 == 0xc9010f;
	if (abi->riscv) /* wfi */
		return word == 0x10500073;
	if (abi->machine == EM_AARCH64) /* hints, wfit, hvc and smc */
		return (word & 0xfffff01f) == 0xd503201f ||
		       (word & 0xffffffc0) == 0xd5031000 ||
		       (word & 0xffe0001c) == 0xd4000000;
	return true;
}

/*
 * Whether the protocol has to be asked if a CPU is halted. One that was found
 * running halts by an instruction, or is reset to where none is before it.
 */
static bool
must_ask(struct sampler *s, struct vcpu *c)
{
	uint8_t code[4];

	if (!c->ok || strstr(c->extra, "[running]") == NULL)
		return c->ok;
	return c->firmware.at != 0 || c->early ||
	       (s->guest.abi->x86 && !c->regs.paged) ||
	       reads_bytes(s, c, c->regs.r[s->guest.abi->pc] - sizeof code,
		   code, sizeof code) != 0 ||
	       waits_after(s->guest.abi, code);
}

/* Adds for how long the guest stood to s->shot.stopped. */
static int
take_once(struct sampler *s)
{
	if (reads_stop(s) != 0 || read_all(s) != 0)
		return -1;
	if (s->conn.hold) {
		s->shot.stopped += clock_now() - s->shot.stop.asked;
		return 0;
	}
	for (size_t i = 0; i < s->shot.n_cpu && s->conn.outside; i++)
		s->shot.cpu[i].asked = must_ask(s, &s->shot.cpu[i]);
	reads_look_again(s);
	stood_look(&s->conn.stood, &s->shot.stop, &s->conn.monitor);
	if (s->conn.ops->go(s) != 0)
		return -1;
	s->shot.stopped += stood_add(&s->conn.stood, &s->shot.stop);
	return 0;
}

/* The files that stacks lead to are read while the guest runs. */
static bool
load_files(struct sampler *s)
{
	const bool any = images_load(s->guest.images);

	s->asleep.files |= any;
	return any;
}

int
sampler_take(struct sampler *s)
{
	int i = 0;

	s->shot.stopped = 0;
	do
		if (take_once(s) != 0)
			return -1;
	while (load_files(s) && ++i < TRIES);
	i = 0;
	if (asleep_asked(s) && !asleep_needs_stop(s))
		do
			asleep_take(s);
		while (load_files(s) && ++i < TRIES);
	return 0;
}
