/* SPDX-License-Identifier: ISC */
/*
 * What a function's code does, without the addresses in it: equal for two
 * builds of one source in which other functions have grown or moved. For
 * x86_64, aarch64 and riscv64.
 */
#ifndef KST_SAME_H
#define KST_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct same_code {
	unsigned machine; /* e_machine of its ELF file */
	uint64_t addr;	  /* of its first byte */
	const uint8_t *p; /* its bytes */
	size_t n;
	uint64_t low, high; /* addresses that the program has */
	/* Appends a text for an address of code, such as its function. */
	void (*name)(void *arg, uint64_t addr, struct buf *b);
	void *arg;
};

/* Whether code of that machine can be read. */
bool same_knows(unsigned machine);

/*
 * Appends the code with names in place of the addresses that it calls, and with
 * those of data left out; padding after it is left out, too. Equal code is
 * equal bytes.
 */
void same_code(const struct same_code *c, struct buf *b);

#endif
