# SPDX-License-Identifier: ISC
#
# LK (Little Kernel), arm64: where threads begin, and where those are that do not
# run. See kst-os(5).

known-by lk_main initial_thread_func arm64_context_switch

root	initial_thread_func

# On some processors the idle thread does not wait for an interrupt.
idle	arch_idle

# Its list of threads, as its own command `threads` prints it, and what the
# switch of threads saves.
threads list thread_list.next thread.thread_list_node.next thread.thread_list_node
threads name thread.name
threads state thread.state THREAD_SUSPENDED=stopped THREAD_READY=ready THREAD_BLOCKED=waiting THREAD_SLEEPING=waiting
threads saved thread.arch.sp
threads registers pc context_switch_frame.lr sp &context_switch_frame fp context_switch_frame.r29
