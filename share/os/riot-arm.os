# SPDX-License-Identifier: ISC
#
# RIOT for Cortex-M3 and larger, with or without an FPU: its threads, where stacks
# begin, idle loop. See kst-os(5).

known-by sched_run isr_pendsv thread_stack_init usage_fault_default

root	sched_task_exit

idle	sched_arch_idle

# A thread has a name if RIOT is built with CONFIG_THREAD_NAMES or DEVELHELP.
threads pointers sched_threads 0
threads current sched_active_thread
threads name *_thread.name
threads number _thread.pid
threads state _thread.status STATUS_STOPPED=stopped STATUS_ZOMBIE=stopped STATUS_SLEEPING=waiting STATUS_MUTEX_BLOCKED=waiting STATUS_RECEIVE_BLOCKED=waiting STATUS_SEND_BLOCKED=waiting STATUS_REPLY_BLOCKED=waiting STATUS_FLAG_BLOCKED_ANY=waiting STATUS_FLAG_BLOCKED_ALL=waiting STATUS_MBOX_BLOCKED=waiting STATUS_COND_BLOCKED=waiting STATUS_RUNNING=ready STATUS_PENDING=ready

# The switch saves r4 to r11 and EXC_RETURN, above these the FPU's, if it was used; the
# processor has saved the others above.
threads saved _thread.sp
threads registers pc 32 sp &36 fpu-sp &100 4 0 5 4 6 8 7 12 8 16 9 20 10 24 11 28
