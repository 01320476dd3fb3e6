/* SPDX-License-Identifier: ISC */
/*
 * The script that a command runs, `./run.sh`, `sh run.sh`, `sh -c TEXT`,
 * `./run.py`: whether it hands its arguments on to QEMU can be read before it
 * runs.
 */
#ifndef KST_SCRIPT_H
#define KST_SCRIPT_H

#include <stdbool.h>

struct script {
	const char *name; /* of the command's words; NULL: no script */
	bool shell;
	char text[1 << 16]; /* its beginning */
};

/* Reads it, if it is one: of a shell, or of what its first line names. */
void script_load(struct script *s, char *const *argv);

/*
 * Whether it has QEMU's name, and neither "$@" nor "$*", by which a shell hands
 * on arguments.
 */
bool script_is_deaf(const struct script *s);

/* Whether the command is one. */
bool script_is(char *const *argv);

/* Whether a word of the command, or its script, has this text. */
bool script_names(char *const *argv, const char *text);

/* Whether it is a tool that builds, and so has options of its own: make, cargo.
 */
bool script_is_builder(const char *program);

/*
 * Whether a command does not hand words that are added to it on to QEMU: a tool
 * that builds, or a script that is deaf or does nothing with its words, and has
 * not `other`, a variable that does instead.
 */
bool script_keeps(char *const *argv, const char *other);

/* Says so of the command's script. */
void script_warn(char *const *argv, const char *other);

#endif
