/* SPDX-License-Identifier: ISC */
/* Each CPU's load as spans, one from each sched_load to the next. */
#ifndef LOAD_H
#define LOAD_H

#include <stdint.h>

struct load;
struct record;

struct load *load_new(void);
void load_free(struct load *l);

void load_record(struct load *l, const struct record *r);

/* At the end of a log: the last ones last until then. */
void load_end(struct load *l);

/* Times below a CPU's last one; records of more CPUs than are told apart. */
uint64_t load_backwards(const struct load *l);
uint64_t load_too_many(const struct load *l);

#endif
