/* SPDX-License-Identifier: ISC */
/*
 * A package of split DWARF (FILE.dwp beside FILE), of DWARF 5 or of GNU's
 * extension of DWARF 4. libdw reads packages since 0.191; for older ones each
 * unit becomes a file of its own here.
 *
 * Private to common/elf.
 */
#ifndef KST_DWP_H
#define KST_DWP_H

#include <stdint.h>

struct buf;
struct dwp;
struct elffile;
struct Dwarf; /* libdw's */

/* A unit: its first entry and its end in .debug_info. */
struct dwp_unit {
	struct Dwarf *dw;
	uint64_t die, end;
	const unsigned char *lists; /* its .debug_rnglists, NULL in DWARF 4 */
	uint64_t lists_len;
};

/* NULL if there is none or, with the reason in *err, if it is useless. */
struct dwp *dwp_open(const struct elffile *file, struct buf *err);
void dwp_close(struct dwp *p);

/*
 * The unit with an id, or NULL. Its addresses begin at addr_base in the
 * file's .debug_addr, and, in DWARF 4, its ranges at ranges_base in
 * .debug_ranges.
 */
const struct dwp_unit *dwp_find(
    struct dwp *p, uint64_t id, uint64_t addr_base, uint64_t ranges_base);

/* For libdw, which would abort: ends the command with EXIT_SYSTEM. */
_Noreturn void dwp_out_of_memory(void);

/*
 * Ends so if memory was short since errno was 0. To be called when libdw has
 * first seen a unit: 0.188 does not look whether it got a unit's table.
 */
void dwp_check_memory(void);

/* Where list number `index` begins in the unit's lists; 0 if nowhere. */
uint64_t dwp_list(const struct dwp_unit *u, uint64_t index);

#endif
