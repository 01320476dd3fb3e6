/* SPDX-License-Identifier: ISC */
/* What the generators share; the bytes are the same each time. */
#ifndef GEN_H
#define GEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint32_t
rnd(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % below;
}

#define PICK(list) (list)[rnd(sizeof(list) / sizeof *(list))]

/* The end of main(): whether all was written. */
static inline int
gen_end(void)
{
	return ferror(stdout) || fclose(stdout) != 0;
}

#endif
