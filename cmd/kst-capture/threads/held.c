/* SPDX-License-Identifier: ISC */
#include "threads/held.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"

uint64_t
held_by(const struct places *p, const struct os_threads *os,
    const struct elfsym *kernel, const struct threads_guest *g,
    const struct thread *th, uint64_t lock)
{
	const size_t n =
	    p->holder.size > 0 && p->holder.size < 8 ? p->holder.size : 4;
	struct elfsym_func func;
	uint8_t bytes[8];
	bool waits = false;

	for (size_t i = 0; p->locks && i < th->n && !waits; i++)
		waits = elfsym_find(kernel,
			    th->frame[i].pc - !th->frame[i].exact, &func) &&
			strcmp(func.name, os->waits) == 0;
	if (!waits || lock == 0 ||
	    g->read(g->arg, lock + p->holder.at, bytes, n) != 0)
		return 0;
	return uint_load(bytes, (unsigned)n, false);
}

/* The numbers of all that were found; NULL: they cannot be read. */
static uint64_t *
read_numbers(struct sources *s)
{
	const struct elfplace *p = &s->p->member[NUMBER];
	uint64_t *numbers = xreallocn(NULL, s->n, sizeof *numbers);

	for (size_t i = 0; i < s->n; i++)
		if (!sources_number(s, s->found[i].at + p->at,
			p->size < 8 ? p->size : 8, &numbers[i])) {
			free(numbers);
			return NULL;
		}
	return numbers;
}

void
held_ended(struct sources *s, struct thread *th, size_t n)
{
	uint64_t *numbers = NULL;

	for (size_t i = 0; i < n; i++) {
		if (th[i].holder == 0)
			continue;
		if (numbers == NULL && (numbers = read_numbers(s)) == NULL)
			return;
		th[i].ended = true;
		for (size_t k = 0; k < s->n; k++)
			th[i].ended &= numbers[k] != th[i].holder;
	}
	free(numbers);
}
