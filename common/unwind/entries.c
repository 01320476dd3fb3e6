/* SPDX-License-Identifier: ISC */
/* The stages by rules for functions, and by the code of entries. */
#include "unwind/entries.h"

#include "set/bound.h"
#include "insn/entry.h"
#include "insn/risc.h"
#include "insn/insn.h"
#include "insn/x86_frame.h"
#include "unwind/read.h"
#include "unwind/walk.h"
#include "unwind/walk_arm.h"

/* Bit 1 of the flags is always set; 3, 5, 15 and those above 31 never. */
static const uint64_t FLAGS_FIXED = 0xffffffff0000802a, FLAGS_SET = 2;

/* What Linux' execve() leaves of them, until the program runs. */
enum { FLAGS_NEW = 0x200 };

/* From a vector to the code that all share, and on to its end. */
enum { JUMPS = 4 };

bool
walk_flags(struct walk *w, uint64_t at)
{
	const uint64_t n = w->u->abi->word;
	uint64_t cs, flags;

	return walk_memory(w, at, &cs) == 0 &&
	       walk_memory(w, at + n, &flags) == 0 && cs != 0 && cs <= 0xffff &&
	       (cs & 4) == 0 &&
	       ((flags & FLAGS_FIXED) == FLAGS_SET ||
		   (flags == FLAGS_NEW && (cs & 3) == 3));
}

/* `sure`: it is the place for that, and not one at which they may be. */
static bool
pushed(struct walk *w, uint64_t at, uint64_t cfa, bool sure)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t n = abi->word;
	const int64_t off = (int64_t)(at - cfa);
	uint64_t rip, cs, sp = at + 3 * n, ss = 0;
	bool has_sp;

	if (!abi->x86 || walk_memory(w, at, &rip) != 0 || rip == 0 ||
	    !walk_flags(w, at + n) || walk_memory(w, at + n, &cs) != 0)
		return false;
	/* In 32 bits the stack pointer is pushed in user mode alone. */
	has_sp = n == 8 || (cs & 3) != 0;
	if (has_sp && (walk_memory(w, at + 3 * n, &sp) != 0 ||
			  walk_memory(w, at + 4 * n, &ss) != 0))
		return false;
	if (ss > 0xffff || (sp & (n - 1)) != 0 || sp == 0)
		return false;
	/* A return address may be interrupted, too: on the same stack. */
	if (!sure && (!has_sp || sp - (at + 5 * n) > 8) &&
	    walk_is_return(w, rip))
		return false;
	caller_add(&w->made, abi->pc, CALLER_AT, off);
	caller_add(&w->made, abi->sp, has_sp ? CALLER_AT : CALLER_VALUE,
	    off + 3 * (int64_t)n);
	w->made.interrupted = true;
	return true;
}

bool
walk_pushed(struct walk *w, uint64_t at, uint64_t cfa)
{
	return pushed(w, at, cfa, false);
}

/* Reads on, over jumps, to where the code leaves an interrupt. */
static bool
finds_iret(const struct walk *w, struct x86_iret *s)
{
	uint64_t pc = w->regs.r[w->u->abi->pc];
	uint8_t code[ENTRY_CODE];

	*s = (struct x86_iret){.bp = X86_IRET_NO_BP};
	for (int i = 0; i < JUMPS; i++) {
		const struct unwind_module *m = unwinder_find(w->u, pc);
		size_t n = 0;

		if (m != NULL)
			n = uelf_bytes(m->e, pc - m->bias, code, sizeof code);
		switch (x86_iret(code, n, s)) {
		case X86_IRET_FOUND:
			return s->up >= 0;
		case X86_IRET_JUMP:
			pc += (uint64_t)(int64_t)s->to;
			break;
		default:
			return false;
		}
	}
	return false;
}

/*
 * An entry of i386, a function without a frame record whose code leads to iret:
 * that tells where what the processor has pushed is.
 */
static enum stage_result
i386_entry(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const struct function f = walk_function(w->m, w->lookup);
	const uint64_t sp = w->regs.r[abi->sp];
	struct x86_iret s;
	bool half;

	if (!walk_knows(w, abi->sp) || f.code == NULL ||
	    x86_record(f.code, f.n, f.n, abi->word, &half) ||
	    !finds_iret(w, &s))
		return STAGE_NEXT;
	caller_init(&w->made, abi->sp, 0);
	w->made.keep = 1ULL << abi->fp;
	w->made.switched = true;
	if (s.bp >= 0) /* else it is not saved yet */
		caller_add(&w->made, abi->fp, CALLER_AT, s.bp);
	if (!pushed(w, sp + (uint64_t)s.up, sp, true))
		return STAGE_NEXT;
	caller_add(&w->made, CALLER_STATUS, CALLER_AT, s.up + abi->word);
	return STAGE_FOUND;
}

/*
 * An entry of x86_64: what the processor has pushed is where it was at the
 * entry's beginning, with an error code and a number or without, or where a
 * rule has it in the end.
 */
