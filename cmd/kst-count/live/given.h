/* SPDX-License-Identifier: ISC */
/* The kernel's file that QEMU was given by -kernel, if that is an ELF file. */
#ifndef GIVEN_H
#define GIVEN_H

#include <limits.h>
#include <stdbool.h>

struct live;

/* Sets `path`; false: there is none. The words of a command, relative to the
 * current folder. */
bool given_to(char *const *argv, char path[PATH_MAX]);

/* Of the QEMU that runs, whose command line and folder are known. */
bool given_live(const struct live *v, char path[PATH_MAX]);

#endif
