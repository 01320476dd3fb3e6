/* SPDX-License-Identifier: ISC */
#include "insn/arm.h"

#include "base/num.h"
#include "insn/arm_insn.h"

/* Registers that a function can save, and those that a call may change. */
enum { OWN = 0x5fff, CALL_WRITES = 0x500f };

/* Functions that are longer are not read. */
enum { CODE_MAX = 64 << 10 };

enum { NONE = 0xff };

struct frame {
	/* Registers with a known distance to the CFA: CFA = register + up. */
	uint32_t known;
	uint32_t up[ARM_REGS];
	uint32_t own;	/* registers as they were at the beginning */
	uint32_t saved; /* registers that are at CFA + at */
	uint32_t at[ARM_REGS];
	unsigned ra; /* the register that has the return address, */
	bool hidden; /* which may also be in memory */
	bool slot;   /* sp + slot_at has a pointer to CFA - slot_up */
	uint32_t slot_at, slot_up;
	bool entry, between; /* an exception's, before it is in its mode */
	/*
	 * The register that sp has been moved down by to align it, or that may
	 * be next; 0xff: none. It may be at sp + odd_at, too.
	 */
	unsigned odd, next_odd;
	bool odd_saved;
	uint32_t odd_at, unknown; /* registers that are saved below that */
};

static void
frame_move(struct frame *f, uint32_t down)
{
	f->up[ARM_SP] += down;
	f->slot_at += down;
	f->odd_at += down;
}

/* As frame_transfer(), where sp is aligned. */
static void
odd_transfer(struct frame *f, unsigned r, uint32_t off, bool load)
{
	const uint32_t bit = 1u << r;

	if (r == f->odd) {
		f->odd_saved = !load;
		f->odd_at = off;
	} else if (!load) {
		f->unknown |= f->own & ~f->saved & bit;
		f->own &= ~f->unknown;
	} else if (f->unknown & bit) {
		f->unknown &= ~bit;
		f->own |= bit;
	}
	f->known &= ~(load ? bit : 0);
}

/* A register that is stored at, or loaded from, sp + off. */
static void
frame_transfer(struct frame *f, unsigned r, uint32_t off, bool load)
{
	const uint32_t bit = 1u << r;
	const uint32_t at = off - f->up[ARM_SP];

	if (f->odd != NONE) {
		odd_transfer(f, r, off, load);
		return;
	}
	if (load && r < ARM_SP && (f->saved >> ARM_LR & 1) != 0 &&
	    f->at[ARM_LR] == at) {
		f->ra = r; /* for bx */
		f->saved &= ~(1u << ARM_LR);
	} else if (load && (f->saved & bit) != 0 && f->at[r] == at) {
		f->saved &= ~bit;
		f->own |= bit;
	} else if (!load && (f->known >> ARM_SP & 1) == 0 &&
		   (f->known & bit) != 0) {
		f->slot = true;
		f->slot_at = off;
		f->slot_up = f->up[r];
	} else if (!load && (f->own & ~f->saved & bit) != 0) {
		f->saved |= (f->known >> ARM_SP & 1) << r;
		f->hidden = f->hidden || r == ARM_LR;
		f->at[r] = at;
	}
	if (load)
		f->known &= ~bit;
}

/* A list of registers, which lies from sp + off upwards. */
static void
frame_list(struct frame *f, const struct arm_insn *i, uint32_t off)
{
	for (unsigned r = 0; r < ARM_REGS; r++)
		if (i->list >> r & 1) {
			frame_transfer(f, r, off, i->kind == ARM_POP);
			off += 4;
		}
}

/*
 * An exception's entry of Cortex-M may save the registers, with lr, at the
 * interrupted stack, to which another register than sp points, and take others
 * from there at its end.
 */
static void
frame_save(struct frame *f, const struct arm_insn *i)
{
	const uint32_t new = i->list & f->own & ~f->saved;
	uint32_t at;

	f->hidden = f->hidden || (new >> ARM_LR & 1) != 0;
	if ((f->known >> i->n & 1) == 0)
		return;
	f->up[i->n] += i->imm;
	at = -f->up[i->n];
	for (unsigned r = 0; r < ARM_REGS; r++)
		if (i->list >> r & 1) {
			if (new >> r & 1)
				f->at[r] = at;
			at += 4;
		}
	f->saved |= new;
}

