/* SPDX-License-Identifier: ISC */
/*
 * Knows the DWARF numbers of registers (the processors' ABI documents).
 */
#include <elf.h>
#include "unwind/unwind.h"

const struct unwind_abi unwind_abis[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"x86_64", 16, 7, 6, 16, 17, 8, true, EM_X86_64},
    [UNWIND_AARCH64] = {"aarch64", 32, 31, 29, 30, 33, 8, false, EM_AARCH64},
    [UNWIND_RISCV64] = {"riscv64", 32, 2, 8, 1, 33, 8, false, EM_RISCV},
    [UNWIND_I386] = {"i386", 8, 4, 5, 8, 9, 4, true, EM_386},
    [UNWIND_LOONGARCH64] = {"loongarch64", 32, 3, 22, 1, 33, 8, false,
	EM_LOONGARCH},
};
