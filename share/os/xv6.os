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
# context that swtch saves. A kernel whose array has another size has other
# members.
threads array proc 64 360
threads name 344
threads number 48
threads state 24 2=waiting 3=ready
threads stack 64 4096
threads registers pc 96 sp 104 fp 112
