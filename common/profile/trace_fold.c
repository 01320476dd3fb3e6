/* SPDX-License-Identifier: ISC */
/*
 * Folding of trace text: which stacks are asked for, and what root frames they
 * get.
 */
#include "profile/frame_name.h"
#include "profile/profile.h"
#include "io/fault.h"

#include <stdlib.h>
#include <string.h>

#include "text/folded.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "io/in.h"
#include "base/num.h"
#include "trace/runs.h"
#include "trace/stacks.h"
#include "profile/table.h"
#include "base/xalloc.h"

static const struct count ONE = {1, 0};

/* `SECONDS.FRACTION` of a capture line, in nanoseconds. */
static bool
parse_time(const char *p, size_t len, uint64_t *ns)
{
	return len > 0 && p[len - 1] <= '9' && /* no unit */
	       num_duration(p, len, 1000000000, ns) == 0;
}

/* The frames from here on belong to a new capture. */
static void
next_capture(struct fold *f)
{
	if (f->capture_has_frames || f->capture == 0)
		f->capture++;
	f->capture_has_frames = false;
	f->capture_counted = false;
	memset(&f->at, 0, sizeof f->at);
	f->weight = ONE;
}

static void
begin_capture(struct fold *f, const struct trace_line *t)
{
	const char *v, *rest = t->text;
	size_t len;

	next_capture(f);
	if (t->kind == TRACE_FRAME)
		f->origin.unmarked = true;
	if (t->kind != TRACE_CAPTURE)
		return;
	f->by_gdb = false;
	f->at.has_time = trace_meta_get(t->text, t->len, "time", &v, &len) &&
			 parse_time(v, len, &f->at.time);
	if (f->at.has_time) /* kst-capture writes it in this order */
		rest = v;
	f->at.has_stop = trace_meta_get(rest, (size_t)(t->text + t->len - rest),
			     "stop-ns", &v, &len) &&
			 num_u64(v, len, &f->at.stop) == 0;
	if (trace_meta_get(
		rest, (size_t)(t->text + t->len - rest), "weight", &v, &len) &&
	    num_u64(v, len, &f->weight.whole) == 0)
		origin_unit(&f->origin, v, (size_t)(t->text + t->len - v));
	if (f->at.has_time && !f->has_first_time) {
		f->has_first_time = true;
		f->first_time = f->at.time;
	}
	if (f->at.has_time && f->sink)
		f->sink(f->sink_arg, NULL, 0);
}

static void
begin_stack(struct fold *f, struct in *in)
{
	if (f->in.tracks_full)
		fault_say(&f->faults[FAULT_TRACKS], in,
		    "more than %d threads in a capture: perhaps the line that "
		    "begins the next one is missing",
		    TRACKS_MAX);
	f->captures += !f->capture_has_frames;
	f->capture_has_frames = true;
	f->stack_cut = false;
	f->n_frames = 0;
}

/* How long after the first capture with a time this one was, in ns. */
static uint64_t
since_first(const struct fold *f, uint64_t time)
{
	return time < f->first_time || !f->has_first_time
		   ? 0
		   : time - f->first_time;
}

/* Whether what was at that time, in this capture, is not asked for. */
static bool
is_beyond(const struct fold *f, uint64_t time)
{
	const struct limit *from = &f->o->from, *to = &f->o->to;
	uint64_t at = since_first(f, time), nth = f->capture;

	return (from->given && (from->seconds ? at : nth) < from->value) ||
	       (to->given && (to->seconds ? at : nth) > to->value);
}

/* `[kst-failed time=...]`, if root frames are pieces of time. */
static void
take_failure(struct fold *f, const char *line, size_t len)
{
	const char *v;
	uint64_t time;

	if (f->o->n_by && f->o->by[0] == BY_TIME &&
	    bytes_starts(line, len, "[kst-failed ") &&
	    trace_meta_get(line, len, "time", &v, &len) &&
	    parse_time(v, len, &time) && !is_beyond(f, time))
		failures_add(&f->failures, &f->pieces,
		    f->has_first_time ? f->first_time : time, time);
}

