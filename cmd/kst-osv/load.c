/* SPDX-License-Identifier: ISC */
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/intern.h"
#include "base/xalloc.h"
#include "record.h"
#include "text/events.h"

enum { CPUS_MAX = 1 << 16 };

struct cpu {
	char label[16];
	struct buf name; /* `load=3`, escaped; empty if unknown */
	uint64_t last;
};

struct load *
load_new(void)
{
	struct load *l = xcalloc(1, sizeof *l);

	l->ids = intern_new();
	return l;
}

void
load_free(struct load *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->n; i++)
		buf_done(&l->cpus[i].name);
	intern_free(l->ids);
	free(l->cpus);
	free(l);
}

/* NULL if there are too many. */
static struct cpu *
cpu_of(struct load *l, uint32_t number)
{
	uint32_t id = intern_within(
	    l->ids, (const char *)&number, sizeof number, CPUS_MAX);

	if (id == UINT32_MAX) {
		l->too_many++;
		return NULL;
	}
	if (id == l->n) {
		l->cpus = xgrow(l->cpus, l->n + 1, &l->cap, sizeof *l->cpus);
		l->cpus[l->n] = (struct cpu){0};
		snprintf(l->cpus[l->n++].label, sizeof l->cpus->label,
		    "cpu%" PRIu32, number);
	}
	return &l->cpus[id];
}

static void
put(const struct cpu *c, uint64_t time, enum event_kind kind)
{
	event_put(&(struct event){.time = time,
	    .kind = kind,
	    .track = c->label,
	    .track_len = strlen(c->label),
	    .name = c->name.p,
	    .name_len = c->name.len});
}

void
load_record(struct load *l, const struct record *r)
{
	uint64_t time = r->time;
	struct cpu *c;

	if (time > l->end)
		l->end = time;
	if (!bytes_is(r->name, r->name_len, "sched_load"))
		return;
	c = cpu_of(l, r->cpu);
	if (c == NULL)
		return;
	if (time < c->last) {
		time = c->last;
		l->backwards++;
	}
	if (c->name.len)
		put(c, time, EVENT_END);
	c->name.len = 0;
	event_escape(&c->name, r->args, r->args_len);
	put(c, time, EVENT_BEGIN);
	c->last = time;
}

void
load_end(struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct cpu *c = &l->cpus[i];

		if (c->name.len)
			put(c, l->end > c->last ? l->end : c->last, EVENT_END);
		c->name.len = 0;
		c->last = 0;
	}
	l->end = 0;
}
