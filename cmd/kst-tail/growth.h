/* SPDX-License-Identifier: ISC */
/* Whether calls take longer and longer, or shorter and shorter. */
#ifndef GROWTH_H
#define GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;

struct growth {
	bool is;	    /* more than by chance, and by half or more */
	double first, last; /* medians of the first and last tenth, in ns */
};

/* Judges a fair choice of all n_all calls, the earliest first. */
struct growth growth_judge(const struct call *v, size_t n, uint64_t n_all);

#endif