/* Whether the options ask for the stack that is complete now. */
static bool
is_wanted(struct fold *f)
{
	struct fold_options *o = f->o;
	bool has_cpu = f->in.has_thread && f->in.thread.has_cpu;

	f->origin.any = true;
	if (!f->at.has_time &&
	    (o->needs_time || (o->from.given && o->from.seconds) ||
		(o->to.given && o->to.seconds))) {
		f->no_time++;
		return false;
	}
	if (is_beyond(f, f->at.time))
		return false;
	if (!f->capture_counted)
		origin_capture(&f->origin, &f->at);
	f->capture_counted = true;
	if (o->cpus.some && !has_cpu)
		f->no_cpu++;
	if (o->cpus.some && (!has_cpu || !cpus_has(&o->cpus, f->in.thread.cpu)))
		return false;
	if (o->state == STATE_UNKNOWN)
		return true;
	if (!f->in.has_thread || f->in.thread.state == STATE_UNKNOWN)
		f->no_state++;
	return f->in.has_thread && f->in.thread.state == o->state;
}

static void
process_root(struct fold *f, struct buf *b)
{
	const char *pid, *name, *mode;
	size_t pid_len, name_len, mode_len;
	const char *p = f->in.process.p;
	size_t len = f->in.process.len;
	struct buf text = BUF_INIT;
	bool in_kernel, of_program;

	if (len == 0) {
		buf_adds(b, "[unknown process]");
		return;
	}
	in_kernel = trace_meta_get(p, len, "mode", &mode, &mode_len) &&
		    bytes_is(mode, mode_len, "kernel");
	of_program = trace_meta_get(p, len, "began", &mode, &mode_len) &&
		     bytes_is(mode, mode_len, "user");
	in_kernel &= !of_program;
	buf_adds(b, in_kernel ? "Kernel" : "User");
	if (!trace_meta_get(p, len, "pid", &pid, &pid_len))
		pid = "?", pid_len = 1;
	if (in_kernel && (*pid == '?' || bytes_is(pid, pid_len, "0")))
		return;
	if (!trace_meta_get(p, len, "name", &name, &name_len))
		name = "<unknown>", name_len = 9;
	buf_adds(b, " PID=");
	folded_add_name(b, pid, pid_len);
	buf_adds(b, " (");
	trace_meta_text(&text, name, name_len);
	folded_add_name(b, text.p, text.len);
	buf_done(&text);
	buf_addc(b, ')');
}

/* The root frame that --by asks for, as a name of the table. */
static uint32_t
root_frame(struct fold *f, enum root by)
{
#define WORD(id, word) [id] = word,
	static const char *const words[] = {TRACE_STATES(WORD)};
	struct buf *b = &f->scratch;

	b->len = 0;
	switch (by) {
	case BY_STATE:
		buf_adds(
		    b, f->in.has_thread && f->in.thread.state != STATE_UNKNOWN
			   ? words[f->in.thread.state]
			   : "[unknown]");
		break;
	case BY_PROCESS:
		process_root(f, b);
		break;
	case BY_TIME:
		if (f->at.has_time)
			return pieces_name(
			    &f->pieces, f->table, f->first_time, f->at.time);
		buf_adds(b, "[unknown]");
		break;
	default:
		if (f->in.has_thread)
			return table_any_name(f->table, f->in.thread.label,
			    f->in.thread.label_len);
		buf_adds(b, "[unknown]");
		break;
	}
	return table_name(f->table, b->p, b->len);
}

/* Takes the stack whose frames are complete. */
static void
end_stack(struct fold *f, struct in *in)
{
	bool truncated = f->in.truncated || f->stack_cut;
	size_t n = 0;

	if (stacks_wants_run(&f->in) && !f->stack_cut)
		stacks_learn_run(&f->in, f->frames + 1,
		    (f->n_frames - 1) * sizeof *f->frames);
	if (f->n_frames > 1 && f->frames[f->n_frames - 1] == f->zero)
		f->n_frames--; /* gdb marks the end of some stacks so */
	if (f->by_gdb && !f->o->keep_unknown && !f->o->merge_unknown)
		truncated |= fold_trim_nameless(f);
	if (f->o->meanwhile.n > 0)
		meanwhile_look(f);
	if (!is_wanted(f)) {
		f->left_out++;
		return;
	}
	f->key = xgrow(
	    f->key, f->n_frames + BY_MAX + 1, &f->key_cap, sizeof *f->key);
	for (size_t i = 0; i < f->o->n_by; i++)
		f->key[n++] = root_frame(f, f->o->by[i]);
	if (truncated && f->o->mark_truncated)
		f->key[n++] = table_name(f->table, "[truncated]", 11);
	for (size_t i = f->n_frames; i > 0;)
		f->key[n++] = f->frames[--i];
	if (f->o->meanwhile.n > 0)
		meanwhile_keep(f, in, n, truncated);
	else
		fold_count(f, in, f->key, n, fold_cpu(f), truncated);
}

