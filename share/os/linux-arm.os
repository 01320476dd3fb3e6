# SPDX-License-Identifier: ISC
#
# Linux for 32-bit Arm: where stacks begin, and where interrupts and faults of the
# kernel save registers. Programs are left by their calls, faults and interrupts. See
# kst-capture-backends(7), OS files.

known-by start_kernel vector_swi __irq_svc

root	ret_from_fork
root	secondary_start_kernel

# from programs, and back
root	vector_*swi
root	local_restart
root	__sys_trace*
root	ret_fast_syscall
root	slow_work_pending
root	ret_to_user*
root	no_work_pending
root	ret_from_exception
root	__irq_usr
root	__fiq_usr
root	__dabt_usr
root	__pabt_usr
root	__und_usr*

# struct pt_regs is at the stack pointer of each call
entry	__irq_svc	pc 60 sp 52 fp 44 ra 56 status 64
entry	__dabt_svc	pc 60 sp 52 fp 44 ra 56 status 64
entry	__pabt_svc	pc 60 sp 52 fp 44 ra 56 status 64
entry	__und_svc*	pc 60 sp 52 fp 44 ra 56 status 64
entry	__fiq_svc	pc 60 sp 52 fp 44 ra 56 status 64
