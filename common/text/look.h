/* SPDX-License-Identifier: ISC */
/* Tells a capture's kind from its first bytes. */
#ifndef KST_LOOK_H
#define KST_LOOK_H

#include <stdbool.h>
#include <stddef.h>

/* The command that unpacks it from a pipe, NULL-ended; NULL if it is plain. */
char *const *look_unpacker(const char *p, size_t n);

/* The packer of an unsupported packed file, else NULL. */
const char *look_foreign(const char *p, size_t n);

bool look_json(const char *p, size_t n);

#endif
