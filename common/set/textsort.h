/* SPDX-License-Identifier: ISC */
/* Texts in bytewise order. A text comes before all texts that begin with it. */
#ifndef KST_TEXTSORT_H
#define KST_TEXTSORT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	const char *p;
	uint32_t len, id; /* id: the caller's */
	uint64_t key;	  /* private */
};

void textsort(struct text *v, size_t n);

#endif
