/* SPDX-License-Identifier: ISC */
/*
 * Of the target description's XML, these elements matter: <architecture>,
 * <xi:include href> and <reg name bitsize regnum>. A register's place in the
 * `g` packet is the sum of the sizes of those with lower numbers.
 */
#include "rsp/layout.h"
#include <stdlib.h>
#include <string.h>
#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { REG_MAX = 1024, NAME_MAX_LEN = 32 };

/* Of arm, in cpsr: one whose page tables are known. */
enum { SYSTEM_MODE = 0x1f };

struct scan {
	layout_fetch *fetch;
	void *arg;
	int files; /* that were read */
	char arch[NAME_MAX_LEN];
	uint32_t next; /* number of the next register */
	struct reg {
		char name[NAME_MAX_LEN];
		uint16_t bytes; /* 0: there is none of that number */
	} reg[REG_MAX];
};

/* gdb's order of x86_64, of a packet without a description. */
static const char x86_order[] =
    "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip";

#define RISCV_ASK                                                            \
	{                                                                    \
		"priv", "sepc", "sstatus", "stvec", NULL, "mepc", "mstatus", \
		    "mscratch", "mtvec", "satp"                              \
	}

static const struct {
	const char *prefix; /* of the text of <architecture>; the first fits */
	const char *mode;   /* "": none */
	const char *ask[ASK_PAGING];
} archs[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"i386:x86-64", "cs", {0}},
    [UNWIND_AARCH64] = {"aarch64", "cpsr",
	{NULL, "ELR_EL1", "SPSR_EL1", "VBAR", "SP_EL0"}},
    [UNWIND_RISCV32] = {"riscv:rv32", "", RISCV_ASK},
    [UNWIND_RISCV64] = {"riscv", "", RISCV_ASK},
    [UNWIND_I386] = {"i386", "cs", {0}},
    [UNWIND_LOONGARCH64] = {"loongarch64", "", {0}},
    [UNWIND_ARM] = {"arm", "cpsr", {[ASK_THREAD_SP] = "psp"}},
};

/*
 * The registers that say where memory is, and how else they are called. Some of
 * arm's are there with 32 bits and with 64.
 */
static const char *const paging[UNWIND_ARCHS][PAGING_REGS][2] = {
    [UNWIND_X86_64] = {{"cr0"}, {"cr3"}, {"cr4"}, {"efer"}},
    [UNWIND_I386] = {{"cr0"}, {"cr3"}, {"cr4"}, {"efer"}},
    [UNWIND_AARCH64] = {{"SCTLR", "SCTLR_EL1"}, {"TTBR0_EL1"}, {"TTBR1_EL1"},
	{"TCR_EL1"}, {"HCR_EL2"}},
    [UNWIND_ARM] = {{"SCTLR"}, {"TTBR0", "TTBR0_EL1"}, {"TTBR1", "TTBR1_EL1"},
	{"TTBCR"}, {"SCR"}},
    [UNWIND_RISCV32] = {[PAGING_OUTER] = {"hgatp"}},
    [UNWIND_RISCV64] = {[PAGING_OUTER] = {"hgatp"}},
};

/* The value of an attribute within the element p..end, into `to`. */
int
layout_attribute(
    const char *p, const char *end, const char *name, char *to, size_t cap)
{
	size_t n = strlen(name);

	for (; p + n + 2 < end; p++) {
		const char *v, *q;

		if (*p == 0 || strchr(" \t\n\r", *p) == NULL ||
		    memcmp(p + 1, name, n) != 0 || p[1 + n] != '=')
			continue;
		v = p + n + 3;
		if (v > end || (v[-1] != '"' && v[-1] != '\''))
			return -1;
		q = memchr(v, v[-1], (size_t)(end - v));
		if (q == NULL || (size_t)(q - v) >= cap)
			return -1;
		memcpy(to, v, (size_t)(q - v));
		to[q - v] = 0;
		return 0;
	}
	return -1;
}

static int
scan_reg(struct scan *s, const char *p, const char *end)
{
	char name[NAME_MAX_LEN], text[NAME_MAX_LEN];
	uint64_t bits, num = s->next;

	if (layout_attribute(p, end, "name", name, sizeof name) != 0 ||
	    layout_attribute(p, end, "bitsize", text, sizeof text) != 0 ||
	    num_u64(text, strlen(text), &bits) != 0 || bits > 8 * 4096)
		return -1;
	if (layout_attribute(p, end, "regnum", text, sizeof text) == 0 &&
	    num_u64(text, strlen(text), &num) != 0)
		return -1;
	if (num >= REG_MAX)
		return 0; /* beyond all that a `g` packet holds */
	s->reg[num].bytes = (uint16_t)((bits + 7) / 8);
	strcpy(s->reg[num].name, name);
	s->next = (uint32_t)num + 1;
	return 0;
}

