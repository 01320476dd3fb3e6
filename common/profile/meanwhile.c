/* SPDX-License-Identifier: ISC */
/* Counts stacks of trace text, perhaps only when their capture is complete. */
#include "profile/meanwhile.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "io/fault.h"
#include "names/name.h"
#include "names/rx.h"
#include "profile/profile.h"
#include "profile/table.h"

/* A bit for each pattern that the name matches. */
static unsigned
name_matches(struct fold *f, uint32_t name)
{
	const struct patterns *p = &f->o->meanwhile;
	uint8_t *known =
	    xitem_zeroed(f->meanwhile.matches, name, f->meanwhile.matches_cap);
	const char *text;
	size_t len;

	if (*known == 0) {
		text = table_name_text(f->table, name, &len);
		len = name_line(text, len);
		*known = 1;
		for (size_t i = 0; i < p->n; i++)
			if (rx_match(p->v[i], text, len) == 1)
				*known += (uint8_t)(1 << i);
	}
	return *known - 1U;
}

void
meanwhile_look(struct fold *f)
{
	struct meanwhile *m = &f->meanwhile;
	const unsigned all = (1U << f->o->meanwhile.n) - 1;
	unsigned found = 0;

	for (size_t i = 0; i < f->n_frames && found != all; i++)
		found |= name_matches(f, f->frames[i]);
	m->now = found == all;
	m->n_match += m->now;
}

void
meanwhile_keep(struct fold *f, struct in *in, size_t n, bool truncated)
{
	struct meanwhile *m = &f->meanwhile;

	if (m->n_names + n > MEANWHILE_MAX) {
		fault_say(&f->faults[FAULT_DEEP], in,
		    "a capture has more than %d frames: this stack is left out",
		    MEANWHILE_MAX);
		return;
	}
	m->names =
	    xgrow(m->names, m->n_names + n, &m->names_cap, sizeof *m->names);
	memcpy(m->names + m->n_names, f->key, n * sizeof *m->names);
	m->n_names += n;
	*xpush(m->stacks, m->n_stacks, m->stacks_cap) =
	    (struct meanwhile_stack){.n = (uint32_t)n,
		.cpu = fold_cpu(f),
		.matches = m->now,
		.truncated = truncated};
}

void
meanwhile_end(struct fold *f, struct in *in)
{
	struct meanwhile *m = &f->meanwhile;
	const uint32_t *names = m->names;

	for (size_t i = 0; i < m->n_stacks; i++) {
		const struct meanwhile_stack *s = &m->stacks[i];

		if (m->n_match > s->matches)
			fold_count(f, in, names, s->n, s->cpu, s->truncated);
		else
			f->left_out++;
		names += s->n;
	}
	m->n_stacks = m->n_names = 0;
	m->n_match = 0;
}

void
meanwhile_done(struct meanwhile *m)
{
	free(m->stacks);
	free(m->names);
	free(m->matches);
}

int64_t
fold_cpu(const struct fold *f)
{
	return f->in.has_thread && f->in.thread.has_cpu
		   ? (int64_t)f->in.thread.cpu
		   : -1;
}

void
fold_count(struct fold *f, struct in *in, const uint32_t *names, size_t n,
    int64_t cpu, bool truncated)
{
	f->stacks++;
	f->truncated += truncated;
	origin_stack(&f->origin, cpu, truncated);
	if (f->sink)
		f->sink(f->sink_arg, names, n);
	else if (table_add(f->table, names, n, &f->weight) != 0)
		fault_say(&f->faults[FAULT_OVERFLOW], in,
		    "the number of stacks exceeds 64 bits");
}
