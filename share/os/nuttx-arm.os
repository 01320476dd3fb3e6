# SPDX-License-Identifier: ISC
#
# NuttX for Cortex-M (ARMv7-M) without an FPU: as nuttx.os, and where tasks are that do
# not run. See kst-os(5).

known-by nx_start nxtask_start exception_common arm_usagefault

root	nxtask_start
root	pthread_start
root	arm_sigdeliver

idle	up_idle

# What its own ps prints, in a table by number. An exception saves r4 to r11 and
# EXC_RETURN; the processor has saved the others above.
threads pointers *g_pidhash g_npidhash
threads current g_running_tasks
threads name tcb_s.name
threads number tcb_s.pid
threads state tcb_s.task_state TSTATE_TASK_READYTORUN=ready TSTATE_TASK_PENDING=ready TSTATE_TASK_ASSIGNED=ready TSTATE_WAIT_SEM=waiting TSTATE_WAIT_SIG=waiting TSTATE_WAIT_EVENT=waiting TSTATE_WAIT_MQNOTEMPTY=waiting TSTATE_WAIT_MQNOTFULL=waiting TSTATE_WAIT_PAGEFILL=waiting TSTATE_TASK_STOPPED=stopped
threads saved tcb_s.xcp.regs
threads registers pc 44 sp &48 4 8 5 12 6 16 7 20 8 24 9 28 10 32 11 36