static int scan_file(struct scan *s, const char *name);

/* The element p..end, with the text after it. */
static int
scan_element(struct scan *s, const char *p, const char *end)
{
	const size_t n = strcspn(p, " \t\n\r>/");
	char file[256];
	size_t len;

	if (bytes_is(p, n, "reg"))
		return scan_reg(s, p, end);
	if (bytes_is(p, n, "xi:include"))
		return layout_attribute(p, end, "href", file, sizeof file) == 0
			   ? scan_file(s, file)
			   : -1;
	len = strcspn(end + 1, "<");
	if (bytes_is(p, n, "architecture") && s->arch[0] == 0 &&
	    len < sizeof s->arch)
		memcpy(s->arch, end + 1, len);
	return 0;
}

static int
scan_text(struct scan *s, const char *p)
{
	while ((p = strchr(p, '<')) != NULL) {
		const bool comment = strncmp(p, "<!--", 4) == 0;
		const char *end = strstr(p, comment ? "-->" : ">");

		if (end == NULL ||
		    (!comment && scan_element(s, p + 1, end) != 0))
			return -1;
		p = end;
	}
	return 0;
}

static int
scan_file(struct scan *s, const char *name)
{
	char *text =
	    s->files <= LAYOUT_INCLUDES ? s->fetch(s->arg, name) : NULL;
	int status = -1;

	if (text != NULL) {
		s->files++;
		status = scan_text(s, text);
	}
	free(text);
	return status;
}

/*
 * The number of a register of that size, 0: of any, and where it is in the
 * packet; -1 when it is not there.
 */
static int32_t
number_of(const struct scan *s, const char *name, size_t len, unsigned bytes,
    int32_t *at)
{
	*at = 0;
	for (uint32_t i = 0; i < s->next; *at += s->reg[i++].bytes)
		if (len > 0 && s->reg[i].bytes > 0 &&
		    (bytes == 0 || s->reg[i].bytes == bytes) &&
		    bytes_is(name, len, s->reg[i].name))
			return (int32_t)i;
	*at = -1;
	return -1;
}

/* A packet without a description has the registers in gdb's order. */
static void
assume(struct scan *s, int arch)
{
	const char *p =
	    arch == UNWIND_X86_64 ? x86_order : unwind_abis[arch].names;

	for (size_t n; *p && arch != UNWIND_LOONGARCH64;
	     p += n + (p[n] != 0), s->next++) {
		n = strcspn(p, " ");
		s->reg[s->next].bytes = unwind_abis[arch].word;
		memcpy(s->reg[s->next].name, p, n);
	}
}

/* Where the registers are that say where memory is. */
static void
place_paging(struct layout *l, const struct scan *s)
{
	const struct unwind_abi *abi = &unwind_abis[l->arch];
	int32_t at, number;

	for (int i = 0; i < PAGING_REGS; i++) {
		const char *const *name = paging[l->arch][i];

		l->paging[i] = number = -1;
		for (int k = 0; k < 2 && name[k] && number < 0; k++)
			number = number_of(s, name[k], strlen(name[k]),
			    abi->x86 ? abi->word : 0, &at);
		if (number >= 0 && abi->x86)
			l->paging[i] = at;
		l->ask[ASK_PAGING + i] = abi->x86 ? -1 : number;
	}
}

/* Behind the last register of the packet that is looked at. */
static size_t
end_of(const struct layout *l)
{
	const int32_t word = (int32_t)unwind_abis[l->arch].word;
	int32_t last = l->mode > l->cr0 ? l->mode : l->cr0;

	for (int i = 0; i < UNWIND_REGS; i++)
		last = last > l->offset[i] ? last : l->offset[i];
	for (int i = 0; i < PAGING_REGS; i++)
		last = last > l->paging[i] ? last : l->paging[i];
	return (size_t)(last + word);
}

