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
#include "memory/memory.h"
#include "guest/vcpu.h"
#include "base/bytes.h"
#include "base/num.h"
#include "opt/opt.h"

/* What is between names and values. */
static const char gap[] = " =\t\r\n";

/* A hexadecimal number of 4 to 16 digits; upper case is a name. */
static bool
number(const char *p, size_t n, uint64_t *value)
{
	return n >= 4 && n <= 16 && strspn(p, "0123456789abcdef") >= n &&
	       num_hex(p, n, value) == 0;
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

/* Those that say where memory is; aarch64 and arm: none. */
static const char *const paging_names[UNWIND_ARCHS][PAGING_REGS] = {
    [UNWIND_X86_64] = {"CR0", "CR3", "CR4", "EFER"},
    [UNWIND_I386] = {"CR0", "CR3", "CR4", "EFER"},
    [UNWIND_RISCV32] = {[PAGING_OUTER] = "hgatp"},
    [UNWIND_RISCV64] = {[PAGING_OUTER] = "hgatp"},
};

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
	    c->firmware.reg[MACHINE_STATUS] & ~(uint64_t)MACHINE_MPP;
	c->regs.has_exception =
	    c->regs.exception_pc != 0 && c->firmware.seen != 0;
}

/* `NAME=VALUE`, `NAME =VALUE` or `NAME   VALUE`; *seen: those that we have. */
static void
one_register(const char *name, size_t len, uint64_t value,
    enum unwind_arch arch, struct vcpu *c, uint64_t *seen)
{
	const char *mode = mode_names[arch];
	int reg = number_of(arch, name, len);

	if (mode != NULL && bytes_is(name, len, mode)) {
		c->regs.mode = unwind_mode_of(arch, value);
		c->regs.cpsr = unwind_abis[arch].arm ? (uint32_t)value : 0;
	}
	if (unwind_abis[arch].x86 && bytes_is(name, len, "CR0"))
		c->regs.paged = value >> 31 & 1;
	if (unwind_abis[arch].riscv)
		riscv_system(name, len, value, c);
	for (int i = 0; i < PAGING_REGS; i++)
		if (paging_names[arch][i] != NULL &&
		    bytes_is(name, len, paging_names[arch][i]))
			paging_set(&c->paging, (enum paging_reg)i, value);
	/* The first is the general register; later ones are others. */
	if (reg < 0 || (*seen >> reg & 1) != 0)
		return;
	c->regs.r[reg] = value;
	*seen |= 1ULL << reg;
}

static void
one_cpu(const char *p, const char *end, enum unwind_arch arch, struct vcpu *c,
    unsigned index)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	const char *halt = memmem(p, (size_t)(end - p), "HLT=1", 5);
	const char *name = NULL;
	uint64_t seen = 0, value;
	size_t name_len = 0, len;

	c->regs.mode = UNWIND_MODE_UNKNOWN;
	c->regs.has_exception = c->regs.paged = false;
	c->regs.exception_pc = 0;
	c->firmware.seen = 0;
	c->paging.seen = 0;
	c->regs.has_machine = false;
	for (p += strspn(p, gap); p < end; p += len + strspn(p + len, gap)) {
		len = strcspn(p, gap);
		if (name != NULL && number(p, len, &value))
			one_register(name, name_len, value, arch, c, &seen);
		name = p;
		name_len = len;
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
		if (p == NULL || !number(p + 2, 16, &word))
			return;
		p += 2;
		to = snap_add(s, addr, n);
		for (size_t i = 0; to != NULL && i < n; i++)
			to[i] = (uint8_t)(word >> 8 * i);
	}
}
