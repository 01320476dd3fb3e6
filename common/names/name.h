/* SPDX-License-Identifier: ISC */
/*
 * Takes apart function names as debuggers and demanglers print them: where a
 * name ends, and which parts are generics and parameters. Brackets are balanced
 * with a bounded stack; `->` and C++'s operators close nothing.
 */
#ifndef KST_NAME_H
#define KST_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct buf;

/* A longer name is left as it is, so that the time for a name is bounded. */
enum { NAME_MAX_LEN = 1 << 15 };

/*
 * The name in a frame's text: `f` of `0x1 in f (a=1) at x.c:3`. In text that is
 * not gdb's, such as folded text, only the literal ` (...)` and ` ()` are
 * arguments: `User PID=3 (shell)` is a name. A text without a name is its own
 * name, so that no name is empty. The name of gdb's `0x1 in  ()` is `??`.
 */
void name_of_frame(const char *text, size_t len, bool gdb, const char **name,
    size_t *name_len);

/*
 * The length of an address such as `0x12ab` at the beginning of a text, or 0.
 * It is the name of a frame `0x12ab in ?? ()`.
 */
size_t name_address(const char *text, size_t len);

/*
 * The length of what stands before ` at FILE:LINE` at the end of a frame's
 * text; `len` if the text does not end so. ` [tail call]` may follow.
 */
size_t name_line(const char *text, size_t len);

/* The length of `_[k]`, `_[i]`, `_[j]` or `_[w]` at a name's end, or 0. */
size_t name_annotation(const char *name, size_t len);

/* What name_strip() removes. */
enum name_part {
	NAME_GENERICS,	 /* `<...>`, and `<A as B>::f` becomes `A::f` */
	NAME_PARAMETERS, /* `(...)`, the return type before and `const` after */
	NAME_SUFFIX	 /* `.part.0.cold`, ` [clone .cold]`, `@@GLIBC_2.14` */
};

/*
 * Of other files: namestrip.c takes names apart where name.c finds them.
 * Appends the name without those parts to *out; nothing if nothing remains.
 */
void name_strip(
    const char *name, size_t len, enum name_part part, struct buf *out);

#endif
