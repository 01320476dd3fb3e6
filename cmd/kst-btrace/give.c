/* SPDX-License-Identifier: ISC */
/* What every form of stacks does with one: gives it, or says what is wrong. */
#include "gather.h"

#include "io/fault.h"
#include "base/msg.h"
#include "key.h"

void
gather_init(struct gather *g)
{
	buf_room(&g->map, 64); /* never NULL from here on */
	buf_room(&g->key, 1024);
	g->faults[GATHER_NO_VALUE].what = "stack without its `]: N`";
	g->faults[GATHER_BAD_VALUE].what = "value that is not a weight";
	g->faults[GATHER_BAD_JSON].what = "line of JSON that is damaged";
	g->faults[GATHER_TOO_LONG].what = "stack longer than 1 MiB";
}

void
gather_done(struct gather *g)
{
	buf_done(&g->map);
	buf_done(&g->key);
	buf_done(&g->bcc.key);
	buf_done(&g->bcc.frames);
	buf_done(&g->bcc.process);
	buf_done(&g->names);
}

void
gather_fault(struct gather *g, enum gather_fault f, const char *p, size_t len)
{
	const char *what = g->faults[f].what;

	if (g->in == NULL)
		g->faults[f].n++;
	else if (len == 0)
		fault_say(&g->faults[f], g->in, "%s", what);
	else
		fault_say(
		    &g->faults[f], g->in, "%s: %s", what, msg_text(p, len));
}

void
gather_give(struct gather *g, const char *key, size_t len, uint64_t weight)
{
	struct raw_stack s = {.map = g->map.p,
	    .map_len = g->map.len,
	    .key = key,
	    .len = len,
	    .weight = weight};

	s.cut = g->map.len && !g->indented && key_may_be_cut(key, len);
	g->n.stacks++;
	g->n.cut += s.cut;
	g->stack(g->arg, &s);
}

void
gather_reset(struct gather *g)
{
	g->state = GATHER_TEXT;
	g->key.len = g->map.len = g->second = 0;
	g->closed = g->mode_seen = g->too_long = g->indented = g->after_blank =
	    false;
}

bool
gather_took_message(struct gather *g, const char *line, size_t len)
{
	uint64_t lost;

	if (!line_is_message(line, len, &lost))
		return false;
	g->n.messages++;
	g->n.lost += lost;
	return true;
}