static bool
x86_entry(struct walk *w, const struct caller *rule)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t sp = w->regs.r[abi->sp];
	struct caller c;
	const bool by_sp = walk_by_code(w, &c) && c.cfa_reg == abi->sp;
	const struct caller_rule *fp = by_sp ? caller_find(&c, abi->fp) : NULL;
	const uint64_t moved = by_sp ? (uint64_t)c.cfa_off - 8 : 0;
	const uint64_t places[] = {moved, moved + 8, moved + 16, 8,
	    rule ? (uint64_t)caller_find(rule, abi->pc)->off : 16};

	caller_init(&w->made, abi->sp, 0);
	w->made.keep = rule ? 0 : 1ULL << abi->fp;
	w->made.switched = true;
	if (fp != NULL)
		caller_add(&w->made, abi->fp, CALLER_AT, c.cfa_off + fp->off);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (walk_pushed(w, sp + places[i], sp)) {
			caller_add(&w->made, CALLER_STATUS, CALLER_AT,
			    (int64_t)places[i] + 8);
			return true;
		}
	w->no_code = 0; /* a word that is not an address has none */
	return false;
}

enum stage_result
stage_rule(struct walk *w)
{
	const struct unwind_module *m = w->m;
	const uint64_t addr = m != NULL ? w->lookup - m->bias : 0;
	const struct unwind_rule *r;
	size_t i;

	if (m == NULL)
		return STAGE_NEXT;
	i = bound_above(m->rule, m->n_rule, sizeof *m->rule,
	    offsetof(struct unwind_rule, start), addr);
	if (i == 0 || addr >= m->rule[i - 1].end)
		return STAGE_NEXT;
	r = &m->rule[i - 1];
	if (r->root)
		return walk_end(w, UNWIND_ROOT);
	/* Until an entry calls, it has not saved all registers. */
	if (w->exact)
		return w->u->arch == UNWIND_X86_64 && x86_entry(w, &r->entry)
			   ? STAGE_FOUND
			   : walk_end(w, UNWIND_UNSAVED);
	w->caller = &r->entry;
	return STAGE_FOUND;
}

/* Where an entry's code begins around an address, and how much; 0: unknown. */
static uint64_t
entry_code(const struct unwinder *u, const struct unwind_module *m,
    uint64_t addr, size_t *n)
{
	const struct function f = walk_function(m, addr);

	*n = f.size < ENTRY_CODE ? (size_t)f.size : ENTRY_CODE;
	if (u->arch == UNWIND_AARCH64 && f.size > 0 && (f.start & 0x7ff) == 0)
		return addr & ~127ULL; /* one of 16 vectors */
	return f.start;
}

/* Whether the word at an address returns from a call of the function. */
static bool
returns_from(struct walk *w, uint64_t at, uint64_t start)
{
	uint64_t ra;
	uint8_t p[8];

	return walk_memory(w, at, &ra) == 0 &&
	       walk_code(w, ra - sizeof p, p, sizeof p) == sizeof p &&
	       riscv_called(p, ra) == start;
}

/*
 * Whether a machine mode's last exception came from outside of the kernel.
 * Which program's code is there may have changed since.
 */
static bool
from_outside(const struct walk *w)
{
	const struct unwind_module *m = unwinder_find(w->u, w->last);

	return w->regs.mode == UNWIND_MODE_FIRMWARE && w->last != 0 &&
	       w->m != NULL && !w->m->program && (m == NULL || m->program);
}

/*
 * An entry of riscv, as xv6's, whose handler keeps the pc: sepc, or mepc, still
 * has it unless another exception came since. The interrupted function's return
 * address, in ra or in its frame record, is that of a call of it.
 */
static enum stage_result
last_exception(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const struct caller_rule *fp = caller_find(&w->made, abi->fp);
	const uint64_t sp = w->regs.r[abi->sp];
	const struct function f =
	    walk_function(unwinder_find(w->u, w->last), w->last);
	uint64_t frame;

	if (f.size == 0 || !abi->riscv ||
	    (!returns_from(w,
		 sp + (uint64_t)caller_find(&w->made, abi->ra)->off, f.start) &&
		(fp == NULL ||
		    walk_memory(w, sp + (uint64_t)fp->off, &frame) != 0 ||
		    !returns_from(w, frame - abi->word, f.start))))
		return walk_end(
		    w, from_outside(w) ? UNWIND_USER : UNWIND_UNSAVED);
	caller_add(&w->made, abi->pc, CALLER_IS, (int64_t)w->last);
	return STAGE_FOUND;
}

/*
 * A function of x86_64 without a frame record, in a file whose functions have
 * them, or at whose first instructions it is not there yet: its return address
 * is where its code tells, or else it is an entry.
 */
static enum stage_result
x86_unframed(struct walk *w)
{
	const struct function f = walk_function(w->m, w->lookup);
	const size_t before = f.at < f.n ? (size_t)f.at : f.n;
	enum stage_result r;
	bool pushed;

	if (!w->m->frames || f.code == NULL)
		return STAGE_NEXT;
	if (x86_record(f.code, f.n, f.n, 8, &pushed))
		return w->exact &&
			       !x86_record(f.code, f.n, before, 8, &pushed) &&
			       x86_entry(w, NULL)
			   ? STAGE_FOUND
			   : STAGE_NEXT;
	r = x86_entry(w, NULL) ? STAGE_FOUND : walk_by_return(w);
	return r == STAGE_END ? walk_end(w, UNWIND_UNPROVEN) : r;
}

