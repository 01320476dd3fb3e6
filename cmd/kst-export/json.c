/* SPDX-License-Identifier: ISC */
/*
 * JSON in the order of time: speedscope's file format, a profile for each
 * track, and the trace events that Perfetto and Chrome read, a thread for each
 * track, on which a frame lasts as long as stacks have it.
 */
#include "export.h"

#include <inttypes.h>
#include <string.h>

#include "io/out.h"
#include "text/quote.h"

/* Writes that a frame of the track begins (`B`) or ends (`E`), in order. */
typedef void frame_writer(struct export *e, uint32_t track, char kind,
    uint32_t location, uint64_t ns);

/* The frames that differ between two marks of a track; NULL: none are open. */
static void
walk(struct export *e, uint32_t track, const struct mark *from,
    const struct mark *to, uint64_t ns, frame_writer *put)
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
static uint64_t
walk_track(struct export *e, uint32_t track, frame_writer *put)
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

/* speedscope --------------------------------------------------------------- */

static void
put_frames(const struct export *e)
{
	out_puts("\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < table_names(e->stacks); i++) {
		struct frame_place p = export_place(e, i);

		out_puts(i ? ",\n{\"name\":" : "\n{\"name\":");
		quote_json(p.name, p.name_len);
		if (p.file_len) {
			out_puts(",\"file\":");
			quote_json(p.file, p.file_len);
		}
		if (p.line)
			out_printf(",\"line\":%" PRIu64, p.line);
		out_putc('}');
	}
	out_puts("]}");
}

static void
put_stack(const struct export *e, uint32_t stack)
{
	size_t n;
	const uint32_t *ids = table_stack(e->stacks, stack, &n);

	out_putc('[');
	for (size_t i = n; i > LABELS; i--)
		out_printf(i < n ? ",%" PRIu32 : "%" PRIu32, ids[i - 1]);
	out_putc(']');
}

static void
put_samples(const struct export *e, const struct timeline *t)
{
	struct count total = {0};

	out_puts("\"samples\":[");
	for (uint32_t i = t->first; i; i = e->marks[i].next) {
		put_stack(e, e->marks[i].stack);
		if (i != t->last)
			out_putc(',');
	}
	out_puts("],\n\"weights\":[");
	for (uint32_t i = t->first; i; i = e->marks[i].next) {
		count_put(&e->marks[i].count);
		if (i != t->last)
			out_putc(',');
		count_add(&total, &e->marks[i].count); /* fits, as all do */
	}
	out_puts("],\n\"endValue\":");
	count_put(&total);
}

static void
put_evented(
    struct export *e, uint32_t track, char kind, uint32_t location, uint64_t ns)
{
	(void)track;
	out_printf("%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64
		   "}",
	    e->more ? ",\n" : "", kind == 'B' ? 'O' : 'C', location, ns);
	e->more = true;
}

static void
put_profile(struct export *e, uint32_t track)
{
	const char *word = export_unit(e);
	const char *unit = strcmp(word, "ns") == 0	? "nanoseconds"
			   : strcmp(word, "bytes") == 0 ? "bytes"
							: "none";
	size_t len;
	const char *name = intern_str(e->labels, track, &len);
	uint64_t end;

	out_printf("%s\n{\"type\":\"%s\",\"unit\":\"%s\",\"name\":",
	    track ? "," : "", e->events ? "evented" : "sampled", unit);
	quote_json(name, len);
	out_puts(",\n\"startValue\":0,");
	if (!e->events) {
		put_samples(e, &e->tracks[track]);
	} else {
		out_puts("\"events\":[");
		e->more = false;
		end = walk_track(e, track, put_evented);
		out_printf("],\n\"endValue\":%" PRIu64, end);
	}
	out_putc('}');
}

/* speedscope does not look at the key `trailer`; it is for kst-import. */
static void
write_speedscope(struct export *e)
{
	struct buf *trailer = &e->scratch;

	out_puts("{\"$schema\":"
		 "\"https://www.speedscope.app/file-format-schema.json\",\n"
		 "\"exporter\":\"kst-export " KST_VERSION "\",\n");
	trailer->len = 0;
	trailer_put(&e->fold.origin.sum, trailer);
	if (trailer->len) {
		out_puts("\"trailer\":");
		quote_json(trailer->p, trailer->len - 1); /* without LF */
		out_puts(",\n");
	}
	put_frames(e);
	out_puts(",\n\"profiles\":[");
	for (uint32_t i = 0; i < e->n_tracks; i++)
		put_profile(e, i);
	out_puts("]}\n");
}

const struct export_format format_speedscope = {
    .write = write_speedscope, .marks = true};

/* Trace events ------------------------------------------------------------- */

static void
put_trace_event(
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
		walk_track(e, i, put_trace_event);
	}
	out_puts("]}\n");
}

const struct export_format format_trace_events = {
    .write = write_trace_events, .marks = true};
