/* SPDX-License-Identifier: ISC */
/*
 * Text into a pipe without a copy: it is made in huge pages, which vmsplice(2)
 * makes the pipe's. A page that was given is never written again, whatever the
 * reader does with it: it is taken out of this process, and a new one comes
 * from the kernel. For writers whose work is less than that of carrying the
 * text. Without huge pages a copy is cheaper.
 */
#ifndef KST_GIFT_H
#define KST_GIFT_H

#include <stddef.h>

enum { GIFT_SIZE = 1 << 16 };

/* {0} at the beginning. */
struct gift {
	char *pages; /* NULL: none */
	void *map;   /* the pages, and what is needed to align them */
	size_t at;   /* of the present buffer in the pages */
	long faults; /* page faults of the process before the page at hand */
};

/*
 * Begins; a pipe is made as large as anyone may. Returns a buffer of GIFT_SIZE
 * bytes, or NULL when fd is not a pipe or stays a small one.
 */
char *gift_begin(struct gift *g, int fd);

/*
 * Gives the first n bytes of the buffer to the pipe, and waits for room in it.
 * Returns how many were given: fewer than n when the pipe does not take them,
 * which a write of the rest will find the reason of.
 */
size_t gift_send(const struct gift *g, int fd, size_t n);

/* The next buffer; NULL when there are no huge pages, and it has ended. */
char *gift_next(struct gift *g);

/* Frees the buffer; no harm when it has ended. */
void gift_end(struct gift *g);

#endif
