/* SPDX-License-Identifier: ISC */
#include "export.h"

#include "base/msg.h"
#include "base/xalloc.h"
#include "text/events.h"

bool
events_begin(const struct in *in)
{
	const char *p = in->p, *nl;
	enum event_line is = EVENT_BLANK;
	struct event e;

	for (; is == EVENT_BLANK && p < in->end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(in->end - p));
		nl = nl ? nl : in->end;
		is = event_parse(p, (size_t)(nl - p), &e);
	}
	return is == EVENT_OK;
}

static uint32_t
location_of(struct export *e, const char *field, size_t len)
{
	struct location l = {0};

	e->scratch.len = e->name.len = 0;
	event_unescape(&e->scratch, field, len);
	folded_add_name(&e->name, e->scratch.p, e->scratch.len);
	l.name = table_name(e->fold.table, e->name.p, e->name.len);
	return export_location(e, &l);
}

/* Adds what was open on the track since the event before. */
static void
add_open(struct export *e, struct timeline *t, const struct event *ev)
{
	const struct count lasted = {.whole = ev->time - t->time};
	uint32_t none = table_name(e->fold.table, "[all]", 5);

	e->key = xgrow(e->key, LABELS + t->n_open, &e->key_cap, sizeof *e->key);
	e->key[LABEL_CPU] = table_name(e->fold.table, ev->track, ev->track_len);
	e->key[LABEL_STATE] = e->key[LABEL_PROCESS] = none;
	for (size_t i = 0; i < t->n_open; i++)
		e->key[LABELS + i] = t->open[t->n_open - 1 - i];
	if ((t->n_open || t->first) && lasted.whole) /* not before all */
		export_add(e, t, LABELS + t->n_open, &lasted, t->time);
	t->time = ev->time;
}

static void
take_event(struct export *e, const struct event *ev)
{
	struct timeline *t = export_track(e, ev->track, ev->track_len);
	bool begins = ev->kind == EVENT_BEGIN;
	uint32_t l;

	if (t == NULL || (!begins && ev->kind != EVENT_END))
		return;
	l = location_of(e, ev->name, ev->name_len);
	if (ev->time < t->time) {
		fault_say(&e->bad_event, e->in, "the event before it is later");
		return;
	}
	add_open(e, t, ev);
	if (begins && t->n_open < OPEN_MAX &&
	    table_frames(e->stacks) < EVENT_FRAMES_MAX)
		*xpush(t->open, t->n_open, t->open_cap) = l;
	else if (!begins && t->n_open && t->open[t->n_open - 1] == l)
		t->n_open--;
	else
		fault_say(&e->bad_event, e->in, "%s",
		    begins ? "too many events are open"
			   : "not the end of the event that began last");
}

uint64_t
events_read(struct export *e)
{
	static const char trailer[] = FOLDED_TRAILER "unit=ns";
	unsigned file = e->in->file_no;
	uint64_t before = e->events;
	const char *line;
	struct event ev;
	size_t len;

	while (in_more(e->in, file) && in_next(e->in, &line, &len)) {
		enum event_line is = event_parse(line, len, &ev);

		e->events += is == EVENT_OK;
		if (is == EVENT_OK)
			take_event(e, &ev);
		else if (is == EVENT_BAD)
			fault_say(&e->bad_event, e->in, "not an event: '%s'",
			    msg_text(line, len));
	}
	trailer_read(&e->fold.origin.sum, trailer, strlen(trailer));
	return e->events - before;
}
