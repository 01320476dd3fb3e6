/* SPDX-License-Identifier: ISC */
/* DWARF's numbers of registers are from the processors' ABI documents. */
#include "cfi/regs.h"

#include <elf.h>

const struct unwind_abi unwind_abis[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {"x86_64", 16, 7, 6, 16, 17, 8, true, EM_X86_64},
    [UNWIND_AARCH64] = {"aarch64", 32, 31, 29, 30, 33, 8, false, EM_AARCH64},
    [UNWIND_RISCV64] = {"riscv64", 32, 2, 8, 1, 33, 8, false, EM_RISCV},
    [UNWIND_I386] = {"i386", 8, 4, 5, 8, 9, 4, true, EM_386},
    [UNWIND_LOONGARCH64] = {"loongarch64", 32, 3, 22, 1, 33, 8, false,
	UNWIND_EM_LOONGARCH},
};

enum unwind_mode
unwind_mode_of(enum unwind_arch arch, uint64_t status)
{
	const bool user = unwind_abis[arch].x86	   ? (status & 3) == 3
			  : arch == UNWIND_AARCH64 ? (status & 15) == 0
						   : (status & 0x1900) == 0;

	return user ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
}
