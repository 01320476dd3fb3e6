# SPDX-License-Identifier: ISC
#
# LK (Little Kernel), x86, arm64, arm, riscv32 and riscv64: where threads begin. See
# kst-os(5).

known-by lk_main initial_thread_func

root	initial_thread_func

# x86: where the other CPUs start
root	highaddr
root	mp_boot_start_high

# On some processors the idle thread does not wait for an interrupt.
idle	arch_idle
