/* SPDX-License-Identifier: ISC */
/* What command lines of QEMU say: where its guest can be sampled, its kernel.
 */
#ifndef QEMU_H
#define QEMU_H

#include <stdbool.h>

#include "opt/words.h"

struct qemu_guest {
	long pid;     /* 0: none */
	char *name;   /* of the program */
	char *remote; /* as --remote takes it; NULL: there is no way in */
	char *kernel; /* what -kernel names: an ELF file, Linux; or NULL */
	bool named;   /* an argument is the file that is looked for */
};

/* Whether a program's path is QEMU's. */
bool qemu_is(const char *path);

/*
 * The options by which a QEMU that we start can be sampled: a gdb stub on the
 * socket, and -S if the guest is to wait for us.
 */
void qemu_options(struct words *w, const char *socket, bool wait);

/*
 * The command's words, with the options handed on: "end": as its last words;
 * "env": not at all, they are in the environment alone; a word that has `{}`:
 * as this word, with all of them in the place of `{}`. NULL: "env" for tools
 * that build, as they have options of their own, else "end".
 */
void qemu_command(struct words *w, char *const *argv,
    const struct words *options, const char *how);

/* Whether such a command hands them on by the environment alone. */
bool qemu_by_env(const char *program, const char *how);

/* The kernel that a command line names by -kernel, or NULL; to be freed. */
char *qemu_kernel(char *const *argv, const char *dir);

/*
 * What a command line says, relative to its folder; freed by qemu_free(). `elf`
 * is the file that is looked for, or NULL.
 */
void qemu_read(
    struct qemu_guest *g, char *const *argv, const char *dir, const char *elf);

/*
 * This user's guests that run on this machine. *guests is freed by qemu_free().
 * Returns how many there are.
 */
size_t qemu_find(struct qemu_guest **guests, const char *elf);
void qemu_free(struct qemu_guest *guests, size_t n);

#endif