/* Keeps the table's name of a frame's text. */
static const struct memo_entry *
learn(struct fold *f)
{
	uint32_t id = fold_frame_name(f);

	if (bytes_is(f->scratch.p, f->scratch.len, "0x0"))
		f->zero = id;
	return stacks_learn(&f->in, NULL, 0, id);
}

static inline void
take_frame(struct fold *f, struct in *in)
{
	const struct memo_entry *e = f->in.entry;

	if (f->n_frames == FRAMES_MAX) {
		if (!f->stack_cut)
			fault_say(&f->faults[FAULT_DEEP], in,
			    "a stack has more than %d frames: the rest "
			    "is left out",
			    FRAMES_MAX);
		f->stack_cut = true;
		return;
	}
	if (e == NULL)
		e = learn(f);
	if (f->o->places)
		*xitem(f->addresses, f->n_frames, f->addresses_cap) =
		    fold_address(f);
	*xpush(f->frames, f->n_frames, f->frames_cap) = e->value;
}

/* The names of all frames but the first, as they were learnt of that text. */
static void
take_run(struct fold *f, const struct memo_entry *r)
{
	f->n_frames = 1 + r->len / sizeof *f->frames;
	f->frames =
	    xgrow(f->frames, f->n_frames, &f->frames_cap, sizeof *f->frames);
	memcpy(f->frames + 1, memo_result(r), r->len);
}

uint64_t
fold_trace(void *fold, struct in *in)
{
	struct fold *f = fold;
	uint64_t before = f->stacks + f->left_out;
	enum stacks_event event;

	next_capture(f);
	f->by_gdb = true;
	if (f->in.runs == NULL && !f->o->places)
		stacks_keep_runs(&f->in, 0);
	stacks_open(&f->in, in);
	while ((event = stacks_next(&f->in)) != STACKS_EOF)
		if (event == STACKS_FRAME)
			take_frame(f, in);
		else if (event == STACKS_RUN)
			take_run(f, f->in.run);
		else if (event == STACKS_BEGIN)
			begin_stack(f, in);
		else if (event == STACKS_END)
			end_stack(f, in);
		else if (event == STACKS_CAPTURE) {
			meanwhile_end(f, in);
			begin_capture(f, &f->in.t);
		} else if (event == STACKS_META) {
			f->by_gdb = false;
			origin_meta(&f->origin, f->in.t.text, f->in.t.len);
			take_failure(f, f->in.t.text, f->in.t.len);
		}
	meanwhile_end(f, in);
	origin_end(&f->origin);
	f->n_frames = 0;
	return f->stacks + f->left_out - before;
}

void
fold_init(struct fold *f, struct fold_options *o, struct table *t)
{
	memset(f, 0, sizeof *f);
	f->o = o;
	f->table = t;
	f->zero = UINT32_MAX;
	f->origin.is_part = o->is_part;
	f->origin.no_run = o->from.given || o->to.given;
	f->pieces.width = f->origin.piece = o->piece;
	stacks_init(&f->in, true);
	f->in.is_part = o->is_part;
	f->faults[FAULT_BAD_LINE].what = "line that is not a folded stack";
	f->faults[FAULT_DEEP].what = "stack that is too deep";
	f->faults[FAULT_OVERFLOW].what = "count beyond 64 bits";
	f->faults[FAULT_TRACKS].what = "capture with too many threads";
}

bool
fold_is_by(const struct fold_options *o, enum root root)
{
	for (size_t i = 0; i < o->n_by; i++)
		if (o->by[i] == root)
			return true;
	return false;
}

void
fold_finish(struct fold *f)
{
	for (size_t i = 0; i < f->o->n_by; i++)
		if (f->o->by[i] == BY_TIME)
			pieces_finish(&f->pieces, f->table, i);
	failures_finish(&f->failures, &f->pieces);
}

bool
fold_say_wrong(const struct fold *f)
{
	bool mixed = trailer_mixed(&f->origin.sum);
	uint64_t lost = f->table->overflows, faults;

	if (mixed)
		msg("counts of different units were added up");
	faults = fault_sum(f->faults, FAULT_MAX) + fault_sum(&f->in.cut, 1);
	msg_count(lost, "sums of the counts before exceed 64 bits");
	return mixed || lost || faults;
}

void
fold_done(struct fold *f)
{
	stacks_done(&f->in);
	meanwhile_done(&f->meanwhile);
	free(f->frames);
	free(f->key);
	free(f->addresses);
	fold_names_done(f);
	buf_done(&f->scratch);
	buf_done(&f->last);
	failures_done(&f->failures);
}
