# SPDX-License-Identifier: ISC
#
# xv6 for the PC: a CPU's own stack begins in main or mpenter, a process's in its
# trap's entry, or in forkret. See kst-os(5).

known-by alltraps forkret mpmain

root	main
root	mpenter
root	forkret

# Without a process to run, it looks through all of them.
idle	scheduler

# Its processes, as Ctrl-P prints them, and the context that swtch leaves on
# their stacks.
threads array ptable.proc 0 proc
threads current cpus.proc
threads name proc.name
threads number proc.pid
threads state proc.state SLEEPING=waiting RUNNABLE=ready
threads stack proc.kstack 4096
threads lock proc.chan sleeplock.pid acquiresleep
threads saved proc.context
threads registers pc context.eip sp &20 fp context.ebp
