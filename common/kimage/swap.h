/* SPDX-License-Identifier: ISC */
/*
 * --base of commands that run another: it runs twice, as it is, and with
 * another kernel's file in the place of its own.
 */
#ifndef KST_SWAP_H
#define KST_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "opt/words.h"

struct swap {
	char *const *argv; /* the command */
	const char *other; /* the file that takes the place of... */
	const char *own;   /* ... this one, since swap_find() */
	struct words texts;
	size_t named; /* how often the command names its kernel */
};

/*
 * Finds the command's own kernel: `elf`, which may end in @ADDRESS, unless that
 * is NULL; what -kernel names; $KST_KERNEL; or the only word that is a
 * kernel's file. Ends this command with a message if there is none, or if
 * neither a word nor $KST_KERNEL is that file.
 */
void swap_find(struct swap *s, const char *elf);
void swap_done(struct swap *s);

/*
 * Adds the command's words, with `kernel`, which is s->own or s->other, in the
 * place of its own, and sets $KST_KERNEL.
 */
void swap_words(struct swap *s, const char *kernel, struct words *w);

/*
 * Runs one of kst's commands, whose words are freed, and hands on a wish to
 * end, as job_wait() does not. Its output goes to the file `to`, or, if that is
 * NULL, to ours. Returns an exit status.
 */
int swap_run(struct words *w, const char *to, bool terminal);

enum { SWAP_OLD, SWAP_NEW, SWAP_SIDES };

/*
 * Runs the command with its own kernel, kernel[SWAP_NEW], and, if that went
 * well, with the other; `words` adds the words of each run. What follows on the
 * standard output begins a line. Returns an exit status; a wish to end is
 * EXIT_FAILED.
 */
int swap_both(const char *const kernel[SWAP_SIDES],
    void (*words)(void *arg, int side, struct words *w), void *arg);

#endif
