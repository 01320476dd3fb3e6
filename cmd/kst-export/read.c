/* SPDX-License-Identifier: ISC */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "text/events.h"
#include "trace/shape.h"

static uint32_t
location_id(struct export *e, const struct location *l)
{
	return table_name(e->stacks, (const char *)l, sizeof *l);
}

/* The track of that name, or NULL after a fault. */
static struct timeline *
find_track(struct export *e, const char *name, size_t len)
{
	uint32_t n = intern_within(e->labels, name, len, TRACKS_KEPT);

	if (n == UINT32_MAX) {
		fault_say(&e->left_out, e->in,
		    "more than %d CPUs or threads: the further ones are "
		    "left out",
		    TRACKS_KEPT);
		return NULL;
	}
	if (n == e->n_tracks)
		*xpush(e->tracks, e->n_tracks, e->tracks_cap) =
		    (struct timeline){0};
	return &e->tracks[n];
}

/* Adds the stack e->key[0..n), on the track, which may be NULL. */
static void
add_stack(struct export *e, struct timeline *t, size_t n,
    const struct count *count, uint64_t time)
{
	struct mark m = {.time = time, .count = *count};
	uint32_t id = (uint32_t)e->n_marks;

	/* without a frame nothing is open meanwhile */
	if (n > LABELS && table_add(e->stacks, e->key, n, count) != 0)
		fault_say(&e->left_out, e->in, "the sum exceeds 64 bits");
	if (!e->format->marks || t == NULL)
		return;
	m.stack = table_find(e->stacks, e->key, n);
	if (id == 1 || time < e->first_time)
		e->first_time = time;
	*xpush(e->marks, e->n_marks, e->marks_cap) = m;
	*(t->last ? &e->marks[t->last].next : &t->first) = id;
	t->last = id;
}

/* Stacks ------------------------------------------------------------------- */

/*
 * Makes e->key of a stack, of which trace text gives the labels as root frames;
 * one of them is a frame, too, if --by asks for it. Returns its length.
 */
static size_t
make_key(struct export *e, const uint32_t *names, size_t n)
{
#define ROW(id, word, label) label,
	static const unsigned label_of[] = {EXPORT_ROOTS(ROW)};
	const struct fold *f = &e->fold;
	uint32_t none = table_name(f->table, "[all]", 5);
	const char *process;
	struct location l = {0};
	size_t len, skip = e->in_folded ? 0 : LABELS, n_key = LABELS;

	e->key = xgrow(e->key, LABELS + n, &e->key_cap, sizeof *e->key);
	for (int i = 0; i < LABELS; i++)
		e->key[i] = e->in_folded ? none : names[i];
	process = table_name_text(f->table, e->key[LABEL_PROCESS], &len);
	l.is_user = e->addresses && bytes_starts(process, len, "User ");
	for (size_t i = 0; i + skip < n; i++) {
		l.name = names[n - 1 - i];
		l.address = e->addresses && !e->in_folded ? f->addresses[i] : 0;
		e->key[n_key++] = location_id(e, &l);
	}
	l.address = 0;
	if (e->o->by) {
		l.name = e->key[label_of[e->o->by]];
		e->key[n_key++] = location_id(e, &l);
	}
	return n_key;
}

/*
 * How many root frames of folded text are not frames: `[12.300s]` and `CPU#1`,
 * one of each at most, of which the latter is *cpu.
 */
static size_t
take_roots(const struct table *t, const uint32_t *names, size_t n,
    const uint32_t **cpu, bool *timed, uint64_t *time)
{
	size_t taken, len;
	const char *p;

	p = n > 1 ? table_name_text(t, names[0], &len) : NULL;
	*timed = p && pieces_is(p, len, time);
	taken = *timed;
	p = n > taken + 1 ? table_name_text(t, names[taken], &len) : NULL;
	if (p && bytes_starts(p, len, "CPU#"))
		*cpu = &names[taken++];
	return taken;
}

/* Takes each stack that is counted. */
static void
take_stack(void *arg, uint32_t stack, const struct count *count)
{
	struct export *e = arg;
	const char *track;
	size_t n, len, roots = 0;
	const uint32_t *names = table_stack(e->fold.table, stack, &n);
	const uint32_t *cpu = NULL;
	bool timed = !e->in_folded && e->fold.at.has_time;
	uint64_t time = e->fold.at.time;

	if (e->in_folded && e->format->roots)
		roots =
		    take_roots(e->fold.table, names, n, &cpu, &timed, &time);
	n = make_key(e, names + roots, n - roots);
	if (cpu)
		e->key[LABEL_CPU] = *cpu;
	track = table_name_text(e->fold.table, e->key[LABEL_CPU], &len);
	e->untimed |= !timed;
	add_stack(e, find_track(e, track, len), n, count, time);
}

