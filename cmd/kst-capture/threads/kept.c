/* SPDX-License-Identifier: ISC */
#include "threads/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Frames of one stack, and of all. */
enum { KEPT = 256, KEPT_ALL = 1 << 20 };

void
kept_drop(size_t *frames, struct thread *th)
{
	*frames -= th->n;
	free(th->frame);
	free(th->program);
	th->frame = NULL;
	th->program = NULL;
	th->n = th->n_program = 0;
	th->end = UNWIND_ROOT;
}

void
kept_stack(size_t *frames, struct thread *th, const struct unwind_stack *st)
{
	const size_t n = st->n < KEPT ? st->n : KEPT;

	th->end = n < st->n ? UNWIND_LIMIT : st->end;
	th->bad = st->bad;
	if (n == 0 || *frames + n > KEPT_ALL)
		return;
	th->frame = xreallocn(NULL, n, sizeof *th->frame);
	memcpy(th->frame, st->frame, n * sizeof *th->frame);
	th->n = n;
	*frames += n;
}
