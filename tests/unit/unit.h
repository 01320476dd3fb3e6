/* SPDX-License-Identifier: ISC */
/* A unit test is a program that returns unit_end(); it says what failed. */
#ifndef UNIT_H
#define UNIT_H

#include <stdio.h>
#include <string.h>

static int unit_failed, unit_done;

#define CHECK(cond)                                                            \
	do {                                                                   \
		unit_done++;                                                   \
		if (!(cond)) {                                                 \
			unit_failed++;                                         \
			printf(                                                \
			    "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
		}                                                              \
	} while (0)

/* Compares bytes with a C string; of no bytes P may be NULL. */
#define CHECK_TEXT(p, len, want)                                           \
	do {                                                               \
		unit_done++;                                               \
		if ((len) != strlen(want) ||                               \
		    ((len) != 0 && memcmp(p, want, len) != 0)) {           \
			unit_failed++;                                     \
			printf("%s:%d: got '%.*s', want '%s'\n", __FILE__, \
			    __LINE__, (int)(len), p, want);                \
		}                                                          \
	} while (0)

static inline int
unit_end(void)
{
	if (unit_done == 0)
		printf("no check was made\n");
	return unit_failed != 0 || unit_done == 0;
}

#endif