/* Where the registers are that unwinding needs. Returns -1 without one. */
static int
place(struct layout *l, const struct scan *s)
{
	const struct unwind_abi *abi = &unwind_abis[l->arch];
	const char *p = abi->names, *word;
	int32_t at;

	for (int i = 0; i < UNWIND_REGS; i++)
		l->offset[i] = -1;
	for (size_t i = 0, n; *p; i++, p += n + (p[n] != 0)) {
		n = strcspn(p, " ");
		if (number_of(s, p, n, abi->word, &l->offset[i]) < 0)
			return -1;
	}
	word = archs[l->arch].mode;
	number_of(s, word, strlen(word), 4, &l->mode);
	number_of(s, "cr0", 3, abi->word, &l->cr0);
	for (int i = 0; i < ASK_PAGING; i++) {
		word = archs[l->arch].ask[i];
		l->ask[i] = word == NULL ? -1
					 : number_of(s, word, strlen(word),
					       abi->word, &at);
	}
	l->spare[UNWIND_SPARE_THREAD] =
	    number_of(s, "TPIDRRO_EL0", 11, abi->word, &at);
	l->spare[UNWIND_SPARE_FAULT] =
	    number_of(s, "FAR_EL1", 7, abi->word, &at);
	place_paging(l, s);
	l->flat = abi->arm && number_of(s, "xpsr", 4, 4, &at) >= 0;
	l->end = end_of(l);
	return 0;
}

/* Returns what is wrong, NULL if nothing. */
static const char *
read_all(struct layout *l, struct scan *s)
{
	int a = 0;

	if (scan_file(s, "target.xml") != 0)
		return s->files == 0 ? "it gives no target description"
				     : "its target description cannot be read";
	while (a < UNWIND_ARCHS &&
	       strncmp(s->arch, archs[a].prefix, strlen(archs[a].prefix)) != 0)
		a++;
	if (a == UNWIND_ARCHS)
		return "another processor";
	l->arch = (enum unwind_arch)a;
	if (s->next == 0)
		assume(s, a);
	return place(l, s) == 0 ? NULL
				: "the layout of its registers is unknown";
}

int
layout_read(struct layout *l, layout_fetch *fetch, void *arg, const char **why)
{
	struct scan *s = xcalloc(1, sizeof *s);

	s->fetch = fetch;
	s->arg = arg;
	*why = read_all(l, s);
	free(s);
	return *why == NULL ? 0 : -1;
}

void
layout_asked(int which, uint64_t value, struct vcpu *c)
{
	struct unwind_regs *regs = &c->regs;

	switch (which) {
	case ASK_PRIV:
		regs->mode = value == 0	  ? UNWIND_MODE_USER
			     : value == 3 ? UNWIND_MODE_FIRMWARE
					  : UNWIND_MODE_KERNEL;
		return;
	case ASK_PC:
		regs->exception_pc = value;
		return;
	case ASK_STATUS:
		regs->exception_status = value;
		regs->has_exception = true;
		return;
	case ASK_THREAD_SP:
		regs->thread_sp = value;
		return;
	case ASK_VECTOR:
		regs->vector = value;
		return;
	default:
		break;
	}
	if (which < ASK_PAGING)
		vcpu_machine(c, (enum machine_reg)(which - ASK_MACHINE), value);
	else
		paging_set(
		    &c->paging, (enum paging_reg)(which - ASK_PAGING), value);
}

int
layout_regs(const struct layout *l, const uint8_t *g, size_t n,
    struct unwind_regs *regs, struct paging *at)
{
	const unsigned word = unwind_abis[l->arch].word;
	uint64_t mode;

	memset(regs, 0, sizeof *regs);
	memset(at, 0, sizeof *at);
	for (int i = 0; i < UNWIND_REGS; i++) {
		if (l->offset[i] < 0)
			continue;
		if ((size_t)l->offset[i] + word > n)
			return -1;
		regs->r[i] = uint_load(g + l->offset[i], word, false);
	}
	if (l->cr0 >= 0 && (size_t)l->cr0 + word <= n)
		regs->paged = uint_load(g + l->cr0, word, false) >> 31 & 1;
	for (int i = 0; i < PAGING_REGS; i++)
		if (l->paging[i] >= 0 && (size_t)l->paging[i] + word <= n)
			paging_set(at, (enum paging_reg)i,
			    uint_load(g + l->paging[i], word, false));
	for (int i = 0; l->flat && i < PAGING_REGS; i++)
		if (i != PAGING_OUTER)
			paging_set(at, (enum paging_reg)i,
			    i == PAGING_STATUS ? SYSTEM_MODE : 0);
	if (l->mode >= 0 && (size_t)l->mode + 4 <= n) {
		mode = uint_load(g + l->mode, 4, false);
		regs->mode = unwind_mode_of(l->arch, mode);
		regs->cpsr = unwind_abis[l->arch].arm ? (uint32_t)mode : 0;
		paging_set(at, PAGING_STATUS, mode);
	}
	return 0;
}
