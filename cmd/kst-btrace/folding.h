/* SPDX-License-Identifier: ISC */
/* Folds gathered stacks and adds up equal ones. */
#ifndef FOLDING_H
#define FOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "lines.h"
#include "opt/opt.h"

struct buf;
struct rules;

struct options {
	const char *arch, *context;
	struct rules *own; /* of that context; or NULL */
	enum {
		MODE_NONE, /* only where a stack has no frames */
		MODE_ROOT, /* `kernel` or `userland` is the root of a stack */
		MODE_MARK  /* frames of the kernel end in `_[k]` */
	} mode;
	bool keep_offset;
	uint64_t skip; /* leaf frames of every kernel stack */
	enum line_number value;
	struct opt_list maps; /* with or without `@`; none: all maps */
	const char *unit;     /* of the weights; NULL: not known */
	bool no_trailer, verbose;
};

struct folding;

/* The options must outlive the struct. */
struct folding *folding_new(const struct options *o);
void folding_free(struct folding *s);

/*
 * Adds a stack: a map's name, with `@`, and `[`, or nothing for a printf
 * stream; then the text of its key, see lines.h. `cut`: btrace cut that at its
 * length limit. Returns -1 if the stack's sum exceeds 64 bits.
 */
int folding_add(struct folding *s, struct piece text, size_t map_len, bool cut,
    uint64_t weight);

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
size_t own_count(struct rules *rules, const struct piece *frames, size_t n,
    struct buf *name);

/* In run.c: from the text to folded stacks, and the summary. */
/* Returns the exit status. */
int run(const struct options *o, char **files, int n_files);

#endif
