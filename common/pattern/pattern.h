/* SPDX-License-Identifier: ISC */
/*
 * Patterns of functions, as options have them. A room of its own, since not all
 * that has patterns needs a demangler.
 */
#ifndef KST_PATTERN_H
#define KST_PATTERN_H

#include <stddef.h>

struct buf;
struct rx;

/*
 * An option's `call`, of a struct rx * that is freed before. A whole name of
 * the linker, `_ZN3dev5probeEi`, also matches as kst shows it, `dev::probe`.
 */
int pattern_option(void *rx, const char *arg, struct buf *err);

enum { WHILE_MAX = 4 };

/* A stack matches that has, for each of them, a frame that matches. */
struct patterns {
	struct rx *v[WHILE_MAX];
	size_t n;
};

/* An option's `call`, of struct patterns, to which it adds one. */
int patterns_option(void *patterns, const char *arg, struct buf *err);
void patterns_done(struct patterns *p);

#endif
