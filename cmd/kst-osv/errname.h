/* SPDX-License-Identifier: ISC */
/* The names of OSv's error numbers, which are those of Linux on x86-64. */
#ifndef ERRNAME_H
#define ERRNAME_H

#include <stdint.h>

/* `ENOENT` for 2; NULL when the number has no name. */
const char *errname(uint64_t number);

#endif
