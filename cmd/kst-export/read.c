/* SPDX-License-Identifier: ISC */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "trace/shape.h"
#include "trace/signs.h"

/*
 * Makes e->key of a stack, of which trace text gives the labels as root frames;
 * one of them is a frame, too, if --by asks for it. Returns its length.
 */
static size_t
make_key(struct export *e, const uint32_t *names, size_t n)
{
	static const unsigned label_of[] = {
	    LABELS, LABEL_CPU, LABEL_CPU, LABEL_STATE, LABEL_PROCESS};
	const struct fold *f = &e->fold;
	uint32_t none = table_name(f->table, "[all]", 5);
	const char *process;
	struct location l = {0};
	size_t len, skip = e->in_folded ? 0 : LABELS, n_key = LABELS;

	e->key = xgrow(e->key, LABELS + n, &e->key_cap, sizeof *e->key);
	for (int i = 0; i < LABELS; i++)
		e->key[i] = e->in_folded ? none : names[i];
	process = table_name_text(f->table, e->key[LABEL_PROCESS], &len);
	l.is_user = e->format->addresses && bytes_starts(process, len, "User ");
	for (size_t i = 0; i + skip < n; i++) {
		l.name = names[n - 1 - i];
		l.address =
		    e->format->addresses && !e->in_folded ? f->addresses[i] : 0;
		e->key[n_key++] = export_location(e, &l);
	}
	l.address = 0;
	if (e->o->by) {
		l.name = e->key[label_of[e->o->by]];
		e->key[n_key++] = export_location(e, &l);
	}
	return n_key;
}

/* Takes each stack that is counted. */
static void
take_stack(void *arg, uint32_t stack, const struct count *count)
{
	struct export *e = arg;
	const char *cpu;
	size_t n, len;
	const uint32_t *names = table_stack(e->fold.table, stack, &n);

	n = make_key(e, names, n);
	cpu = table_name_text(e->fold.table, e->key[LABEL_CPU], &len);
	e->untimed |= e->in_folded || !e->fold.at.has_time;
	export_add(e, export_track(e, cpu, len), n, count, e->fold.at.time);
}

/* Reads the current file as its shape demands; returns what it has. */
static uint64_t
read_file(struct export *e)
{
	if (events_begin(e->in))
		return events_read(e);
	e->in_folded = shape_detect(e->in) == SHAPE_FOLDED;
	if (!e->in_folded)
		return fold_trace(&e->fold, e->in);
	if (!e->o->by)
		return fold_folded(&e->fold, e->in);
	e->left_out.n++;
	msg("%s: folded text has no CPUs, states and processes for --by",
	    msg_str(in_name(e->in)));
	in_skip_file(e->in, e->in->file_no);
	return 1;
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
	msg("every line has two counts: kst-diff shows such a file");
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
	buf_done(&e->name);
	intern_free(e->labels);
	table_free(e->stacks);
	table_free(e->fold.table);
	fold_done(&e->fold);
}

int
export_run(const struct options *o, struct in *in)
{
	static const struct export_format *const formats[] = {
	    &format_speedscope, &format_pprof, &format_trace_events,
	    &format_callgrind, &format_perf_script};
	struct export e = {.o = o,
	    .format = formats[o->format - 1],
	    .in = in,
	    .wants = {.by = {BY_CPU, BY_STATE, BY_PROCESS},
		.n_by = LABELS,
		.places = true},
	    .stacks = table_new(),
	    .labels = intern_new(),
	    .bad_event.what = "line that is not an event in its place",
	    .left_out.what = "part that is left out"};
	struct signs begins;
	bool good = true;

	fold_init(&e.fold, &e.wants, table_new());
	table_watch(e.fold.table, 0, take_stack, &e);
	xpush(e.marks, e.n_marks, e.marks_cap);
	while (in_fill(in, 1)) {
		signs_look(&begins, in);
		if (read_file(&e) == 0) {
			signs_say(&begins, "no stack in it");
			good = false;
		}
	}
	fold_finish(&e.fold);
	e.format->write(&e);
	good &= is_good(&e);
	done(&e);
	return good ? EXIT_OK : EXIT_FAILED;
}
