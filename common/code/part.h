/* SPDX-License-Identifier: ISC */
/* Private to common/code: a function's code while it is written down. */
#ifndef KST_PART_H
#define KST_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/same.h"

/*
 * Instructions that do nothing align the targets of jumps and the functions
 * that follow, so they come and go with the place of a function: these are left
 * out, and a jump says how many others are before its target.
 */
struct code {
	const struct same_code *of;
	uint32_t *before; /* by offset */
	bool *target;	  /* by offset */
	bool looks;	  /* only for targets */
	struct buf *b;
};

/* Where a jump leads. */
void code_target(const struct code *c, uint64_t to);

/* Programs that may be anywhere begin near 0, and have no addresses in code. */
bool code_is_address(const struct code *c, uint64_t v);

#endif
