/* SPDX-License-Identifier: ISC */
/*
 * --base of commands that run another: it runs twice, as it is, and with
 * another kernel's file in the place of its own. Where that is in an image,
 * another command starts the other kernel.
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
	bool later;	   /* it is QEMU's -kernel, whatever that is */
	const char *with;  /* NULL, or a command that starts the other kernel */
	bool in_image;	   /* no word of the command is its kernel */
	int seen;	   /* what $KST_QEMU_SEEN is, or -1, */
	pid_t pid;	   /* and the process that has it open */
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
 * by its name. Sets `in_image` if neither a word nor $KST_KERNEL is that file,
 * and the command is neither. Ends this command with a message if no kernel is
 * found.
 */
void swap_find(struct swap *s, const char *elf);
void swap_done(struct swap *s);

enum { SWAP_OLD, SWAP_NEW, SWAP_SIDES };

/* The kernel of a side; NULL: its own, which is not known yet. */
const char *swap_kernel(const struct swap *s, int side);

/* What QEMU's -kernel was, now that it has run. Returns an exit status. */
int swap_learn(struct swap *s);

/*
 * Adds the command's words, with the side's kernel in the place of its own, or
 * those of the command that starts that, and sets $KST_KERNEL and, with by_path
 * or `later`, $KST_QEMU_KERNEL.
 */
void swap_words(struct swap *s, int side, struct words *w);

#endif
