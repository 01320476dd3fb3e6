# SPDX-License-Identifier: ISC
#
# NuttX for RISC-V of 64 and 32 bits: as nuttx.os, and where tasks are that do not
# run. See kst-os(5).

known-by nx_start nxtask_start riscv_doirq

root	nxtask_start
root	pthread_start
root	nx_start
root	riscv_sigdeliver

idle	up_idle

# What its own ps prints, in a table by number; an exception saves all registers,
# the address first.
threads pointers *g_pidhash g_npidhash
threads current g_running_tasks
threads name tcb_s.name
threads number tcb_s.pid
threads state tcb_s.task_state TSTATE_TASK_READYTORUN=ready TSTATE_TASK_PENDING=ready TSTATE_TASK_ASSIGNED=ready TSTATE_WAIT_SEM=waiting TSTATE_WAIT_SIG=waiting TSTATE_WAIT_EVENT=waiting TSTATE_WAIT_MQNOTEMPTY=waiting TSTATE_WAIT_MQNOTFULL=waiting TSTATE_WAIT_PAGEFILL=waiting TSTATE_TASK_STOPPED=stopped
threads saved tcb_s.xcp.regs
threads registers pc 0 sp 2w 1 1w 8 8w 9 9w 18 18w 19 19w 20 20w 21 21w 22 22w 23 23w 24 24w 25 25w 26 26w 27 27w
