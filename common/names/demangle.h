/* SPDX-License-Identifier: ISC */
/*
 * Makes linker names of C++ and Rust readable, by libiberty, within limits that
 * protect from hostile names.
 */
#ifndef KST_DEMANGLE_H
#define KST_DEMANGLE_H

#include <stddef.h>

#include "base/port.h"

struct buf;

enum {
	DEMANGLE_IN_MAX =
	    PORT_LIMIT(8 << 10, 256), /* bytes of a mangled name */
	/* bytes of what it may become */
	DEMANGLE_OUT_MAX = PORT_LIMIT(64 << 10, 2 << 10),
	DEMANGLE_MS_MAX = PORT_LIMIT(100, 40) /* CPU time a name may take */
};

/*
 * Appends the readable form of a C++, Rust legacy (without its hash) or Rust v0
 * name to *out, without control characters. The `.llvm.N` of an optimising
 * linker goes; a name of Mach-O has one more `_` at its beginning; C++ names
 * keep their parameters. Returns 1. For other names and those beyond the
 * limits, returns 0 with *out unchanged: show such a name raw. libiberty gives
 * up on C++ names of more than 1 KiB.
 *
 * Not thread-safe: from the first name on that could take long, ITIMER_VIRTUAL
 * and SIGVTALRM are in use.
 */
int demangle_name(const char *mangled, size_t len, struct buf *out);

/*
 * Appends the name that kst-clean makes of it, by its default rules: readable,
 * without parameters, generic arguments, Rust's `::{closure#0}` and what a
 * compiler appends to its copies. What follows the linker's name, such as
 * `@plt` or ` at FILE:LINE`, stays. Returns 1, or 0 with *out unchanged.
 */
int demangle_plain(const char *name, size_t len, struct buf *out);

/*
 * Appends a Rust legacy name that was demangled as one of C++,
 * `_$LT$a..B$GT$::f`, as `<a::B>::f`. Returns 1, or 0 with *out unchanged if it
 * has no such escapes.
 */
int demangle_escapes(const char *name, size_t len, struct buf *out);

#endif
