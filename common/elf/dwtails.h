/* SPDX-License-Identifier: ISC */
/*
 * The calls of a unit's functions, as its debug information has them
 * (DW_TAG_call_site), noted when the unit is indexed.
 *
 * Private to common/elf.
 */
#ifndef KST_DWTAILS_H
#define KST_DWTAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Dwarf_CU;
struct dwunit;
struct dwunits;

struct dwtail_func {
	uint64_t addr;	/* where it begins */
	void *entry;	/* libdw's address of it */
	uint32_t first; /* of its calls; the next function's are after them */
};

struct dwtail_site {
	uint64_t ret; /* the address after the call, or jump */
	void *entry;
	bool tail;
};

struct dwtails {
	struct dwtail_func *func;
	struct dwtail_site *site;
	size_t n_func, cap_func, n_site, cap_site;
};

/* Takes an entry of the unit, in the order of the entries. */
void dwtails_take(
    struct dwunits *us, struct dwunit *u, void *entry, struct Dwarf_CU *cu);
void dwtails_done(struct dwtails *t);

/* The function that begins at an address, and the call that returns to one;
 * NULL: none. */
const struct dwtail_func *dwtails_func(const struct dwtails *t, uint64_t addr);
const struct dwtail_site *dwtails_site(const struct dwtails *t, uint64_t ret);

/* The end of a function's calls. */
const struct dwtail_site *dwtails_end(
    const struct dwtails *t, const struct dwtail_func *f);

/*
 * What is called: its address; or 0, with its name, for what another unit
 * has. False when that depends on more than the code.
 */
bool dwtails_target(const struct dwunit *u, const struct dwtail_site *site,
    uint64_t *addr, const char **name);

/* The raw name of a function, NULL: it has none. */
const char *dwtails_name(const struct dwunit *u, const struct dwtail_func *f);

#endif
