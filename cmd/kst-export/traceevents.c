/* SPDX-License-Identifier: ISC */
/*
 * The trace events that Perfetto and Chrome read: a thread for each track, on
 * which a frame lasts as long as stacks have it.
 */
#include "export.h"

#include <inttypes.h>
#include <string.h>

#include "io/out.h"
#include "text/quote.h"

/* ns: since the first time */
static void
put_event(
    struct export *e, uint32_t track, char kind, uint32_t location, uint64_t ns)
{
	struct frame_place p = export_place(e, location);

	out_printf(",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%" PRIu32
		   ",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"name\":",
	    kind, track + 1, ns / 1000, ns % 1000);
	quote_json(p.name, p.name_len); /* Firefox wants it of `E`, too */
	/* to speedscope, without args it may be the end of a later `B` */
	out_puts(kind == 'E' ? ",\"args\":{}}" : "}");
}

/* The frames that differ between two marks of a track; NULL: none are open. */
static void
walk(struct export *e, uint32_t track, const struct mark *from,
    const struct mark *to, uint64_t ns, export_put *put)
{
	size_t n_from = LABELS, n_to = LABELS, same = 0;
	const uint32_t *a =
	    from ? table_stack(e->stacks, from->stack, &n_from) : NULL;
	const uint32_t *b =
	    to ? table_stack(e->stacks, to->stack, &n_to) : NULL;

	while (n_from - same > LABELS && n_to - same > LABELS &&
	       a[n_from - 1 - same] == b[n_to - 1 - same])
		same++;
	for (size_t i = LABELS; i < n_from - same; i++)
		put(e, track, 'E', a[i], ns);
	for (size_t i = n_to - same; i > LABELS; i--)
		put(e, track, 'B', b[i - 1], ns);
}

/*
 * A sample lasts until the next one of the track, the last one as long as the
 * one before. Events, and samples without a time, last as long as they count:
 * a microsecond for each if counts are not times.
 */
uint64_t
export_walk(struct export *e, uint32_t track, export_put *put)
{
	const struct mark *m, *last = NULL;
	uint64_t ns = 0, lasts = 1000;
	bool is_time = strcmp(export_unit(e), "ns") == 0;

	for (uint32_t i = e->tracks[track].first; i; i = m->next) {
		m = &e->marks[i];
		if (!e->untimed)
			ns = m->time - e->first_time;
		else if (last)
			ns += lasts;
		if (e->untimed || e->events)
			lasts = is_time ? m->count.whole
					: m->count.whole * 1000 +
					      m->count.frac / 1000000000000000;
		else if (last && m->time > last->time)
			lasts = m->time - last->time;
		if (e->untimed ? lasts == 0
			       : m->next && e->marks[m->next].time == m->time)
			continue; /* it lasts no time */
		walk(e, track, last, m, ns, put);
		last = m;
	}
	walk(e, track, last, NULL, ns + lasts, put);
	return ns + lasts;
}

static void
write_trace_events(struct export *e)
{
	size_t len;

	out_puts("{\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,"
		 "\"name\":\"process_name\",\"args\":{\"name\":\"kst\"}}");
	for (uint32_t i = 0; i < e->n_tracks; i++) {
		const char *name = intern_str(e->labels, i, &len);

		out_printf(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu32
			   ",\"name\":\"thread_name\",\"args\":{\"name\":",
		    i + 1);
		quote_json(name, len);
		out_puts("}}");
		export_walk(e, i, put_event);
	}
	out_puts("]}\n");
}

const struct export_format format_trace_events = {
    .write = write_trace_events, .marks = true};
