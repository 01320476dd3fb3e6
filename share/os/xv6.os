# SPDX-License-Identifier: ISC
#
# xv6 for RISC-V: a process's kernel stack begins in usertrap, which the
# trampoline jumps to with a process's registers, or in forkret, a CPU's own in
# main. The trampoline switches between a process's memory and the kernel's: its
# own code begins the stack. See kst-os(5).

known-by usertrap kernelvec forkret

root	uservec
root	userret
root	usertrap
root	forkret
root	main

# Without a process to run, it looks through all of them.
idle	scheduler

# Its processes, an array of struct proc: what ps and Ctrl-P print, and the
# context that swtch saves.
threads array proc 0 proc
threads current cpus.proc
threads name proc.name
threads number proc.pid
threads state proc.state SLEEPING=waiting RUNNABLE=ready
threads stack proc.kstack 4096
threads lock proc.chan sleeplock.pid acquiresleep
threads registers pc proc.context.ra sp proc.context.sp fp proc.context.s0
