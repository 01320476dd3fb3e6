/* SPDX-License-Identifier: ISC */
/* A guest's memory, as the CPU that is looked at sees it. */
#ifndef KST_READER_H
#define KST_READER_H

#include <stddef.h>
#include <stdint.h>

/* read() returns 0, or -1 if not all n bytes can be read. */
struct reader {
	int (*read)(void *arg, uint64_t addr, uint8_t *to, size_t n);
	void *arg;
};

#endif
