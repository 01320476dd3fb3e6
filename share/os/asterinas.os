# SPDX-License-Identifier: ISC
#
# Asterinas (x86_64): where tasks begin, and what an interrupt in the kernel
# saves, from the pushes of ostd's trap.S. See kst-capture-backends(7), OS
# files.

known-by kernel_task_entry_wrapper _trap_from_kernel
known-by kernel_task_entry_wrapper __from_kernel

root	kernel_task_entry_wrapper

# trap.S since June 2026, and before October 2025; in between it saved more.
entry	_trap_from_kernel	pc 136 sp 160 fp 48 status 144
entry	__from_kernel	pc 152 sp 176 fp 48 status 160
