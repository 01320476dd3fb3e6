/* SPDX-License-Identifier: ISC */
/*
 * Knows the DWARF numbers of registers (the processors' ABI documents).
 */
#include <elf.h>
#include "unwind/unwind.h"

const struct unwind_abi unwind_abis[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"x86_64", 16, 7, 6, 16, 17, EM_X86_64},
    [UNWIND_AARCH64] = {"aarch64", 32, 31, 29, 30, 33, EM_AARCH64},
    [UNWIND_RISCV64] = {"riscv64", 32, 2, 8, 1, 33, EM_RISCV},
};
