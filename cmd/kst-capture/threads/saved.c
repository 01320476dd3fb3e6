/* SPDX-License-Identifier: ISC */
/* Where each processor's switch of tasks keeps registers, by their BTF names.
 */
#include "threads/saved.h"

#include "base/num.h"
#include "linux/btf.h"

/* A register by its DWARF number, and the member that it is kept in. */
struct saved_word {
	uint8_t reg;
	const char *member;
};

#define STACKED(name) "inactive_task_frame." name
static const struct saved_word x86_64[] = {{16, STACKED("ret_addr")},
    {6, STACKED("bp")}, {3, STACKED("bx")}, {12, STACKED("r12")},
    {13, STACKED("r13")}, {14, STACKED("r14")}, {15, STACKED("r15")},
    {0, NULL}};

#define CONTEXT(name) \
	"task_struct.thread+thread_struct.cpu_context+cpu_context." name
static const struct saved_word aarch64[] = {{32, CONTEXT("pc")},
    {29, CONTEXT("fp")}, {19, CONTEXT("x19")}, {20, CONTEXT("x20")},
    {21, CONTEXT("x21")}, {22, CONTEXT("x22")}, {23, CONTEXT("x23")},
    {24, CONTEXT("x24")}, {25, CONTEXT("x25")}, {26, CONTEXT("x26")},
    {27, CONTEXT("x27")}, {28, CONTEXT("x28")}, {0, NULL}};

#define THREAD(name) "task_struct.thread+thread_struct." name
static const struct saved_word riscv64[] = {
    {32, THREAD("ra")}, {8, THREAD("s")}, {0, NULL}};

static const struct {
	const struct saved_word *words;
	const char *sp;
} kinds[UNWIND_ARCHS] = {[UNWIND_X86_64] = {x86_64, THREAD("sp")},
    [UNWIND_AARCH64] = {aarch64, CONTEXT("sp")},
    [UNWIND_RISCV64] = {riscv64, THREAD("sp")}};

enum { RISCV_S = 12, WORD = 8 };

bool
saved_load(struct saved *s, enum unwind_arch arch, const struct btf *types)
{
	int64_t at = -1;

	*s = (struct saved){.words = kinds[arch].words};
	if (s->words == NULL)
		return false;
	at = btf_member(types, kinds[arch].sp);
	s->sp = (uint64_t)at;
	for (int i = 0; s->words[i].member != NULL && at >= 0; i++) {
		at = btf_member(types, s->words[i].member);
		s->at[i] = (uint64_t)at;
		if (s->words == x86_64 && s->at[i] + WORD > s->size)
			s->size = s->at[i] + WORD;
	}
	return at >= 0 && s->size <= 1024;
}

uint64_t
saved_end(const struct saved *s)
{
	uint64_t end = s->sp + WORD;

	for (int i = 0; s->words != NULL && s->words != x86_64 &&
			s->words[i].member != NULL;
	     i++)
		if (s->at[i] + RISCV_S * WORD > end)
			end = s->at[i] + RISCV_S * WORD;
	return end;
}

uint64_t
saved_sp(const struct saved *s, const uint8_t *p, uint64_t low)
{
	return uint_load(p + (s->sp - low), WORD, false);
}

/* riscv's s0 to s11 are an array: s0 and s1 are x8 and x9, the rest x18 on. */
static void
load_s(const struct saved *s, const uint8_t *p, uint64_t low,
    struct unwind_regs *regs)
{
	for (uint64_t i = 0; i < RISCV_S; i++)
		regs->r[i < 2 ? 8 + i : 16 + i] =
		    uint_load(p + (s->at[1] - low) + i * WORD, WORD, false);
	regs->r[2] = saved_sp(s, p, low);
	regs->r[1] = regs->r[32];
}

bool
saved_regs(const struct saved *s, const uint8_t *p, uint64_t low,
    unwind_read *read, void *arg, struct unwind_regs *regs)
{
	const uint64_t sp = saved_sp(s, p, low);

	for (int i = 0; s->words[i].member != NULL; i++) {
		uint64_t *to = &regs->r[s->words[i].reg];

		if (s->words != x86_64)
			*to = uint_load(p + (s->at[i] - low), WORD, false);
		else if (read(arg, sp + s->at[i], to) != 0)
			return false;
	}
	if (s->words == x86_64)
		regs->r[7] = sp + s->size;
	else if (s->words == aarch64)
		regs->r[31] = sp;
	else
		load_s(s, p, low, regs);
	return true;
}
