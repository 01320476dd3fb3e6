/* SPDX-License-Identifier: ISC */
/* Finds the data files that a user may read, copy and edit. */
#ifndef KST_SHARE_H
#define KST_SHARE_H

struct buf;

/*
 * Finds the file that an option names. A name with `/` in it, or that ends in
 * the suffix, is a file first; another is DIR/NAME or DIR/NAMESUFFIX in
 * $KST_SHARE, beside the command's own file (in a build tree or an
 * installation) or in the configured data folder, and only then a file: one
 * in the working folder must not take the place of installed data by chance.
 * Returns 0 with the path in *path (a C string), or -1 with errno.
 */
int share_find(
    const char *dir, const char *name, const char *suffix, struct buf *path);

#endif
