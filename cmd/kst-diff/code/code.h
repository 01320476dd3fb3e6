/* SPDX-License-Identifier: ISC */
/* Functions whose own code differs between two kernels, as kst-sym says. */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* How a function's code differs; NULL in a row: it does not. */
struct code_func {
	const char *how;   /* differs, added, removed */
	const char *plain; /* its readable name */
	bool ran;	   /* a row has it */
};

struct code {
	char *text;
	struct code_func *v;
	size_t n, cap;
	struct code_name {
		const char *name;
		size_t func;
	} * names; /* sorted; a function may have two */
	size_t n_names, cap_names;
};

/* Asks kst-sym; `files` is OLD,NEW. Returns -1 after a message. */
int code_ask(struct code *c, const char *files);
void code_done(struct code *c);

/* The function of that name, which has run then; NULL: its code is equal. */
const struct code_func *code_find(struct code *c, const char *name);

/*
 * `3 functions whose code differs never ran: a, b, c`, or of samples, which do
 * not show that, `were in no sample: a, b, c`; empty: none.
 */
void code_rest(const struct code *c, bool sampled, struct buf *b);

#endif
