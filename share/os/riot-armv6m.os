# SPDX-License-Identifier: ISC
#
# RIOT for Cortex-M0, M0+ and M23, which lack usage faults: as riot-arm.os, whose switch
# of threads saves registers in another order. See kst-os(5).

known-by sched_run isr_pendsv thread_stack_init

root	sched_task_exit

idle	sched_arch_idle

threads pointers sched_threads 0
threads current sched_active_thread
threads name *_thread.name
threads number _thread.pid
threads state _thread.status STATUS_STOPPED=stopped STATUS_ZOMBIE=stopped STATUS_SLEEPING=waiting STATUS_MUTEX_BLOCKED=waiting STATUS_RECEIVE_BLOCKED=waiting STATUS_SEND_BLOCKED=waiting STATUS_REPLY_BLOCKED=waiting STATUS_FLAG_BLOCKED_ANY=waiting STATUS_FLAG_BLOCKED_ALL=waiting STATUS_MBOX_BLOCKED=waiting STATUS_COND_BLOCKED=waiting STATUS_RUNNING=ready STATUS_PENDING=ready
threads saved _thread.sp
threads registers pc 32 sp &36 8 0 9 4 10 8 11 12 4 16 5 20 6 24 7 28
