/* SPDX-License-Identifier: ISC */
/* Private to the room: steps by unwind tables. */
#ifndef KST_TABLES_H
#define KST_TABLES_H

#include "unwind/walk.h"

walk_stage stage_orc; /* the kernel's own tables */
walk_stage stage_go;  /* those of Go's runtime */
walk_stage stage_cfi; /* call frame information */

/* Looks for the functions of an x86_64 file without symbols, for what follows.
 */
walk_stage stage_starts;

/* Whether the module's functions have frame records. */
void tables_frames(const struct unwinder *u, struct unwind_module *m);

#endif
