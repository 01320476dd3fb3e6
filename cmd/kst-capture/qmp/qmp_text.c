/* SPDX-License-Identifier: ISC */
/*
 * Knows the layouts of QEMU's register dumps. x86: `RAX=…`, `R8 =…`, and HLT=1
 * for a halted CPU; aarch64: `PC=…`; riscv64: `pc …` and `x1/ra …`;
 * loongarch64: `PC=…` and `r1 …`.
 */
#include "qmp/qmp_text.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/bytes.h"
#include "base/num.h"

/* By their DWARF numbers; of riscv64's the beginnings. */
static const char *const names[UNWIND_ARCHS][UNWIND_REGS] = {
    [UNWIND_X86_64] = {"RAX", "RDX", "RCX", "RBX", "RSI", "RDI", "RBP", "RSP",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "RIP"},
    [UNWIND_AARCH64] = {"X00", "X01", "X02", "X03", "X04", "X05", "X06", "X07",
	"X08", "X09", "X10", "X11", "X12", "X13", "X14", "X15", "X16", "X17",
	"X18", "X19", "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27",
	"X28", "X29", "X30", "SP", "PC"},
    [UNWIND_RISCV64] = {"x0/", "x1/", "x2/", "x3/", "x4/", "x5/", "x6/", "x7/",
	"x8/", "x9/", "x10/", "x11/", "x12/", "x13/", "x14/", "x15/", "x16/",
	"x17/", "x18/", "x19/", "x20/", "x21/", "x22/", "x23/", "x24/", "x25/",
	"x26/", "x27/", "x28/", "x29/", "x30/", "x31/", "pc"},
    [UNWIND_I386] = {"EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI",
	"EIP"},
    [UNWIND_LOONGARCH64] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17",
	"r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27",
	"r28", "r29", "r30", "r31", "PC"},
};

/* A hexadecimal number of 4 to 16 digits; returns how many it has, 0: none. */
static size_t
number(const char *p, uint64_t *value)
{
	size_t n = strspn(p, "0123456789abcdef");

	return n >= 4 && n <= 16 && num_hex(p, n, value) == 0 ? n : 0;
}

/* The DWARF number of a register; -1: none of ours. */
static int
register_number(enum unwind_arch arch, const char *name, size_t len)
{
	char wide[3] = "R";

	/* A CPU in a mode of 16 or 32 bits has EAX. */
	if (arch == UNWIND_X86_64 && len == 3 && name[0] == 'E') {
		memcpy(wide + 1, name + 1, 2);
		name = wide;
	}
	for (int i = 0; i < unwind_abis[arch].n; i++) {
		const char *known = names[arch][i];
		size_t n = strlen(known);

		if (bytes_starts(name, len, known) &&
		    (len == n || known[n - 1] == '/'))
			return i;
	}
	return -1;
}

static bool
space(char c)
{
	return c == ' ' || c == '\r' || c == '\n' || c == '\t';
}

/*
 * The next `NAME=VALUE`, `NAME =VALUE` or `NAME   VALUE`: returns where to go
 * on after it, or NULL at the end. Other words are skipped.
 */
static const char *
next_register(const char *p, const char *end, const char **name, size_t *len,
    uint64_t *value)
{
	while (p < end) {
		const char *v;
		size_t n;

		while (p < end && space(*p))
			p++;
		*name = p;
		while (p < end && !space(*p) && *p != '=')
			p++;
		*len = (size_t)(p - *name);
		for (v = p; v < end && (*v == ' ' || *v == '=');)
			v++;
		n = number(v, value);
		if (*len > 0 && n > 0 && v > p && v + n <= end)
			return v + n;
		if (p < end)
			p++;
	}
	return NULL;
}