static void
frame_load(struct frame *f, const struct arm_insn *i)
{
	f->known &= ~i->list;
	if ((i->list >> ARM_LR & 1) == 0)
		return;
	f->saved &= ~i->list;
	f->own |= i->list;
}

static void
frame_add(struct frame *f, const struct arm_insn *i)
{
	/* It may be d, too. */
	const uint32_t known =
	    (f->known >> i->n & 1) & !(i->n == ARM_SP && f->odd != NONE);

	/* Once it is saved, lr may have anything. */
	if (i->n == ARM_LR && (f->own & ~f->saved) >> ARM_LR & 1 && i->imm == 0)
		f->ra = i->d;
	else if (i->d == f->ra)
		f->ra = ARM_LR;
	f->own &= ~(1u << i->d);
	f->up[i->d] = f->up[i->n] - i->imm;
	f->known = (f->known & ~(1u << i->d)) | known << i->d;
}

/*
 * sp moves by what aligns it, down or back; by anything else it is lost. What
 * that is was found by the instruction before.
 */
static void
frame_align(struct frame *f, const struct arm_insn *i)
{
	if (i->kind == ARM_ODD) {
		if ((f->known >> i->n & 1) == 0 || f->up[i->n] != f->up[ARM_SP])
			return;
		f->next_odd = i->d;
		f->own &= ~(1u << i->d);
		f->known &= ~(1u << i->d);
	} else if (i->kind == ARM_DOWN && i->n == f->next_odd &&
		   f->odd == NONE) {
		f->odd = i->n;
		f->odd_saved = false;
	} else if (i->kind == ARM_UP && i->n == f->odd) {
		f->odd = NONE;
	} else {
		f->known &= ~(1u << ARM_SP);
	}
}

static void
frame_step(struct frame *f, const struct arm_insn *i)
{
	switch (i->kind) {
	case ARM_STORE:
		frame_list(f, i, i->imm);
		break;
	case ARM_PUSH:
		frame_move(f, i->imm);
		frame_list(f, i, 0);
		break;
	case ARM_POP:
		frame_list(f, i, 0);
		frame_move(f, -i->imm);
		break;
	case ARM_ADD:
	case ARM_SUB:
		if (i->d == ARM_SP && i->n == ARM_SP)
			frame_move(f, -i->imm);
		else
			frame_add(f, i);
		break;
	case ARM_SAVE:
		frame_save(f, i);
		break;
	case ARM_LOAD:
		frame_load(f, i);
		break;
	case ARM_ODD:
	case ARM_DOWN:
	case ARM_UP:
		frame_align(f, i);
		break;
	case ARM_SET:
		f->own &= ~(1u << i->d);
		f->known &= ~(1u << i->d);
		break;
	case ARM_STATE:
		frame_move(f, 8);
		f->entry = f->between = true;
		break;
	case ARM_MODE:
		f->between = false;
		break;
	case ARM_HIDE:
		f->hidden = f->hidden || (f->own >> ARM_LR & 1) != 0;
		break;
	case ARM_CALL:
		f->own &= ~(uint32_t)CALL_WRITES;
		f->known &= ~(uint32_t)CALL_WRITES;
		break;
	default:
		break;
	}
	/* Whether sp has moved is not known, as where it is aligned. */
	if (i->kind == ARM_LOSE ||
	    (i->maybe && (i->kind == ARM_PUSH || i->kind == ARM_POP ||
			     (i->imm != 0 && i->d == ARM_SP))))
		f->known &= ~(1u << ARM_SP);
}

/* sp is aligned: a call keeps the register by how much, or it is saved. */
static void
base_odd(const struct frame *f, struct caller *c)
{
	c->cfa = f->odd_saved ? CFA_SUM_WORD : CFA_SUM;
	c->word = (int32_t)f->odd_at;
	c->plus = (uint8_t)f->odd;
	c->keep &= ~(uint64_t)f->unknown;
}

