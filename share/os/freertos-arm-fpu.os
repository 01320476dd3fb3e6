# SPDX-License-Identifier: ISC
#
# FreeRTOS for Cortex-M with an FPU, one core: its tasks, whose
# states are the lists that they are on. See kst-os(5).


known-by vTaskSwitchContext vPortEnableVFP

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

# The switch of tasks saves r4 to r11, how the exception returns, and s16 to s31 if
# it loads others of the FPU; the processor has saved the rest above.
threads saved tskTaskControlBlock.pxTopOfStack
threads registers pc 32 sp &36 fpu-sp &100 4 0 5 4 6 8 7 12 8 16 9 20 10 24 11 28
