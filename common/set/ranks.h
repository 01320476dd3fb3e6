/* SPDX-License-Identifier: ISC */
/*
 * The bytewise order of texts that are strings of a set, joined by `;`, which
 * no string contains. As long as the texts are sorted, each string is a number
 * of 32 bits, its rank. In `a;F`, `a;F2` and `a;F;x` the second is in the
 * middle, because `2` comes before `;`. So a string has another rank where it
 * is the last one of its text.
 */
#ifndef KST_RANKS_H
#define KST_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;

struct ranks {
	uint32_t *rank; /* of string `id` 2 * id, as the last one 2 * id + 1 */
	uint32_t *of;	/* the string that has a rank */
};

void ranks_init(struct ranks *r, const struct intern *names);
void ranks_done(struct ranks *r);

/* Turns a text of n numbers of strings, first to last, into its ranks ... */
void ranks_from_ids(const struct ranks *r, uint32_t *text, size_t n);

/* ... and gives back the number that a rank was. */
uint32_t ranks_id(const struct ranks *r, uint32_t rank);

#endif
