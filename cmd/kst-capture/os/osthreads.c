/* SPDX-License-Identifier: ISC */
#include "os/osthreads.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "opt/opt.h"
#include "elffile/elfplace.h"

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

static bool
keep(struct os_threads *t, const char *word, size_t n, const char **to)
{
	if (t->n_word == OS_WORDS)
		return false;
	t->word[t->n_word] = xmemdup0(word, n);
	*to = t->word[t->n_word++];
	return true;
}

bool
osthreads_words(const char *word, size_t n, uint64_t *to)
{
	return n > 1 && word[n - 1] == 'w' &&
	       num_address(word, n - 1, to) == 0 && *to < OS_SIZE;
}

/* A place; false: there is none. Numbers are offsets in a structure. */
static bool
take_place(struct os_threads *t, const char **p, size_t *len, const char **to)
{
	const char *word;
	const size_t n = bytes_take_word(p, len, &word);
	uint64_t v = 0;

	return (osthreads_words(word, n, &v) ||
		   (elfplace_valid(word, n) &&
		       (num_address(word, n, &v) != 0 || v < OS_SIZE))) &&
	       keep(t, word, n, to);
}

/* A state by its word. */
static bool
take_state(const char *word, size_t n, enum trace_state *to)
{
#define WORD_AFTER_BLANK(id, word) " " word
	static const char words[] = TRACE_STATES(WORD_AFTER_BLANK);
	const int k = opt_word(words + 1, word, n);

	if (k < 0)
		return false;
	*to = (enum trace_state)k;
	return true;
}

/* Whether the next word begins with `c`, which is then taken. */
static bool
take_sign(const char **p, size_t *len, char c)
{
	while (*len > 0 && bytes_is_blank(**p))
		++*p, --*len;
	if (*len == 0 || **p != c)
		return false;
	++*p, --*len;
	return true;
}

/* `[NODE] [=STATE]`: the state of all threads of a source; then nothing. */
static bool
take_end(struct os_threads *t, const char *p, size_t len, struct os_source *s)
{
	bool state = take_sign(&p, &len, '=');
	const char *word;
	size_t n;

	if (!state && s->shape == OS_LIST && len > 0) {
		if (!take_place(t, &p, &len, &s->node))
			return false;
		state = take_sign(&p, &len, '=');
	}
	n = state ? bytes_take_word(&p, &len, &word) : 0;
	return (!state || take_state(word, n, &s->is)) &&
	       bytes_take_word(&p, &len, &word) == 0;
}

/* `SYMBOL COUNT SIZE`, `FIRST NEXT [NODE]` or `TABLE COUNT`, and a state. */
static bool
take_source(
    struct os_threads *t, enum os_shape shape, const char *p, size_t len)
{
	struct os_source s = {.shape = shape};

	if (t->n_source == OS_SOURCES || !take_place(t, &p, &len, &s.at))
		return false;
	switch (shape) {
	case OS_LIST:
		if (!take_place(t, &p, &len, &s.next))
			return false;
		break;
	case OS_ARRAY:
		if (!take_place(t, &p, &len, &s.count) ||
		    !take_place(t, &p, &len, &s.size))
			return false;
		break;
	default:
		if (!take_place(t, &p, &len, &s.count))
			return false;
	}
	if (!take_end(t, p, len, &s))
		return false;
	t->source[t->n_source++] = s;
	return true;
}

/* `OFFSET 2=waiting READY=ready` */
static bool
take_states(struct os_threads *t, const char *p, size_t len)
{
	const char *word;
	size_t n;

	if (!take_place(t, &p, &len, &t->state))
		return false;
	for (t->n_states = 0; (n = bytes_take_word(&p, &len, &word)) > 0;) {
		const char *is = memchr(word, '=', n);
		struct os_state *s = &t->states[t->n_states];
		const size_t before = is ? (size_t)(is - word) : 0;

		if (is == NULL || t->n_states == OS_STATES ||
		    !take_state(is + 1, n - before - 1, &s->is) ||
		    !elfplace_valid(word, before) ||
		    !keep(t, word, before, &s->value))
			return false;
		t->n_states++;
	}
	return t->n_states > 0;
}

/* Where a register is: `OFFSET`, `&OFFSET` or `=NUMBER`. */
static bool
take_held(
    struct os_threads *t, const char **p, size_t *len, struct os_register *r)
{
	const char *word;
	size_t n;
	uint64_t v;

	r->held = take_sign(p, len, '&')   ? OS_ADDRESS
		  : take_sign(p, len, '=') ? OS_VALUE
					   : OS_THERE;
	if (r->held != OS_VALUE)
		return take_place(t, p, len, &r->at);
	n = bytes_take_word(p, len, &word);
	return n > 0 && num_address(word, n, &v) == 0 &&
	       keep(t, word, n, &r->at);
}

/* `pc OFFSET sp OFFSET 9 OFFSET`: names, or numbers of DWARF. */
static bool
take_registers(struct os_threads *t, const char *p, size_t len)
{
	const char *word;
	size_t n;

	for (t->n_registers = 0; (n = bytes_take_word(&p, &len, &word)) > 0;) {
		struct os_register *r = &t->registers[t->n_registers];
		const int k = opt_word("pc sp fp fpu-sp", word, n);
		uint32_t reg = (uint32_t)(OS_PC + k);

		if (t->n_registers == OS_REGISTERS ||
		    (k < 0 && !take_number(&word, &n, 64, &reg)))
			return false;
		if (!take_held(t, &p, &len, r))
			return false;
		r->reg = (uint8_t)reg;
		t->n_registers++;
	}
	return t->n_registers > 1;
}

static bool
take_stack(struct os_threads *t, const char *p, size_t len)
{
	return take_place(t, &p, &len, &t->stack) &&
	       take_number(&p, &len, OS_STACK + 1, &t->stack_size) &&
	       t->stack_size > 0;
}

/* `OFFSET NUMBER FUNCTION` */
static bool
take_lock(struct os_threads *t, const char *p, size_t len)
{
	const char *word;
	size_t n;

	return take_place(t, &p, &len, &t->lock) &&
	       take_place(t, &p, &len, &t->holder) &&
	       (n = bytes_take_word(&p, &len, &word)) > 0 &&
	       keep(t, word, n, &t->waits);
}

const char *
osthreads_line(struct os_threads *t, const char *p, size_t len)
{
	static const char sources[] = "array list pointers";
	static const char offsets[] = "name number saved current";
	const char *word;
	const size_t n = bytes_take_word(&p, &len, &word);
	const char **const to[] = {
	    &t->name, &t->number, &t->saved, &t->current};
	int k;

	if ((k = opt_word(sources, word, n)) >= 0)
		return take_source(t, (enum os_shape)k, p, len)
			   ? NULL
			   : "not where threads can be";
	if ((k = opt_word(offsets, word, n)) >= 0)
		return take_place(t, &p, &len, to[k]) ? NULL : "a wrong place";
	if (bytes_is(word, n, "lock"))
		return take_lock(t, p, len) ? NULL : "a wrong lock";
	if (bytes_is(word, n, "stack"))
		return take_stack(t, p, len) ? NULL : "a wrong stack";
	if (bytes_is(word, n, "state"))
		return take_states(t, p, len) ? NULL : "a wrong list of states";
	if (bytes_is(word, n, "registers"))
		return take_registers(t, p, len) ? NULL
						 : "a wrong list of registers";
	return "not what `threads` can have";
}

void
osthreads_done(struct os_threads *t)
{
	for (size_t i = 0; i < t->n_word; i++)
		free(t->word[i]);
}
