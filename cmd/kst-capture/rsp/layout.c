/* SPDX-License-Identifier: ISC */
/*
 * Of the target description's XML, these elements matter: <architecture>,
 * <xi:include href> and <reg name bitsize regnum>. A register's place in the
 * `g` packet is the sum of the sizes of those with lower numbers.
 */
#include "rsp/layout.h"
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "opt/opt.h"

enum { REG_MAX = 1024, NAME_MAX_LEN = 32 };

struct scan {
	layout_fetch *fetch;
	void *arg;
	int includes;
	char arch[NAME_MAX_LEN];
	uint32_t next; /* number of the next register */
	uint16_t bytes[REG_MAX];
	char name[REG_MAX][NAME_MAX_LEN];
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
	const char *mode;
	const char *ask[LAYOUT_ASK];
} archs[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"i386:x86-64", "cs", {0}},
    [UNWIND_AARCH64] = {"aarch64", "cpsr",
	{NULL, "ELR_EL1", "SPSR_EL1", "VBAR"}},
    [UNWIND_RISCV32] = {"riscv:rv32", NULL, RISCV_ASK},
    [UNWIND_RISCV64] = {"riscv", NULL, RISCV_ASK},
    [UNWIND_I386] = {"i386", "cs", {0}},
    [UNWIND_LOONGARCH64] = {"loongarch64", NULL, {0}},
    [UNWIND_ARM] = {"arm", "cpsr", {[ASK_THREAD_SP] = "psp"}},
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
	s->bytes[num] = (uint16_t)((bits + 7) / 8);
	strcpy(s->name[num], name);
	s->next = (uint32_t)num + 1;
	return 0;
}

static bool
is_element(const char *p, const char *name)
{
	size_t n = strlen(name);

	return strncmp(p, name, n) == 0 && p[n] != 0 &&
	       strchr(" \t\n\r>/", p[n]) != NULL;
}

static int scan_text(struct scan *s, const char *p, int depth);

static int
scan_include(struct scan *s, const char *p, const char *end, int depth)
{
	char name[256], *text;
	int status;

	if (layout_attribute(p, end, "href", name, sizeof name) != 0 ||
	    depth > 4 || ++s->includes > LAYOUT_INCLUDES)
		return -1;
	text = s->fetch(s->arg, name);
	if (text == NULL)
		return -1;
	status = scan_text(s, text, depth + 1);
	free(text);
	return status;
}

static void
scan_arch(struct scan *s, const char *text)
{
	size_t n = strcspn(text, "<");

	if (s->arch[0] == 0 && n < sizeof s->arch)
		memcpy(s->arch, text, n);
}

static int
scan_text(struct scan *s, const char *p, int depth)
{
	while ((p = strchr(p, '<')) != NULL) {
		const char *end;
		int status = 0;

		if (strncmp(p, "<!--", 4) == 0) {
			p = strstr(p, "-->");
			if (p == NULL)
				return -1;
			continue;
		}
		end = strchr(++p, '>');
		if (end == NULL)
			return -1;
		if (is_element(p, "reg"))
			status = scan_reg(s, p, end);
		else if (is_element(p, "xi:include"))
			status = scan_include(s, p, end, depth);
		else if (is_element(p, "architecture"))
			scan_arch(s, end + 1);
		if (status != 0)
			return -1;
		p = end;
	}
	return 0;
}

/* The number of a register of that size; -1 when it is not there. */
static int32_t
number_of(const struct scan *s, const char *name, unsigned bytes)
{
	for (uint32_t i = 0; name != NULL && i < s->next; i++)
		if (s->bytes[i] == bytes && strcmp(s->name[i], name) == 0)
			return (int32_t)i;
	return -1;
}

/* Where it is in the packet. */
static int32_t
offset_of(const struct scan *s, const char *name, unsigned bytes)
{
	int32_t number = number_of(s, name, bytes), at = 0;

	for (int32_t i = 0; i < number; i++)
		at += s->bytes[i];
	return number < 0 ? -1 : at;
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
		s->bytes[s->next] = unwind_abis[arch].word;
		memcpy(s->name[s->next], p, n);
	}
}

/* Where the registers are that unwinding needs. Returns -1 without one. */
static int
place_registers(struct layout *l, const struct scan *s)
{
	const struct unwind_abi *abi = &unwind_abis[l->arch];
	int32_t at = 0;

	for (int i = 0; i < UNWIND_REGS; i++)
		l->offset[i] = -1;
	for (uint32_t i = 0; i < s->next; at += s->bytes[i++]) {
		int reg = opt_word(abi->names, s->name[i], strlen(s->name[i]));

		if (reg >= 0 && s->bytes[i] == abi->word && l->offset[reg] < 0)
			l->offset[reg] = at;
	}
	for (int i = 0; i < abi->n; i++)
		if (l->offset[i] < 0)
			return -1;
	return 0;
}

static int
place(struct layout *l, struct scan *s, const char **why)
{
	int a = 0;

	while (a < UNWIND_ARCHS &&
	       strncmp(s->arch, archs[a].prefix, strlen(archs[a].prefix)) != 0)
		a++;
	if (a == UNWIND_ARCHS) {
		*why = "another processor";
		return -1;
	}
	l->arch = (enum unwind_arch)a;
	if (s->next == 0)
		assume(s, a);
	if (place_registers(l, s) != 0) {
		*why = "its registers are not the known ones";
		return -1;
	}
	l->mode = offset_of(s, archs[a].mode, 4);
	for (int i = 0; i < LAYOUT_ASK; i++)
		l->ask[i] = number_of(s, archs[a].ask[i], unwind_abis[a].word);
	return 0;
}

int
layout_read(struct layout *l, layout_fetch *fetch, void *arg, const char **why)
{
	struct scan *s = calloc(1, sizeof *s);
	char *text = fetch(arg, "target.xml");
	int status = -1;

	*why = "it gives no target description";
	if (s != NULL && text != NULL) {
		s->fetch = fetch;
		s->arg = arg;
		*why = "its target description cannot be read";
		status = scan_text(s, text, 0);
		if (status == 0)
			status = place(l, s, why);
	}
	free(text);
	free(s);
	return status;
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
		vcpu_machine(c, (enum machine_reg)(which - ASK_MACHINE), value);
	}
}

int
layout_regs(const struct layout *l, const uint8_t *g, size_t n,
    struct unwind_regs *regs)
{
	const unsigned word = unwind_abis[l->arch].word;

	memset(regs, 0, sizeof *regs);
	for (int i = 0; i < UNWIND_REGS; i++) {
		if (l->offset[i] < 0)
			continue;
		if ((size_t)l->offset[i] + word > n)
			return -1;
		regs->r[i] = uint_load(g + l->offset[i], word, false);
	}
	if (l->mode >= 0 && (size_t)l->mode + 4 <= n)
		regs->mode =
		    unwind_mode_of(l->arch, uint_load(g + l->mode, 4, false));
	return 0;
}
