/* SPDX-License-Identifier: ISC */
/* DWARF's numbers of registers are from the processors' ABI documents. */
#include "cfi/regs.h"

#include <elf.h>

#define RISCV                                                                  \
	"zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 " \
	"s6 s7 s8 s9 s10 s11 t3 t4 t5 t6 pc"

const struct unwind_abi unwind_abis[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"x86_64", 16, 7, 6, 16, 17, 8, EM_X86_64,
	"rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip",
	.x86 = true},
    [UNWIND_AARCH64] = {"aarch64", 32, 31, 29, 30, 33, 8, EM_AARCH64,
	"x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 "
	"x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 sp pc"},
    [UNWIND_RISCV32] = {"riscv32", 32, 2, 8, 1, 33, 4, EM_RISCV, RISCV,
	.riscv = true},
    [UNWIND_RISCV64] = {"riscv64", 32, 2, 8, 1, 33, 8, EM_RISCV, RISCV,
	.riscv = true},
    [UNWIND_I386] = {"i386", 8, 4, 5, 8, 9, 4, EM_386,
	"eax ecx edx ebx esp ebp esi edi eip", .x86 = true},
    [UNWIND_LOONGARCH64] = {"loongarch64", 32, 3, 22, 1, 33, 8,
	UNWIND_EM_LOONGARCH,
	"r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17 r18 r19 "
	"r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 r30 r31 pc"},
    [UNWIND_ARM] = {"arm", 15, 13, 11, 14, 16, 4, EM_ARM,
	"r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc", .arm = true},
};

enum unwind_mode
unwind_mode_of(enum unwind_arch arch, uint64_t status)
{
	const bool user = unwind_abis[arch].x86 || arch == UNWIND_LOONGARCH64
			      ? (status & 3) == 3
			  : unwind_abis[arch].riscv ? (status & 0x1900) == 0
						    : (status & 15) == 0;

	return user ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
}