bool
walk_at_vector(const struct walk *w, const struct unwind_regs *regs)
{
	const bool machine = regs->mode == UNWIND_MODE_FIRMWARE;
	const uint64_t to = machine ? regs->machine_vector : regs->vector;
	const uint64_t pc = regs->r[w->u->abi->pc];

	if (to == 0 || !(machine ? regs->has_machine : regs->has_exception))
		return false;
	if (w->u->arch == UNWIND_AARCH64)
		return pc - to < 16 * 128 && (pc & 127) == 0;
	/* One for all, or one of 4 bytes for each interrupt. */
	return pc == (to & ~3ULL) ||
	       ((to & 1) != 0 && pc - to < 256 && (pc & 3) == 0);
}

/* A CPU that has taken an exception, and nothing else: all is as it was. */
enum stage_result
stage_vector(struct walk *w)
{
	const struct unwind_regs *regs = &w->regs;
	const bool machine = regs->mode == UNWIND_MODE_FIRMWARE;

	if (w->u->abi->arm)
		return walk_arm_exception(w);
	if (!w->exact || !walk_at_vector(w, regs))
		return STAGE_NEXT;
	caller_init(&w->made, w->u->abi->sp, 0);
	w->made.interrupted = w->made.switched = true;
	caller_add(&w->made, w->u->abi->pc, CALLER_IS,
	    (int64_t)(machine ? regs->machine_pc : regs->exception_pc));
	caller_add(&w->made, CALLER_STATUS, CALLER_IS,
	    (int64_t)(machine ? regs->machine_status : regs->exception_status));
	if (w->u->arch == UNWIND_AARCH64 && regs->thread_sp != 0) {
		w->made.own_sp = true;
		w->made.user_sp = (struct caller_rule){
		    w->u->abi->sp, CALLER_IS, (int64_t)regs->thread_sp};
	}
	return STAGE_FOUND;
}

/* By the function's code in memory, or in the file. */
static enum entry_found
find_entry(struct walk *w, bool file)
{
	struct entry_place p = {.arch = w->u->arch, .exact = w->exact};
	uint8_t code[ENTRY_CODE];
	enum entry_found found;
	uint64_t start;

	if (w->m == NULL || (p.arch != UNWIND_AARCH64 && !w->u->abi->riscv))
		return ENTRY_NONE;
	start = entry_code(w->u, w->m, w->lookup, &p.n);
	if (start == 0)
		return ENTRY_NONE;
	p.code = code;
	p.n = file ? uelf_bytes(w->m->e, start - w->m->bias, code, p.n)
		   : walk_code(w, start, code, p.n);
	p.at = w->regs.r[w->u->abi->pc] - start;
	found = kpti_find(&p, &w->regs, &w->made);
	if (found != ENTRY_NONE)
		return found;
	found = entry_find(&p, &w->regs, &w->made, &w->switched);
	/* Where it has saved them is not known without sp. */
	return found == ENTRY_FOUND && !w->exact &&
		       !walk_knows(w, w->u->abi->sp)
		   ? ENTRY_UNSAVED
		   : found;
}

/*
 * Linux' trampoline of aarch64, in a page that no file is known to have: it is
 * mapped a second time, and not every kernel has symbols for it.
 */
static enum entry_found
find_trampoline(struct walk *w)
{
	struct entry_place p = {.arch = w->u->arch, .exact = w->exact};
	const uint64_t pc = w->regs.r[w->u->abi->pc], start = pc & ~127ULL;
	uint8_t code[256];

	if (p.arch != UNWIND_AARCH64 || !w->exact ||
	    walk_function(w->m, w->lookup).size > 0 ||
	    w->regs.mode != UNWIND_MODE_KERNEL)
		return ENTRY_NONE;
	p.code = code;
	p.at = pc - start;
	w->any_code = true;
	/* Only of the CPU's page: the next one may be a device's. */
	p.n = walk_code(w, start, code,
	    start % 4096 > 4096 - sizeof code ? 128 : sizeof code);
	w->any_code = false;
	w->no_code = 0;
	return kpti_find(&p, &w->regs, &w->made);
}

bool
walk_file_entry(struct walk *w)
{
	return find_entry(w, true) == ENTRY_FOUND;
}

enum stage_result
stage_entry(struct walk *w)
{
	enum entry_found found;

	if (w->m != NULL && w->u->arch == UNWIND_X86_64)
		return x86_unframed(w);
	if (w->m != NULL && w->u->arch == UNWIND_I386)
		return i386_entry(w);
	found = find_entry(w, false);
	switch (found != ENTRY_NONE ? found : find_trampoline(w)) {
	case ENTRY_FOUND:
		return STAGE_FOUND;
	case ENTRY_CALLED:
		return last_exception(w);
	case ENTRY_UNSAVED:
		return walk_end(w, UNWIND_UNSAVED);
	default:
		return STAGE_NEXT;
	}
}
