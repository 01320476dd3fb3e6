/* SPDX-License-Identifier: ISC */
/*
 * Says which arguments and results the records of a function carry. The info
 * file's `argspec` and `retspec`, the lists of `--auto-args`, and .dbg files
 * have that. A spec is a text such as `arg1/s,arg2/d32,fparg1/64`.
 */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stddef.h>

struct dat;
struct func;
struct spec;  /* of a function: arguments or results */
struct specs; /* all of the info file */

struct specs *specs_new(void);
void specs_free(struct specs *s);

/* Takes a line of the info file, `KEY:VALUE`; other keys are ignored. */
void specs_line(struct specs *s, const char *line, size_t len, bool lp64);

/* Parses a spec, which the caller frees. NULL if the text is wrong. */
struct spec *spec_parse(const char *text, size_t len, bool lp64, bool ret);

/* A function's spec, or NULL. */
const struct spec *specs_find(
    const struct specs *s, const struct func *f, bool ret);

/* The length of the current record's payload; -1 if the file ends within it. */
long spec_size(const struct spec *sp, struct dat *d);

/*
 * uftrace's demangled name, with or without parameters, to be freed; NULL if it
 * is not mangled.
 */
char *spec_demangled(const char *name, bool parameters);

#endif
