/* SPDX-License-Identifier: ISC */
/* Each CPU's load as spans, one from each sched_load to the next. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>
#include <stdint.h>

struct record;

struct load {
	uint64_t backwards; /* times below a CPU's last one */
	uint64_t too_many;  /* records of more CPUs than are told apart */
	/* private */
	struct intern *ids;
	struct cpu *cpus;
	size_t n, cap;
	uint64_t end;
};

struct load *load_new(void);
void load_free(struct load *l);

void load_record(struct load *l, const struct record *r);

/* At the end of a log: the last ones last until then. */
void load_end(struct load *l);

#endif
