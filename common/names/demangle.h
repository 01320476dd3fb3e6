/* SPDX-License-Identifier: ISC */
/*
 * Linker names of C++ and Rust, made readable by libiberty's demangler, with
 * limits that hold against names made to be expensive.
 */
#ifndef KST_DEMANGLE_H
#define KST_DEMANGLE_H

#include <stddef.h>

struct buf;

enum {
	DEMANGLE_IN_MAX = 8 << 10,   /* bytes of a mangled name */
	DEMANGLE_OUT_MAX = 64 << 10, /* bytes of what it may become */
	DEMANGLE_MS_MAX = 100	     /* CPU time a name may take */
};

/*
 * Appends the readable form of a C++, Rust legacy (without its hash) or Rust
 * v0 name to *out; a `.llvm.N` suffix, which the linker's optimiser adds, is
 * dropped. C++ names keep their parameter list. Returns 1, or 0 with *out as
 * it was when the name is none of these, or breaks a limit: then the raw name
 * is the one to show. libiberty itself gives up on C++ names of more than
 * 1 KiB. The result holds no control character.
 *
 * Not for threads: a name that could keep the demangler busy is timed with
 * ITIMER_VIRTUAL and SIGVTALRM, which are put back as they were.
 */
int demangle_name(const char *mangled, size_t len, struct buf *out);

#endif