/* Event text --------------------------------------------------------------- */

/* Whether the file begins as event text. */
static bool
begins_events(const struct in *in)
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

	e->scratch.len = 0;
	event_unescape(&e->scratch, field, len);
	l.name = table_any_name(e->fold.table, e->scratch.p, e->scratch.len);
	return location_id(e, &l);
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
		add_stack(e, t, LABELS + t->n_open, &lasted, t->time);
	t->time = ev->time;
}

static void
take_event(struct export *e, const struct event *ev)
{
	struct timeline *t = find_track(e, ev->track, ev->track_len);
	bool begins = ev->kind == EVENT_BEGIN;
	uint32_t l;

	if (t == NULL || (!begins && ev->kind != EVENT_END))
		return;
	l = location_of(e, ev->name, ev->name_len);
	if (ev->time < t->time) {
		fault_say(&e->bad_event, e->in,
		    "the time is before that of the previous event");
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

static uint64_t
read_events(struct export *e)
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

/* All files ---------------------------------------------------------------- */

#define NO_BY(kind) kind " text has no CPUs, states and processes for --by"

static uint64_t
leave_out(struct export *e, const char *why)
{
	e->left_out.n++;
	msg("%s: %s", msg_str(in_name(e->in)), why);
	in_skip_file(e->in, e->in->file_no);
	return 1;
}

static uint64_t
read_trace(void *export, struct in *in)
{
	struct export *e = export;

	e->in_folded = false;
	if (!begins_events(in))
		return fold_trace(&e->fold, in);
	if (e->format == &format_perf_script)
		return leave_out(e,
		    "event text has no samples for perf-script: use -f "
		    "trace-events");
	return e->o->by ? leave_out(e, NO_BY("event")) : read_events(e);
}

static uint64_t
read_folded(void *export, struct in *in)
{
	struct export *e = export;

	e->in_folded = true;
	return e->o->by ? leave_out(e, NO_BY("folded"))
			: fold_folded(&e->fold, in);
}

/* Says what is wrong with all of it; whether nothing is. */
static bool
is_good(struct export *e)
{
	const struct fold *f = &e->fold;
	bool good =
	    fault_sum(&e->bad_event, 1) + fault_sum(&e->left_out, 1) == 0;

	good &= !fold_say_wrong(f) && !in_failed(e->in);
	msg_count(e->rounded, "counts were rounded to whole numbers");
	if (!f->folded_lines || f->captures || f->one_count_lines)
		return good;
	msg("the input is differential (two counts on every line), which "
	    "kst-export does not write; see kst-diff");
	return false;
}

static void
done(struct export *e)
{
	for (size_t i = 0; i < e->n_tracks; i++)
		free(e->tracks[i].open);
	free(e->tracks);
	free(e->marks);
	free(e->key);
	buf_done(&e->scratch);
	intern_free(e->labels);
	table_free(e->stacks);
	table_free(e->fold.table);
	fold_done(&e->fold);
}

int
export_run(const struct options *o, struct in *in)
{
#define FORMAT(id, word, format) &format,
	static const struct export_format *const formats[] = {
	    EXPORT_FORMATS(FORMAT)};
	struct export e = {.o = o,
	    .format = formats[o->format - 1],
	    .addresses = formats[o->format - 1]->addresses || o->dump_instr,
	    .in = in,
	    .wants = {.by = {BY_CPU, BY_STATE, BY_PROCESS},
		.n_by = LABELS,
		.places = "\t"},
	    .stacks = table_new(),
	    .labels = intern_new(),
	    .bad_event.what = "event that does not fit those before it",
	    .left_out.what = "part that is left out"};
	bool good;

	fold_init(&e.fold, &e.wants, table_new());
	table_watch(e.fold.table, 0, take_stack, &e);
	xpush(e.marks, e.n_marks, e.marks_cap);
	good = shape_read(in, SHAPE_AUTO, read_trace, read_folded, &e);
	fold_finish(&e.fold);
	table_seal(e.fold.table);
	table_seal(e.stacks);
	e.format->write(&e);
	good &= is_good(&e);
	done(&e);
	return good ? EXIT_OK : EXIT_FAILED;
}
