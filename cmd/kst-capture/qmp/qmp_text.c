/* SPDX-License-Identifier: ISC */
/*
 * QEMU's register dumps. x86: `RAX=…`, `R8 =…`, and HLT=1
 * for a halted CPU; aarch64: `PC=…`; riscv: `pc …` and `x1/ra …`;
 * loongarch64: `PC=…` and `r1 …`; arm: `R15=…`.
 */
#include "qmp/qmp_text.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/bytes.h"
#include "base/num.h"
#include "opt/opt.h"

/* A hexadecimal number of 4 to 16 digits; returns how many it has, 0: none. */
static size_t
number(const char *p, uint64_t *value)
{
	size_t n = strspn(p, "0123456789abcdef");

	return n >= 4 && n <= 16 && num_hex(p, n, value) == 0 ? n : 0;
}

/*
 * The DWARF number of a register, -1: none of ours. `RAX`, and `EAX` in a mode
 * of fewer bits, are gdb's rax, `X01` is x1, `x8/s0` is fp, `x1/ra` is ra.
 */
static int
number_of(enum unwind_arch arch, const char *name, size_t len)
{
	const char *slash = memchr(name, '/', len);
	const char *names = unwind_abis[arch].names;
	char own[8];
	size_t n = 0;

	if (slash != NULL) {
		len -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	if (bytes_is(name, len, "s0"))
		return opt_word(names, "fp", 2);
	for (size_t i = 0; i < len && n < sizeof own; i++)
		if (i != 1 || len != 3 || name[i] != '0')
			own[n++] = (char)tolower((unsigned char)name[i]);
	if (arch == UNWIND_X86_64 && n == 3 && own[0] == 'e')
		own[0] = 'r';
	if (arch == UNWIND_ARM && n == 3 && own[0] == 'r' && own[1] == '1' &&
	    own[2] > '2' && own[2] < '6')
		return 10 + own[2] - '0'; /* sp, lr, pc */
	return opt_word(names, own, n);
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

/* The register that tells the mode; riscv: none. */
static const char *const mode_names[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = "CS",
    [UNWIND_AARCH64] = "PSTATE",
    [UNWIND_I386] = "CS",
    [UNWIND_LOONGARCH64] = "CRMD",
    [UNWIND_ARM] = "PSR",
};

/* What riscv tells of exceptions, and of the firmware's mode. */
static void
riscv_system(const char *name, size_t len, uint64_t value, struct vcpu *c)
{
	static const char *const machine[MACHINE_REGS] = {
	    "mepc", "mstatus", "mscratch", "mtvec", "satp"};

	if (bytes_is(name, len, "sepc"))
		c->regs.exception_pc = value;
	if (bytes_is(name, len, "stvec"))
		c->regs.vector = value;
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
	const char *mode = mode_names[arch];
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
		int reg = number_of(arch, name, len);

		if (mode != NULL && bytes_is(name, len, mode))
			c->regs.mode = unwind_mode_of(arch, value);
		if (abi->riscv)
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
