/* SPDX-License-Identifier: ISC */
/*
 * In the plugin: of which of Linux' modules code is. Another process reads the
 * guest's memory by the plugin, while the guest waits.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>

struct reader;
struct slide;

struct guest {
	const char *to, *answers; /* paths of pipes */
	const struct reader *r;
	/* Where the kernel is, and its file's addresses, */
	const struct slide *slide;
	uint64_t low, top;
	/* and places that are set once their module is there. */
	uint64_t *from, *until, *in;
};

/* What the pointers lead to must live as long, but for the paths. */
void guest_open(const struct guest *g);

/*
 * The number of the module that has code at pc, which as an address of the
 * kernel's file is `at`, as programs_apart() takes it.
 * 0: none has, or it cannot be read. Places and functions that were asked for
 * in this module are set. Without guest_open(), there are no modules.
 */
unsigned guest_program(uint64_t pc, uint64_t at);

#endif
