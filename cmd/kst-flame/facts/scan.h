/* SPDX-License-Identifier: ISC */
/* When CPUs ran and threads waited: the headers of a capture's stacks. */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct plan;

struct scan_capture {
	double time; /* in s */
	unsigned cpus, running;
};

/* A thread, but not one on a CPU. */
struct scan_thread {
	char *label;
	size_t first, waits; /* its first capture, and in how many it waits */
};

/* Ready when zeroed. */
struct scan {
	struct scan_capture *capture;
	size_t n, cap;
	struct scan_thread *thread;
	size_t n_threads, cap_threads, last;
};

void scan_read(struct scan *s, const struct plan *p);
void scan_done(struct scan *s);

/* Whether a thread waited in each capture since it was first seen. */
bool scan_always(const struct scan *s, const char *label, size_t len);

#endif
