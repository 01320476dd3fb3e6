/* SPDX-License-Identifier: ISC */
/* speedscope's file format: a profile for each track, in the order of time. */
#include "export.h"

#include <inttypes.h>
#include <string.h>

#include "io/out.h"
#include "text/quote.h"

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
put_event(
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
		end = export_walk(e, track, put_event);
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
