/* SPDX-License-Identifier: ISC */
/* Finds the data files that a user may read, copy and edit. */
#ifndef KST_SHARE_H
#define KST_SHARE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Finds the file that an option names, in this order: (1) a name with `/` in
 * it, or with the suffix, is tried as a file; (2) any other name is DIR/NAME or
 * DIR/NAMESUFFIX in $KST_SHARE, beside the command's own file (in a build tree
 * or an installation) or in the configured data folder; (3) then the name is
 * tried as a file. So a file in the current directory does not hide installed
 * data by chance. Returns 0 with the path in *path (a C string), or -1 with
 * errno.
 */
int share_find(
    const char *dir, const char *name, const char *suffix, struct buf *path);

/*
 * Calls `use` with the path of each data file in the folder that share_find()
 * finds, in the order of names, until `use` returns false. Returns 0, or -1
 * with errno if the folder cannot be read.
 */
int share_each(const char *dir, const char *suffix,
    bool (*use)(void *of, const char *path), void *of);

/*
 * After share_find() has failed: says what is wrong, and which names there are.
 */
void share_missing(const char *dir, const char *name, const char *suffix);

/*
 * Appends a file of at most max bytes, a NUL after them. Returns 0, or -1 after
 * a message.
 */
int share_read(const char *path, size_t max, struct buf *text);

/*
 * As share_read(), for an open file. Returns 1 if the file has more than max
 * bytes, -1 with errno if it cannot be read.
 */
int share_fill(int fd, size_t max, struct buf *text);

#endif
