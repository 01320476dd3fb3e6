# SPDX-License-Identifier: ISC
#
# Linux for riscv64 and aarch64: where the stack of a kernel thread begins; on
# x86_64 the kernel's tables tell. See kst-capture-backends(7), OS files.

root	ret_from_fork
root	ret_from_fork_kernel_asm
