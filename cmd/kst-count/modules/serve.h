/* SPDX-License-Identifier: ISC */
/*
 * A process that finds Linux' modules in the guest's memory, which the plugin
 * reads for it, and gathers their functions. Memory of the guest may be
 * hostile: the process has no right but to read files.
 */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>

struct options;

struct serve {
	int to, from; /* pipes */
	int file;     /* of the functions */
	bool died;    /* somebody has killed it: that has been said */
};

/*
 * Starts it. Before any other job is started, so that it is not one of the
 * guest's. Returns 0, or -1 after a message.
 */
int serve_start(struct serve *s, const struct options *o);

/* Tells it the kernel's file, before the plugin asks. */
void serve_kernel(const struct serve *s, const char *path);

/*
 * Ends it, once QEMU has ended. Returns whether s->file is an ELF file of
 * functions, whose addresses are as programs_apart() makes them.
 */
bool serve_end(struct serve *s);

#endif
