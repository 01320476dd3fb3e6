/* SPDX-License-Identifier: ISC */
/*
 * Decides which of two shapes the text of a file has: trace text or folded
 * text.
 */
#ifndef KST_SHAPE_H
#define KST_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/in.h"
#include "opt/opt.h"

#define SHAPES(X)               \
	X(SHAPE_AUTO, "auto")   \
	X(SHAPE_TRACE, "trace") \
	X(SHAPE_FOLDED, "folded")
enum shape { SHAPES(OPT_ID) };

/*
 * Looks at up to 64 KiB of unread lines at the beginning of a file without
 * taking them. A frame, a thread header or a mark of ours makes trace text;
 * else most lines decide: folded text if they are `a;b 3` (which counts twice)
 * or `a 3`. Eight lines `a;b 3` and no others are enough.
 */
enum shape shape_detect(struct in *in);

/* Whether it finds such a line, or a packed file: most lines do not count. */
bool shape_is_trace(struct in *in);

/* Reads the rest of the current file for ctx; returns how many stacks it had.
 */
typedef uint64_t shape_reader(void *ctx, struct in *in);

/*
 * Reads all files, each as its shape demands or, unless SHAPE_AUTO, as asked.
 * Returns false, after messages, if one had no stack.
 */
bool shape_read(struct in *in, enum shape shape, shape_reader *trace,
    shape_reader *folded, void *ctx);

#endif
