/* SPDX-License-Identifier: ISC */
/*
 * Adds options to a QEMU that a command starts by its name, such as `make
 * qemu`, which hands no words on: $PATH begins with a folder in which each QEMU
 * of the other folders is a script that starts that with $KST_QEMU_ARGS after
 * its own options, unless these have it already. Where $KST_QEMU_KERNEL is set,
 * a word that is this file becomes $KST_KERNEL. Where that is `-kernel`, what
 * follows that option is added to the file $KST_QEMU_SEEN, if that is set, and
 * becomes $KST_KERNEL, if that is set. If there is no such word, QEMU is not
 * started: the script ends with status 2, and the file has a line `!`.
 */
#ifndef KST_QEMUPATH_H
#define KST_QEMUPATH_H

#include <stdbool.h>

#include "opt/words.h"

/* Sets $KST_QEMU_ARGS: the options, with a space between two. */
void qemupath_args(const struct words *options);

/*
 * Adds the words of a command, and the options after them, or else makes the
 * folder and sets $PATH and $KST_QEMU_ARGS: for a tool that builds, for a
 * shell's script that hands no words on and has not `other`, a variable that
 * does instead (NULL: there is none), and for all with $KST_QEMU_KERNEL. Where
 * a folder does not do (options with white space in them, nothing in it can be
 * executed, its name has a colon), a message says so of a script; or why it
 * cannot be made. Folders beside it that killed commands have left are removed.
 */
void qemupath_words(struct words *w, char *const *argv,
    const struct words *options, const char *dir, const char *other);

/* Whether a QEMU was not started since no word of it was the kernel. */
bool qemupath_refused(void);

/* Removes the folder, if it is there. $PATH stays. */
void qemupath_end(const char *dir);

#endif
