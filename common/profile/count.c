/* SPDX-License-Identifier: ISC */
/* Counts stacks of trace text. */
#include "io/fault.h"
#include "profile/profile.h"
#include "profile/table.h"

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
