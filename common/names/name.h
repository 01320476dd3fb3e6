/* SPDX-License-Identifier: ISC */
/*
 * Names of functions as debuggers and demanglers print them: where a name
 * ends, and which of its parts are generics and parameters. Brackets are
 * balanced with a bounded stack, `->` and the operators of C++ close nothing.
 */
#ifndef KST_NAME_H
#define KST_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * A name longer than this is left as it is. Bounded so that the time a
 * hostile name takes is bounded.
 */
enum { NAME_MAX_LEN = 1 << 15 };

/*
 * The name in a frame's text: `0x1 in f (a=1) at x.c:3` has the name `f`.
 * With gdb false only the literal ` (...)` and ` ()` count as arguments, as
 * in folded text, where `User PID=3 (shell)` is a name. Never empty: a text
 * that has no name is its own name.
 */
void name_of_frame(const char *text, size_t len, bool gdb, const char **name,
    size_t *name_len);

/* What name_strip() takes off. */
struct name_parts {
	bool generics;	 /* `<...>`, and `<A as B>::f` becomes `A::f` */
	bool parameters; /* `(...)`, a return type before and `const` behind */
};

/*
 * Appends the name without those parts to *out. Appends nothing when nothing
 * would be left.
 */
void name_strip(
    const char *name, size_t len, struct name_parts parts, struct buf *out);

#endif
