# SPDX-License-Identifier: ISC
#
# FreeRTOS for Cortex-M without registers of an FPU, one core: its tasks, whose
# states are the lists that they are on. See kst-os(5).

known-by vTaskSwitchContext xPortPendSVHandler
known-by vTaskSwitchContext PendSV_Handler

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

# The switch of tasks saves r4 to r11; the processor has saved the others above.
threads saved tskTaskControlBlock.pxTopOfStack
threads registers pc =0xfffffffd sp &32 4 0 5 4 6 8 7 12 8 16 9 20 10 24 11 28
