/* SPDX-License-Identifier: ISC */
/*
 * Which arguments and results the records of a function carry: the `argspec`
 * and `retspec` of the info file, the lists that `--auto-args` used, and the
 * .dbg files. A spec is a text such as `arg1/s,arg2/d32,fparg1/64`.
 */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct dat;
struct spec;  /* of one function, arguments or results */
struct specs; /* all of the info file */

struct specs *specs_new(void);
void specs_free(struct specs *s);

/*
 * A line of the info file, `KEY:VALUE`; others than those about arguments are
 * ignored.
 */
void specs_line(struct specs *s, const char *line, size_t len, bool lp64);

/* A spec out of its text, to be freed by free(); NULL when it is none. */
struct spec *spec_parse(const char *text, size_t len, bool lp64, bool ret);

/* The spec for a function, or NULL; `dbg` is what its .dbg file says. */
const struct spec *specs_find(struct specs *s, const char *name, size_t len,
    const struct spec *dbg, bool ret);

/*
 * The length of the current record's payload, whose text is appended to b;
 * -1 when the file ends within it.
 */
long spec_read(const struct spec *sp, struct dat *d, struct buf *b);

#endif
