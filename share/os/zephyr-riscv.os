# SPDX-License-Identifier: ISC
#
# Zephyr for RISC-V of 64 and 32 bits (not RV32E): where threads begin, and where
# those are that do not run, if the kernel has CONFIG_THREAD_MONITOR,
# CONFIG_THREAD_NAME and debug information. See kst-os(5).
known-by z_thread_entry z_riscv_switch

root	z_thread_entry

# What its shell's `kernel thread list` prints. States are bits: 1 waits for an object,
# 2 sleeps (before 4.1: has not begun), 4 sleeps or is suspended, 7 is in the queue of
# those that are ready.
threads list _kernel.threads k_thread.next_thread
threads current _kernel.cpus.current
threads name k_thread.name
threads state k_thread.base.thread_state 0=ready 0x80=ready 2=waiting 4=waiting 6=waiting 0x10=waiting 0x12=stopped 0x14=stopped 0x16=stopped
threads registers pc k_thread.callee_saved.ra sp k_thread.callee_saved.sp fp k_thread.callee_saved.s0
