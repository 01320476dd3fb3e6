/* SPDX-License-Identifier: ISC */
/*
 * Writes down what a function's code does, without the addresses in it. Two
 * builds of one source give equal bytes, even if other functions have grown or
 * moved. For x86_64, i386, aarch64 and riscv64.
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
	/* If not NULL, called before what is at an offset is appended. */
	void (*each)(void *arg, size_t at);
	bool loose; /* jumps in the function do not say where they lead */
};

/* Whether code of that machine can be read. */
bool same_knows(unsigned machine);

/*
 * Appends the code of a function. The addresses that it calls are replaced by
 * names; addresses of data, and the padding after the code, are left out. Equal
 * code gives equal bytes.
 */
void same_code(const struct same_code *c, struct buf *b);

#endif
