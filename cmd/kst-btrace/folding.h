/* SPDX-License-Identifier: ISC */
/* Folds gathered stacks and adds up equal ones. */
#ifndef FOLDING_H
#define FOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"
#include "opt/opt.h"

struct buf;
struct key_span;
struct raw_stack;
struct rules;

enum folding_mode {
	MODE_NONE, /* only where a stack has no frames */
	MODE_ROOT, /* `kernel` or `userland` is the root of a stack */
	MODE_MARK  /* frames of the kernel end in `_[k]` */
};

struct folding_options {
	enum folding_mode mode;
	bool keep_offset;
	uint64_t skip;	   /* leaf frames of every kernel stack */
	struct rules *own; /* may be NULL */
};

struct folding;

/* The options must outlive the struct. */
struct folding *folding_new(const struct folding_options *opt);
void folding_free(struct folding *s);

/* Adds the stack; returns -1 if its sum exceeds 64 bits. */
int folding_add(struct folding *s, const struct raw_stack *raw);

/*
 * Writes folded text, sorted bytewise. With stacks of several maps, the map's
 * name is the root.
 */
void folding_put(const struct folding *s);

/*
 * In own.c: the frames of dt(4) itself at the leaf of a kernel stack, by the
 * rules in share/rules/openbsd-dt.rules. On some machines dt(4) omits a fixed
 * number of its frames, on others none; rules on names fit both.
 */

/*
 * Adds the groups [CONTEXT] and [CONTEXT-ARCH]; arch NULL: of all machines.
 * Returns the exit status, after a message.
 */
int own_load(struct rules *rules, const char *context, const char *arch);

/*
 * How many of the n frames, leaf first, are the tracer's: the run that the
 * rules skip or, if they skip the leaf and name an interrupt's entry, all up to
 * the first entry. *name is scratch.
 */
size_t own_count(struct rules *rules, const struct key_span *frames, size_t n,
    struct buf *name);

/* In run.c: from the text to folded stacks, and the summary. */
struct run_options {
	struct folding_options stacks;
	enum line_number value;
	struct opt_list maps; /* with or without `@`; none: all maps */
	const char *unit;     /* of the weights; NULL: not known */
	bool no_trailer, verbose;
};

/* Returns the exit status. */
int run(const struct run_options *opt, char **files, int n_files);

#endif
