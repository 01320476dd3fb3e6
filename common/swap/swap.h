/* SPDX-License-Identifier: ISC */
/*
 * --base of commands that run another: it runs twice, as it is, and with
 * another kernel's file in the place of its own.
 */
#ifndef KST_SWAP_H
#define KST_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "opt/words.h"

struct swap {
	char *const *argv; /* the command */
	const char *other; /* the file that takes the place of... */
	const char *own;   /* ... this one, since swap_find(), or NULL: */
	int seen;  /* a file for what QEMU's -kernel is; -1: it is known, */
	pid_t pid; /* and the process that has it open */
	struct words texts;
	bool lines;   /* source lines were asked for: swap_find() refuses */
	size_t named; /* how often the command names its kernel */
	bool by_path; /* QEMU does, which is found in $PATH (opt/qemupath.h) */
};

/*
 * Finds the command's own kernel: `elf`, which may end in @ADDRESS, unless that
 * is NULL; what -kernel names, in the command or as a plain word of its script;
 * $KST_KERNEL; or the only word that is a kernel's file. If there is none, it
 * is what follows QEMU's -kernel, if a script or a tool that builds starts QEMU
 * by its name. Ends this command with a message if these do not, or if neither
 * a word nor $KST_KERNEL is that file, and the command is neither.
 */
void swap_find(struct swap *s, const char *elf);
void swap_done(struct swap *s);

enum { SWAP_OLD, SWAP_NEW, SWAP_SIDES };

/* The kernel of a side; NULL: its own, which is not known yet. */
const char *swap_kernel(const struct swap *s, int side);

/* What QEMU's -kernel was, now that it has run. Returns an exit status. */
int swap_learn(struct swap *s);

/*
 * Adds the command's words, with the side's kernel in the place of its own, and
 * sets $KST_KERNEL and, with by_path, $KST_QEMU_KERNEL.
 */
void swap_words(struct swap *s, int side, struct words *w);

#endif
