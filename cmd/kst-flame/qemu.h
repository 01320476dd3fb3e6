/* SPDX-License-Identifier: ISC */
/* What command lines of QEMU say: where its guest can be sampled, its kernel.
 */
#ifndef QEMU_H
#define QEMU_H

#include <stdbool.h>

#include "opt/words.h"

struct qemu_line {
	char *const *argv;
	const char *dir;     /* of its relative names; NULL: ours */
	struct words *texts; /* keep what is found */
};

struct qemu_guest {
	long pid;
	const char *name;   /* of the program */
	const char *remote; /* as --remote takes it; NULL: there is no way in */
	const char *kernel; /* see qemu_kernel() */
	bool named;	    /* an argument is the file that is looked for */
};

/*
 * The options by which a QEMU that we start can be sampled: a gdb stub on the
 * socket, and -S if the guest is to wait for us.
 */
void qemu_options(struct words *w, const char *socket, bool wait);

/*
 * The command's words, with the options handed on: "end": as its last words;
 * "env": not at all, they are in the environment alone; a word that has `{}`:
 * as this word, with $KST_QEMU_ARGS in the place of `{}`.
 */
void qemu_command(struct words *w, char *const *argv,
    const struct words *options, const char *how);

/*
 * The ELF file or Linux that -kernel names, or else -device loader,file=FILE,
 * or NULL.
 */
const char *qemu_kernel(const struct qemu_line *l);

/*
 * Whether the program is QEMU; if so, what its command line says. `elf` is the
 * file that is looked for, or NULL.
 */
bool qemu_read(
    struct qemu_guest *g, const struct qemu_line *l, const char *elf);

/*
 * This user's guests that run on this machine, to be freed. Returns how many
 * there are.
 */
size_t qemu_find(
    struct qemu_guest **guests, const char *elf, struct words *texts);

/*
 * Whether a QEMU that this process has started, or what it has started, was not
 * told of the socket: now, and when this was asked last, for *pid. Says so.
 */
bool qemu_deaf(const char *socket, long *pid);

#endif
