# SPDX-License-Identifier: ISC
#
# NuttX for RISC-V of 64 bits: as nuttx.os, and where tasks are that do not run. No
# symbol tells how many bits it has: ask for it by --os nuttx-riscv64. See kst-os(5).

root	nxtask_start
root	pthread_start
root	nx_start

idle	up_idle

# What its own ps prints, in a table by number; an exception saves all registers,
# the address first.
threads pointers *g_pidhash g_npidhash
threads name tcb_s.name
threads number tcb_s.pid
threads state tcb_s.task_state TSTATE_TASK_READYTORUN=ready TSTATE_TASK_PENDING=ready TSTATE_TASK_ASSIGNED=ready TSTATE_WAIT_SEM=waiting TSTATE_WAIT_SIG=waiting TSTATE_WAIT_EVENT=waiting TSTATE_WAIT_MQNOTEMPTY=waiting TSTATE_WAIT_MQNOTFULL=waiting TSTATE_WAIT_PAGEFILL=waiting TSTATE_TASK_STOPPED=stopped
threads saved tcb_s.xcp.regs
threads registers pc 0 sp 16 1 8 8 64 9 72 18 144 19 152 20 160 21 168 22 176 23 184 24 192 25 200 26 208 27 216