/* The mode that `CS`, `PSTATE` or `CRMD` tells. */
static enum unwind_mode
mode_of(enum unwind_arch arch, const char *name, size_t len, uint64_t value)
{
	bool user;

	if ((unwind_abis[arch].x86 && bytes_is(name, len, "CS")) ||
	    (arch == UNWIND_LOONGARCH64 && bytes_is(name, len, "CRMD")))
		user = (value & 3) == 3;
	else if (arch == UNWIND_AARCH64 && bytes_is(name, len, "PSTATE"))
		user = (value & 15) == 0;
	else
		return UNWIND_MODE_UNKNOWN;
	return user ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
}

/* What riscv64 tells of exceptions, and of the firmware's mode. */
static void
riscv_system(const char *name, size_t len, uint64_t value, struct vcpu *c)
{
	static const char *const machine[MACHINE_REGS] = {
	    "mepc", "mstatus", "mscratch", "mtvec", "satp"};

	if (bytes_is(name, len, "sepc"))
		c->regs.exception_pc = value;
	for (int i = 0; i < MACHINE_REGS; i++)
		if (bytes_is(name, len, machine[i]))
			vcpu_machine(c, (enum machine_reg)i, value);
	/* sstatus is a part of it, without the mode before the firmware's. */
	c->regs.exception_status =
	    c->machine[MACHINE_STATUS] & ~(uint64_t)MACHINE_MPP;
	c->regs.has_exception =
	    c->regs.exception_pc != 0 && c->machine_seen != 0;
}

static void
one_cpu(const char *p, const char *end, enum unwind_arch arch, struct vcpu *c,
    unsigned index)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	const char *halt = memmem(p, (size_t)(end - p), "HLT=1", 5);
	uint64_t seen = 0, value;
	const char *name;
	size_t len;

	c->regs.mode = UNWIND_MODE_UNKNOWN;
	c->regs.has_exception = false;
	c->regs.exception_pc = 0;
	c->machine_seen = 0;
	c->regs.has_machine = false;
	while ((p = next_register(p, end, &name, &len, &value)) != NULL) {
		int reg = register_number(arch, name, len);

		if (c->regs.mode == UNWIND_MODE_UNKNOWN)
			c->regs.mode = mode_of(arch, name, len, value);
		if (arch == UNWIND_RISCV64)
			riscv_system(name, len, value, c);

		/* The first is the general register; later ones are others. */
		if (reg < 0 || (seen >> reg & 1) != 0)
			continue;
		c->regs.r[reg] = value;
		seen |= 1ULL << reg;
	}
	snprintf(c->extra, sizeof c->extra, "CPU#%u [%s]", index,
	    halt != NULL ? "halted " : "running");
	c->ok = (seen >> abi->pc & 1) != 0 && (seen >> abi->sp & 1) != 0;
}

void
qmp_registers(
    const char *text, enum unwind_arch arch, struct vcpu *cpu, size_t n)
{
	const char *p = strstr(text, "CPU#");

	for (size_t i = 0; i < n; i++)
		cpu[i].ok = false;
	while (p != NULL) {
		const char *next = strstr(p + 4, "CPU#");
		const char *end = next ? next : p + strlen(p);
		size_t index = 0;

		for (p += 4; *p >= '0' && *p <= '9' && index < n; p++)
			index = 10 * index + (size_t)(*p - '0');
		if (index < n)
			one_cpu(p, end, arch, &cpu[index], (unsigned)index);
		p = next;
	}
}

void
qmp_memory(const char *text, uint64_t addr, size_t len, struct snap *s)
{
	const char *p = text;
	uint64_t word;

	for (size_t n; len > 0; len -= n, addr += n) {
		uint8_t *to;

		n = len < 8 ? len : 8;

		/* `ADDR: 0xWORD 0xWORD`; an error has no 0x. */
		p = strstr(p, "0x");
		if (p == NULL || number(p + 2, &word) != 16)
			return;
		p += 2;
		to = snap_add(s, addr, n);
		for (size_t i = 0; to != NULL && i < n; i++)
			to[i] = (uint8_t)(word >> 8 * i);
	}
}
