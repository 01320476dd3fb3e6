/* SPDX-License-Identifier: ISC */
#include "os/osthreads.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "opt/opt.h"

/* How many threads there may be, bytes of each, and of a stack. */
enum { OS_COUNT = 1 << 15, OS_SIZE = 16 << 10, OS_STACK = 64 << 10 };

/* A number below `most`; false: there is none. */
static bool
take_number(const char **p, size_t *len, uint32_t most, uint32_t *to)
{
	const char *word;
	size_t n = bytes_take_word(p, len, &word);
	uint64_t v = 0;

	if (n == 0 || num_address(word, n, &v) != 0 || v >= most)
		return false;
	*to = (uint32_t)v;
	return true;
}

/* `OFFSET 2=waiting 3=ready` */
static bool
take_states(struct os_threads *t, const char *p, size_t len)
{
#define WORD_AFTER_BLANK(id, word) " " word
	static const char words[] = TRACE_STATES(WORD_AFTER_BLANK);
	const char *word;
	size_t n;

	if (!take_number(&p, &len, OS_SIZE, &t->state))
		return false;
	for (t->n_states = 0; (n = bytes_take_word(&p, &len, &word)) > 0;) {
		const char *is = memchr(word, '=', n);
		struct os_state *s = &t->states[t->n_states];
		size_t before = is ? (size_t)(is - word) : 0, rest = before;
		int k = is ? opt_word(words + 1, is + 1, n - before - 1) : -1;

		if (k < 0 || t->n_states == OS_STATES ||
		    !take_number(&word, &rest, UINT32_MAX, &s->value))
			return false;
		s->is = (enum trace_state)k;
		t->n_states++;
	}
	return t->n_states > 0;
}

/* `pc OFFSET sp OFFSET 9 OFFSET`: names, or numbers of DWARF. */
static bool
take_registers(struct os_threads *t, const char *p, size_t len)
{
	const char *word;
	size_t n;

	for (t->n_registers = 0; (n = bytes_take_word(&p, &len, &word)) > 0;) {
		struct os_register *r = &t->registers[t->n_registers];
		const int k = opt_word("pc sp fp", word, n);
		uint32_t reg = (uint32_t)(OS_PC + k);

		if (t->n_registers == OS_REGISTERS ||
		    (k < 0 && !take_number(&word, &n, 64, &reg)) ||
		    !take_number(&p, &len, OS_SIZE - 8, &r->at))
			return false;
		r->reg = (uint8_t)reg;
		t->n_registers++;
	}
	return t->n_registers > 1;
}

const char *
osthreads_line(struct os_threads *t, const char *p, size_t len)
{
	const char *word, *name;
	size_t n = bytes_take_word(&p, &len, &word), k;
	bool ok = false;

	if (bytes_is(word, n, "array") &&
	    (k = bytes_take_word(&p, &len, &name)) > 0) {
		free(t->array);
		t->array = xmemdup0(name, k);
		ok = take_number(&p, &len, OS_COUNT, &t->count) &&
		     take_number(&p, &len, OS_SIZE, &t->size) && t->size > 0;
	} else if (bytes_is(word, n, "name")) {
		ok = take_number(&p, &len, OS_SIZE - 16, &t->name);
	} else if (bytes_is(word, n, "number")) {
		ok = take_number(&p, &len, OS_SIZE - 4, &t->number);
	} else if (bytes_is(word, n, "stack")) {
		ok = take_number(&p, &len, OS_SIZE - 8, &t->stack) &&
		     take_number(&p, &len, OS_STACK + 1, &t->stack_size);
	} else if (bytes_is(word, n, "state")) {
		return take_states(t, p, len) ? NULL : "a wrong list of states";
	} else if (bytes_is(word, n, "registers")) {
		return take_registers(t, p, len) ? NULL
						 : "a wrong list of registers";
	}
	return ok ? NULL : "not what `threads` can have";
}

void
osthreads_done(struct os_threads *t)
{
	free(t->array);
}