/* The register, or the slot, by which the frame is found. */
static bool
frame_base(const struct frame *f, bool thumb, struct caller *c)
{
	/* Frame pointers, what else a call keeps, and what it does not. */
	const uint8_t bases[] = {ARM_SP, thumb ? 7 : 11, thumb ? 11 : 7, 4, 5,
	    6, 8, 9, 10, 0, 1, 2, 3, 12};

	for (size_t i = 0; i < sizeof bases; i++)
		if (f->known >> bases[i] & 1) {
			caller_init(c, bases[i], (int32_t)f->up[bases[i]]);
			if (i == 0 && f->odd != NONE)
				base_odd(f, c);
			return true;
		}
	caller_init(c, ARM_SP, (int32_t)f->slot_up);
	c->cfa = CFA_WORD;
	c->word = (int32_t)f->slot_at;
	return f->slot;
}

/* Whether the instruction can begin the end of a function. */
static bool
goes_up(const struct arm_insn *i)
{
	return i->kind == ARM_POP ||
	       ((i->kind == ARM_ADD || i->kind == ARM_SUB) && i->d == ARM_SP &&
		   (i->kind == ARM_ADD || i->n != ARM_SP));
}

/*
 * The end of a call of the tracer, which has come back before `at`; 0: k, after
 * an instruction, is not the place of one. What was pushed is lr alone.
 */
static size_t
traced(const struct arm_code *code, size_t k, size_t at,
    const struct arm_insn *push)
{
	uint32_t to;

	return code->tracer != 0 && push->kind == ARM_PUSH &&
		       push->list == 1u << ARM_LR && k + 4 <= at &&
		       k + 4 <= code->n &&
		       arm_branch(code->p + k, code->thumb,
			   code->start + (uint32_t)k, &to) &&
		       to == code->tracer
		   ? k + 4
		   : 0;
}

/* Reads the code up to a place in it. */
static void
frame_read(struct frame *f, const struct arm_code *code, size_t at)
{
	bool leaving = false, leaves;
	struct frame body; /* before the end of a function began */
	struct arm_insn i;
	unsigned it = 0;
	size_t end;

	for (size_t k = 0; k < at && k + 4 <= code->n;) {
		k += arm_insn_read(code->p + k, code->thumb, &it, &i);
		end = traced(code, k, at, &i);
		if (end != 0) {
			k = end;
			continue;
		}
		leaves = i.kind == ARM_LEAVE ||
			 (i.kind == ARM_POP && (i.list >> ARM_PC & 1) != 0);
		if (leaves && i.maybe)
			continue;
		if (!leaving && goes_up(&i)) {
			leaving = true;
			body = *f;
		}
		frame_step(f, &i);
		if (i.kind != ARM_ODD)
			f->next_odd = NONE;
		if (leaves && leaving)
			*f = body;
		leaving = leaving && !leaves && i.kind != ARM_CALL;
	}
}

bool
arm_frame(const struct arm_code *code, size_t at, struct caller *c)
{
	struct frame f = {.known = 1u << ARM_SP,
	    .own = OWN,
	    .ra = ARM_LR,
	    .odd = NONE,
	    .next_odd = NONE};
	bool lost;

	if (at > CODE_MAX)
		return false;
	frame_read(&f, code, at);
	lost = ((f.saved | f.own) >> ARM_LR & 1) == 0 && f.ra == ARM_LR &&
	       !f.entry;
	if ((!frame_base(&f, code->thumb, c) && !lost) || f.between ||
	    (lost && f.hidden))
		return false;
	c->interrupted = c->switched = f.entry;
	for (unsigned r = 0; r < ARM_REGS; r++)
		if (f.saved >> r & 1)
			caller_add(c, r, CALLER_AT, (int32_t)f.at[r]);
	if (f.entry) {
		caller_add(c, ARM_PC, CALLER_AT, -8);
		caller_add(c, CALLER_STATUS, CALLER_AT, -4);
	} else if (f.ra != ARM_LR) {
		c->switched = true; /* it may have no frame */
		caller_add(c, ARM_LR, CALLER_REG, f.ra);
	} else if (lost) {
		caller_add(c, ARM_LR, CALLER_LOST, 0);
	}
	return true;
}
