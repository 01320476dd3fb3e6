# SPDX-License-Identifier: ISC
#
# Xen for x86_64, whose code has neither tables nor frame pointers: what its
# entries save, a struct cpu_user_regs at the stack pointer, and where a CPU with
# nothing to do begins. A guest's kernel can be another -e. See
# kst-capture-backends(7), OS files.

known-by idle_loop autogen_stubs

root idle_loop

# exceptions and interrupts
entry autogen_stubs	pc 128 sp 152 fp 32 status 136
entry page_fault	pc 128 sp 152 fp 32 status 136
entry general_protection	pc 128 sp 152 fp 32 status 136
entry invalid_op	pc 128 sp 152 fp 32 status 136
entry device_not_available	pc 128 sp 152 fp 32 status 136
entry common_interrupt	pc 128 sp 152 fp 32 status 136
entry handle_exception*	pc 128 sp 152 fp 32 status 136
entry exception_with_ints_disabled	pc 128 sp 152 fp 32 status 136
entry handle_ist_exception	pc 128 sp 152 fp 32 status 136
entry double_fault	pc 128 sp 152 fp 32 status 136
entry restore_all_xen	pc 128 sp 152 fp 32 status 136

# calls of a guest, and the way back to it
entry lstar_enter	pc 128 sp 152 fp 32 status 136
entry cstar_enter	pc 128 sp 152 fp 32 status 136
entry sysenter_eflags_saved	pc 128 sp 152 fp 32 status 136
entry int80_*	pc 128 sp 152 fp 32 status 136
entry continue_pv_domain	pc 128 sp 152 fp 32 status 136
entry ret_from_intr	pc 128 sp 152 fp 32 status 136
entry switch_to_kernel	pc 128 sp 152 fp 32 status 136
entry test_all_events	pc 128 sp 152 fp 32 status 136
entry test_guest_events	pc 128 sp 152 fp 32 status 136
entry process_softirqs	pc 128 sp 152 fp 32 status 136
entry process_mce	pc 128 sp 152 fp 32 status 136
entry process_nmi	pc 128 sp 152 fp 32 status 136
entry process_trap	pc 128 sp 152 fp 32 status 136
entry restore_all_guest	pc 128 sp 152 fp 32 status 136
entry _stextentry	pc 128 sp 152 fp 32 status 136
entry iret_exit_to_guest	pc 128 sp 152 fp 32 status 136
entry compat_test_all_events	pc 128 sp 152 fp 32 status 136
entry compat_test_guest_events	pc 128 sp 152 fp 32 status 136
entry compat_process_softirqs	pc 128 sp 152 fp 32 status 136
