# SPDX-License-Identifier: ISC
#
# Linux for aarch64 and riscv64: where the stacks of kernel threads, and of
# CPUs that have nothing to do, begin; on x86_64 the kernel's tables tell. See
# kst-capture-backends(7), OS files.

known-by start_kernel __primary_switched
known-by start_kernel _start_kernel

root	ret_from_fork
root	ret_from_fork_kernel_asm

# aarch64
root	__primary_switched
root	__secondary_switched

# riscv64
root	_start_kernel
root	secondary_start_common
root	smp_callin
