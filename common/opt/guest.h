/* SPDX-License-Identifier: ISC */
/*
 * A running guest as a command's standard input: kst-flame finds it, with
 * messages in this command's name, and becomes kst-capture, whose text is read
 * there.
 */
#ifndef KST_GUEST_H
#define KST_GUEST_H

#include <stdbool.h>
#include <sys/types.h>

struct opt_list;

struct guest {
	pid_t pid; /* 0: none */
	int pipe[2];
};

struct guest_wish {
	const struct opt_list *elf; /* the kernel's file and programs' */
	const char *remote;	    /* where it listens; NULL: it is found */
	const char *const *more;    /* further options of kst-capture, then
				       NULL */
	bool live; /* Ctrl-C reaches the command alone, which ends sampling */
};

/*
 * First the input, then the sampler; at the end both are closed, at once if the
 * user wants to quit. Return false after a message, or if sampling failed.
 */
bool guest_open(struct guest *g);
bool guest_start(struct guest *g, const struct guest_wish *w);
bool guest_end(struct guest *g, bool quit);

#endif
