# SPDX-License-Identifier: ISC
#
# LK (Little Kernel), riscv32 and riscv64: where threads begin, and where those are that do not
# run. See kst-os(5).

known-by lk_main initial_thread_func riscv_context_switch

root	initial_thread_func

# On some processors the idle thread does not wait for an interrupt.
idle	arch_idle

# Its list of threads, as its own command `threads` prints it, and what the
# switch of threads saves.
threads list thread_list.next thread.thread_list_node.next thread.thread_list_node
threads name thread.name
threads state thread.state THREAD_SUSPENDED=stopped THREAD_READY=ready THREAD_BLOCKED=waiting THREAD_SLEEPING=waiting
threads registers pc thread.arch.cs_frame.ra sp thread.arch.cs_frame.sp fp thread.arch.cs_frame.s0
