# SPDX-License-Identifier: ISC
#
# xv6 for RISC-V: a process's kernel stack begins in usertrap, which the
# trampoline jumps to with a process's registers, or in forkret, a CPU's own in
# main. See kst-os(5).

known-by usertrap kernelvec forkret

root	usertrap
root	forkret
root	main

# Without a process to run, it looks through all of them.
idle	scheduler
