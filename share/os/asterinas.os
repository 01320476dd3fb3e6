# SPDX-License-Identifier: ISC
#
# Asterinas (x86_64): where tasks begin, and what an interrupt in the kernel
# saves, from the pushes of ostd's trap.S. See kst-capture-backends(7), OS
# files.

known-by kernel_task_entry_wrapper __from_kernel

root	kernel_task_entry_wrapper

entry	__from_kernel	pc 152 sp 176 fp 48 status 160
