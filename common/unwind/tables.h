/* SPDX-License-Identifier: ISC */
/* Private to the room: steps by unwind tables. */
#ifndef KST_TABLES_H
#define KST_TABLES_H

#include "unwind/walk.h"

walk_stage stage_orc; /* the kernel's own tables */
walk_stage stage_cfi; /* call frame information */

#endif
