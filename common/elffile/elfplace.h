/* SPDX-License-Identifier: ISC */
/*
 * Places in a program's memory by the names in its file:
 *
 *	24, 0x18		a number
 *	proc			a variable, by the symbol table
 *	proc.context.ra		a member of a structure, by the file's DWARF
 *	proc			where an offset is asked for: a structure's size
 *	ptable.proc		a member of a variable, by both
 *	PLACE+8			so many bytes after it
 *	*PLACE			where the pointer there leads
 */
#ifndef KST_ELFPLACE_H
#define KST_ELFPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfplaces;

/* A place that was found. */
struct elfplace {
	uint64_t at;	/* an address as in the file, or an offset */
	uint64_t size;	/* in bytes; 0: unknown */
	bool moves;	/* it is an address, which moves with the kernel */
	bool through;	/* it is that of a pointer to it */
	uint64_t step;	/* a member of a variable that is an array: how far */
	uint64_t times; /* apart they are, and how many; else 0 */
};

/* Whether a word is one. */
bool elfplace_valid(const char *p, size_t len);

/* Never NULL: a file that cannot be opened has no names. */
struct elfplaces *elfplaces_open(const char *path);
void elfplaces_close(struct elfplaces *o);

/*
 * Finds a valid word: an offset in a structure, or, with `address`, an address.
 * False if the file does not have it.
 */
bool elfplaces_find(
    struct elfplaces *o, const char *word, bool address, struct elfplace *to);

/* The value of an enumeration's constant; false if the file has none. */
bool elfplaces_constant(struct elfplaces *o, const char *name, uint64_t *to);

#endif
