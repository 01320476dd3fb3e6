/* SPDX-License-Identifier: ISC */
/* What the first bytes of a capture say of it. */
#ifndef KST_LOOK_H
#define KST_LOOK_H

#include <stdbool.h>
#include <stddef.h>

/* The command that unpacks it from a pipe, NULL-ended; NULL: none is needed. */
char *const *look_unpacker(const char *p, size_t n);

/* The packer whose files are not read, if it looks like one; else NULL. */
const char *look_foreign(const char *p, size_t n);

bool look_json(const char *p, size_t n);

#endif
