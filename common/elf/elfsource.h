/* SPDX-License-Identifier: ISC */
/*
 * Which source file each function of an ELF file is from. DWARF tells it, also
 * of inlined functions; else the symbol table's FILE symbols, of static
 * functions and of those between two of one file.
 */
#ifndef KST_ELFSOURCE_H
#define KST_ELFSOURCE_H

#include <stddef.h>

struct buf;

/* A function's raw name, and a path, relative to the compiler's folder. */
struct elfsource {
	const char *name, *file; /* `name` alone ends with NUL */
	size_t name_len, file_len;
};

/*
 * Calls `take` for functions and then for inlined ones, in no order that means
 * something; a name may come several times. The texts live as long as the
 * call. The file may be hostile: limits of time and memory go with its size.
 * Returns -1 with the reason in *err if it is not an ELF file; what is damaged
 * in it is left out.
 */
int elfsource_each(const char *path,
    void (*take)(void *ctx, const struct elfsource *s), void *ctx,
    struct buf *err);

#endif
