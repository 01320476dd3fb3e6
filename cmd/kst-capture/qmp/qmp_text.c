/* SPDX-License-Identifier: ISC */
/*
 * Knows the layouts of QEMU's register dumps. x86_64: `RAX=…`, `R8 =…`,
 * `RIP=…`, and HLT=1 for a halted CPU (i386, and in 16 or 32-bit modes, EAX,
 * EIP); aarch64: `PC=…`, `X00=…`, `SP=…`; riscv64: `pc …` and `x1/ra …`;
 * loongarch64: `PC=…` and `r1 …`.
 */
#include "qmp/qmp_text.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const x86_short[] = {
    "AX", "DX", "CX", "BX", "SI", "DI", "BP", "SP"};
static const uint8_t i386_of[] = {0, 2, 1, 3, 6, 7, 5, 4};

static int
digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* A hexadecimal number of 4 to 16 digits; returns how many it has, 0: none. */
static size_t
number(const char *p, uint64_t *value)
{
	size_t n = 0;

	for (*value = 0; n < 16 && digit(p[n]) >= 0; n++)
		*value = *value << 4 | (uint64_t)digit(p[n]);
	return n >= 4 && digit(p[n]) < 0 ? n : 0;
}

/* The DWARF number that a name of len bytes means; -1: none of ours. */
static int
x86_number(const char *name, size_t len)
{
	int n = 0;

	if (len == 3 && (name[0] == 'R' || name[0] == 'E')) {
		if (memcmp(name + 1, "IP", 2) == 0)
			return 16;
		for (int i = 0; i < 8; i++)
			if (memcmp(name + 1, x86_short[i], 2) == 0)
				return i;
	}
	if (len < 2 || len > 3 || name[0] != 'R')
		return -1;
	for (size_t i = 1; i < len && name[i] != ' '; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		n = 10 * n + name[i] - '0';
	}
	return n >= 8 && n <= 15 ? n : -1;
}

static int
i386_number(const char *name, size_t len)
{
	const int n = len == 3 && name[0] == 'E' ? x86_number(name, len) : -1;

	return n < 0 ? -1 : n == 16 ? 8 : i386_of[n];
}

static int
aarch64_number(const char *name, size_t len)
{
	if (len == 2 && memcmp(name, "PC", 2) == 0)
		return 32;
	if (len == 2 && memcmp(name, "SP", 2) == 0)
		return 31;
	if (len == 3 && name[0] == 'X' && name[1] >= '0' && name[1] <= '3' &&
	    name[2] >= '0' && name[2] <= '9' &&
	    (name[1] < '3' || name[2] == '0'))
		return 10 * (name[1] - '0') + name[2] - '0';
	return -1;
}

static int
riscv_number(const char *name, size_t len)
{
	int n = 0;
	size_t i = 1;

	if (len == 2 && memcmp(name, "pc", 2) == 0)
		return 32;
	if (len < 4 || name[0] != 'x')
		return -1;
	for (; i < 3 && name[i] >= '0' && name[i] <= '9'; i++)
		n = 10 * n + name[i] - '0';
	return i > 1 && name[i] == '/' && n < 32 ? n : -1;
}

static int
loong_number(const char *name, size_t len)
{
	int n = 0;

	if (len == 2 && memcmp(name, "PC", 2) == 0)
		return 32;
	if (len < 2 || len > 3 || name[0] != 'r')
		return -1;
	for (size_t i = 1; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		n = 10 * n + name[i] - '0';
	}
	return n < 32 ? n : -1;
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

	if ((unwind_abis[arch].x86 && len == 2 && memcmp(name, "CS", 2) == 0) ||
	    (arch == UNWIND_LOONGARCH64 && len == 4 &&
		memcmp(name, "CRMD", 4) == 0))
		user = (value & 3) == 3;
	else if (arch == UNWIND_AARCH64 && len == 6 &&
		 memcmp(name, "PSTATE", 6) == 0)
		user = (value & 15) == 0;
	else
		return UNWIND_MODE_UNKNOWN;
	return user ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
}

/* What riscv64 tells of exceptions, and of the firmware's mode. */
static void
riscv_system(const char *name, size_t len, uint64_t value, struct vcpu *c)
{
	static const char *const names[MACHINE_REGS] = {
	    "mepc", "mstatus", "mscratch", "mtvec", "satp"};

	if (len == 4 && memcmp(name, "sepc", 4) == 0)
		c->regs.exception_pc = value;
	for (int i = 0; i < MACHINE_REGS; i++)
		if (len == strlen(names[i]) && memcmp(name, names[i], len) == 0)
			vcpu_machine(c, (enum machine_reg)i, value);
	/* sstatus is a part of it, without the mode before the firmware's. */
	c->regs.exception_status = c->machine[MACHINE_STATUS] & ~0x1800ULL;
	c->regs.has_exception =
	    c->regs.exception_pc != 0 && c->machine_seen != 0;
}

static void
one_cpu(const char *p, const char *end, enum unwind_arch arch, struct vcpu *c,
    unsigned index)
{
	int (*const numbers[])(const char *, size_t) = {x86_number,
	    aarch64_number, riscv_number, i386_number, loong_number};
	const struct unwind_abi *abi = &unwind_abis[arch];
	const char *halt = memmem(p, (size_t)(end - p), "HLT=1", 5);
	uint64_t seen = 0, value;
	const char *name;
	size_t len;

	c->regs.mode = UNWIND_MODE_UNKNOWN;
	c->regs.has_exception = false;
	c->regs.exception_pc = 0;
	c->machine_seen = 0;
	while ((p = next_register(p, end, &name, &len, &value)) != NULL) {
		int reg = numbers[arch](name, len);

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
