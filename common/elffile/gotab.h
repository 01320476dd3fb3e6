/* SPDX-License-Identifier: ISC */
/*
 * Reads the table by which Go's runtime knows its functions (.gopclntab, since
 * Go 1.18; x86_64 and aarch64), which is there in stripped programs, too. All
 * in it may be hostile.
 */
#ifndef KST_GOTAB_H
#define KST_GOTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf; /* libelf's */

/* Its bytes are those of the file, which stays open. */
struct gotab {
	const uint8_t *func, *name, *pc; /* its parts; each reaches to `end` */
	const uint8_t *end, *names;	 /* after the last NUL of all */
	size_t n; /* functions; 0: there is no table that can be read */
	uint64_t text;
	unsigned step; /* bytes of the shortest instruction */
	bool line;     /* since 1.20 a function has its first line */
};

struct gofunc {
	uint64_t addr, end;
	const char *name; /* lives as long as the file is open; not empty */
	bool top;	  /* stacks end there, */
	bool moves_sp;	  /* or it leaves its caller's stack */
	bool injected;	  /* its caller was interrupted, and did not call it */
	const uint8_t *sp;
};

void gotab_read(struct gotab *t, struct Elf *elf);

/* Function i, or the one around an address; false: none that makes sense. */
bool gotab_at(const struct gotab *t, size_t i, struct gofunc *f);
bool gotab_find(const struct gotab *t, uint64_t addr, struct gofunc *f);

/*
 * How many bytes the function has on the stack, without the return address
 * that a call pushes, before it executes the instruction at an address of it;
 * -1: not told.
 */
int64_t gotab_depth(
    const struct gotab *t, const struct gofunc *f, uint64_t addr);

#endif
