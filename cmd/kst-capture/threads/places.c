/* SPDX-License-Identifier: ISC */
#include "threads/places.h"

#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "base/num.h"
#include "elf/elfsym.h"
#include "elffile/elfplace.h"

/* Where names are looked up. */
struct names {
	struct elfplaces *file;
	unsigned word; /* bytes of a pointer */
};

static bool
find(struct names *o, const char *word, bool address, struct elfplace *to,
    const char **why)
{
	static char lacks[160];

	if (word != NULL && osthreads_words(word, strlen(word), &to->at)) {
		to->at *= o->word;
		return true;
	}
	if (word == NULL || elfplaces_find(o->file, word, address, to))
		return true;
	if (*why == NULL)
		snprintf(lacks, sizeof lacks,
		    "the kernel's file has no %.40s, which the OS file names%s",
		    msg_str(word),
		    address ? "" : ": is it built without debug information?");
	*why = lacks;
	return false;
}

static bool
find_source(struct places *p, const struct os_threads *os, struct names *o,
    size_t i, const char **why)
{
	const struct os_source *from = &os->source[i];
	struct source *to = &p->source[p->n_source];
	struct elfplace next = {0}, node = {0}, size = {0};

	to->shape = from->shape;
	to->is = from->is;
	if (!find(o, from->at, true, &to->at, why) ||
	    !find(o, from->count, true, &to->count, why) ||
	    !find(o, from->next, false, &next, why) ||
	    !find(o, from->node, false, &node, why) ||
	    !find(o, from->size, false, &size, why))
		return false;
	to->next = next.at;
	to->node = node.at;
	to->size = size.at;
	if (to->shape == OS_ARRAY && !to->count.moves && to->count.at == 0 &&
	    to->size > 0)
		to->count.at = to->at.size / to->size;
	if (to->shape == OS_POINTERS && !to->count.moves && to->count.at == 0 &&
	    !to->at.through)
		to->count.at = to->at.size / o->word;
	if (to->shape == OS_LIST && to->next < to->node)
		*why = "the OS file has a list whose pointers lie before what "
		       "they point to";
	else if (to->shape == OS_ARRAY && !to->count.moves && to->at.size > 0 &&
		 to->at.size != to->count.at * to->size)
		*why = "the array of threads has another size in this kernel "
		       "than in the OS file: its members may be elsewhere";
	else if (to->shape == OS_ARRAY && (to->size == 0 || to->size > OS_SIZE))
		*why = "the OS file has an array without the size of a thread";
	p->n_source += *why == NULL;
	return *why == NULL;
}

/*
 * Lists that the kernel does not have are left out, if it has others: some are
 * there in some configurations only.
 */
static void
find_sources(struct places *p, const struct os_threads *os, struct names *o,
    const char **why)
{
	const char *lacks = NULL;
	bool lost[OS_SOURCES] = {false};
	struct elfplace at;

	for (size_t i = 0; i < os->n_source && *why == NULL; i++) {
		const struct os_source *s = &os->source[i];

		lost[i] = s->shape == OS_LIST && os->n_source > 1 &&
			  !find(o, s->at, true, &at, &lacks);
		if (!lost[i])
			find_source(p, os, o, i, why);
	}
	if (*why == NULL && p->n_source == 0)
		*why = lacks;
	for (size_t i = 0; i < os->n_source && *why == NULL; i++)
		if (lost[i])
			msg("this kernel has no list %s: threads are read from "
			    "its others",
			    msg_str(os->source[i].at));
}

/* A kernel that lacks what tells who has a lock has its threads all the same.
 */
static void
find_lock(struct places *p, const struct os_threads *os, struct names *o)
{
	struct elfplace lock;
	const char *lacks = NULL;

	p->locks = os->lock != NULL &&
		   find(o, os->holder, false, &p->holder, &lacks) &&
		   find(o, os->lock, false, &lock, &lacks);
	if (lacks != NULL)
		msg("who has a lock is not shown: %s", lacks);
}

/* Nor does it need their names. */
static const char *
find_name(struct names *o, const struct os_threads *os)
{
	struct elfplace name;
	const char *lacks = NULL;

	if (find(o, os->name, false, &name, &lacks))
		return os->name;
	msg("this kernel has no %s: threads are shown by their numbers",
	    msg_str(os->name + (*os->name == '*')));
	return NULL;
}

/* Counts what is read of a structure up to the end of a member. */
static void
reach(struct places *p, uint64_t at, uint64_t size)
{
	if (at + size > p->size)
		p->size = at + size;
}

static bool
find_members(struct places *p, const struct os_threads *os, struct names *o,
    const char **why)
{
	const unsigned word = o->word;
	const char *const words[MEMBERS] = {find_name(o, os), os->number,
	    os->state, os->stack, os->saved, p->locks ? os->lock : NULL};

	for (int m = 0; m < MEMBERS; m++) {
		struct elfplace *to = &p->member[m];

		if (!find(o, words[m], false, to, why))
			return false;
		if (m == NAME && to->through)
			to->size = word;
		else if (to->size == 0 || (m >= STACK && to->size > 8))
			to->size = m == NAME ? OS_NAME : m < STACK ? 4 : word;
		if (m == NAME && to->size > OS_NAME)
			to->size = OS_NAME;
		if (words[m] != NULL)
			reach(p, to->at, to->size);
		else if (m == NAME)
			to->size = 0;
	}
	for (size_t i = 0; i < os->n_registers; i++) {
		if (!find(o, os->registers[i].at, false, &p->reg[i], why))
			return false;
		if (os->registers[i].held != OS_THERE)
			continue;
		if (os->saved == NULL)
			reach(p, p->reg[i].at, word);
		else if (p->reg[i].at > SAVED)
			*why = "the OS file has registers that are far away";
	}
	for (size_t i = 0; i < p->n_source; i++)
		if (p->source[i].shape == OS_LIST)
			reach(p, p->source[i].next, word);
	if (*why == NULL && p->size > OS_SIZE)
		*why = "a thread is too large";
	return *why == NULL;
}

/* A constant that the kernel does not have is a state that it does not have. */
static void
find_states(struct places *p, const struct os_threads *os, struct names *o,
    const char **why)
{
	for (size_t i = 0; i < os->n_states; i++) {
		const char *v = os->states[i].value;

		if (num_address(v, strlen(v), &p->state[p->n_state].value) !=
			0 &&
		    !elfplaces_constant(
			o->file, v, &p->state[p->n_state].value))
			continue;
		p->state[p->n_state++].is = os->states[i].is;
	}
	if (os->n_states > 0 && p->n_state == 0)
		*why = "the kernel's file has none of the states that the OS "
		       "file names";
}

bool
places_find(struct places *p, const struct os_threads *os,
    const struct elfsym *kernel, unsigned word, const char **why)
{
	char path[PORT_FD_PATH];
	struct names o = {.word = word};

	elfsym_reopen(kernel, path);
	o.file = elfplaces_open(path);
	find_lock(p, os, &o);
	find_sources(p, os, &o, why);
	if (*why == NULL && find(&o, os->current, true, &p->current, why))
		find_members(p, os, &o, why);
	if (*why == NULL)
		find_states(p, os, &o, why);
	elfplaces_close(o.file);
	return *why == NULL;
}
