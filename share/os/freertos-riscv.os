# SPDX-License-Identifier: ISC
#
# FreeRTOS for RISC-V (11.3 and later), one core: its tasks, whose
# states are the lists that they are on. See kst-os(5).


known-by vTaskSwitchContext freertos_risc_v_trap_handler

# The idle task looks for deleted tasks again and again.
idle prvIdleTask

# Tasks that wait without a limit are in one list with those that were suspended.
threads list xPendingReadyList.xListEnd.pxNext tskTaskControlBlock.xEventListItem.pxNext tskTaskControlBlock.xEventListItem =ready
threads list pxReadyTasksLists.xListEnd.pxNext tskTaskControlBlock.xStateListItem.pxNext tskTaskControlBlock.xStateListItem =ready
threads list xDelayedTaskList1.xListEnd.pxNext tskTaskControlBlock.xStateListItem.pxNext tskTaskControlBlock.xStateListItem =waiting
threads list xDelayedTaskList2.xListEnd.pxNext tskTaskControlBlock.xStateListItem.pxNext tskTaskControlBlock.xStateListItem =waiting
threads list xSuspendedTaskList.xListEnd.pxNext tskTaskControlBlock.xStateListItem.pxNext tskTaskControlBlock.xStateListItem =waiting
threads current pxCurrentTCB
threads name tskTaskControlBlock.pcTaskName

# What an exception saves without an FPU: 31 words, the address first. Up to 11.2 all
# but that lie a word lower: 1 is at 1w there, 8 at 5w.
threads saved tskTaskControlBlock.pxTopOfStack
threads registers pc 0 sp &31w 1 2w 8 6w 9 7w 18 16w 19 17w 20 18w 21 19w 22 20w 23 21w 24 22w 25 23w 26 24w 27 25w
