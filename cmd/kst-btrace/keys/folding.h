/* SPDX-License-Identifier: ISC */
/* Folds gathered stacks and adds up equal ones. */
#ifndef FOLDING_H
#define FOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "keys/lines.h"
#include "opt/opt.h"

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
 * stream; then the text of its key, see key.h. `cut`: btrace cut the key at its
 * length limit. Returns -1 if the stack's sum exceeds 64 bits.
 */
int folding_add(struct folding *s, struct piece text, size_t map_len, bool cut,
    uint64_t weight);

/*
 * Writes folded text, sorted bytewise. With stacks of several maps, the map's
 * name is the root.
 */
void folding_put(const struct folding *s);

#endif
