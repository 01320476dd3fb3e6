/* SPDX-License-Identifier: ISC */
/*
 * Names the registers of each processor, and says how the unwinder reads
 * memory. Other rooms include unwind/unwind.h, which includes this file.
 *
 * Registers have their DWARF numbers. The program counter has a number of its
 * own: on x86_64 and i386 the return address column, on arm 15, on other
 * processors 32.
 */
#ifndef KST_REGS_H
#define KST_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_arch {
	UNWIND_X86_64,
	UNWIND_AARCH64,
	UNWIND_RISCV32,
	UNWIND_RISCV64,
	UNWIND_I386,
	UNWIND_LOONGARCH64,
	UNWIND_ARM,
	UNWIND_ARCHS
};

enum { UNWIND_REGS = 33 };

/* EM_LOONGARCH, which older versions of <elf.h> lack. */
enum { UNWIND_EM_LOONGARCH = 258 };

/* The mode of a processor, from its registers (x86: cs, aarch64 and arm: cpsr).
 */
enum unwind_mode {
	UNWIND_MODE_UNKNOWN,
	UNWIND_MODE_KERNEL,
	UNWIND_MODE_USER,
	UNWIND_MODE_FIRMWARE /* riscv: machine mode */
};

/*
 * Registers of aarch64 in which Linux keeps one of a program's, as it has no
 * other memory for it: TPIDRRO_EL0 and FAR_EL1.
 */
enum unwind_spare { UNWIND_SPARE_THREAD, UNWIND_SPARE_FAULT, UNWIND_SPARES };

struct unwind_regs {
	uint64_t r[UNWIND_REGS];
	enum unwind_mode mode;
	bool paged; /* x86: the CPU uses page tables, so this is no BIOS */
	/*
	 * The last exception, as the processor's registers still have it, for a
	 * CPU that is in its entry: ELR_EL1 and SPSR_EL1, or sepc and sstatus.
	 */
	bool has_exception;
	uint64_t exception_pc, exception_status;
	/* The last exception of machine mode: mepc, and MPP of mstatus. */
	bool has_machine;
	uint64_t machine_pc, machine_status;
	uint32_t cpsr; /* arm; 0: unknown */
	/* Where exceptions lead: VBAR_EL1 or stvec, and mtvec. 0: unknown. */
	uint64_t vector, machine_vector;
	/* The stack pointer of Cortex-M's threads, SP_EL0; 0: unknown */
	uint64_t thread_sp;
	bool has_spare[UNWIND_SPARES];
	uint64_t spare[UNWIND_SPARES];
};

/* The numbers of registers, and sizes. */
struct unwind_abi {
	const char *name;
	uint8_t pc, sp, fp, ra, n;
	uint8_t word;	  /* bytes of an address */
	uint16_t machine; /* e_machine of its ELF files */
	/* gdb's names with blanks between, in the order of DWARF's numbers. */
	const char *names;
	bool x86;   /* x86_64 or i386 */
	bool riscv; /* of 32 or 64 bits */
	bool arm;   /* of 32 bits */
};

extern const struct unwind_abi unwind_abis[UNWIND_ARCHS];

/* Reads a word of an address's size. Returns 0, or -1 if it cannot be read. */
typedef int unwind_read(void *arg, uint64_t addr, uint64_t *word);

/* Reads code in memory. Returns how many bytes could be read, at most n. */
typedef size_t unwind_code(void *arg, uint64_t addr, uint8_t *to, size_t n);

/* The call frame information of a program, as it is in memory. */
struct unwind_frames {
	uint64_t text, size; /* its code */
	uint64_t eh_addr;    /* its .eh_frame: n bytes */
	const uint8_t *eh;
	size_t n;
};

/*
 * The mode by cs; PSTATE, SPSR_EL1, cpsr; CRMD, PRMD; or, of what an exception
 * has interrupted, by sstatus.
 */
enum unwind_mode unwind_mode_of(enum unwind_arch arch, uint64_t status);

#endif
