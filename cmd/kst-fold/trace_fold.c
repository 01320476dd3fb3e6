/* SPDX-License-Identifier: ISC */
/*
 * Folding of trace text: which capture, thread and process a frame belongs
 * to, which stacks are asked for, and what root frames they get.
 */
#include "fold.h"
#include "base/fault.h"

#include <stdlib.h>
#include <string.h>

#include "text/folded.h"
#include "base/in.h"
#include "text/memo.h"
#include "names/name.h"
#include "text/shape.h"
#include "table.h"
#include "tracks.h"
#include "base/xalloc.h"

static const struct count ONE = {1, 0};

/* `SECONDS.FRACTION` of a capture line, in nanoseconds. */
static bool
parse_time(const char *p, size_t len, uint64_t *ns)
{
	struct folded_line f;

	if (len == 0 || len > 40 || memchr(p, ' ', len) ||
	    folded_parse(p, len, &f) != FOLDED_STACK || f.len != 0)
		return false;
	return !__builtin_mul_overflow(
		   f.count[0].whole, (uint64_t)1000000000, ns) &&
	       !__builtin_add_overflow(*ns, f.count[0].frac / 1000000000, ns);
}

/* The next frames belong to another capture than those before. */
static void
next_capture(struct fold *f)
{
	if (f->capture_has_frames || f->capture == 0)
		f->capture++;
	f->capture_has_frames = false;
	f->has_time = false;
	f->has_thread = false;
}

static void
begin_capture(struct fold *f, const struct trace_line *t)
{
	const char *v;
	size_t len;

	next_capture(f);
	if (!trace_meta_get(t->text, t->len, "time", &v, &len) ||
	    !parse_time(v, len, &f->time))
		return;
	f->has_time = true;
	if (!f->has_first_time) {
		f->has_first_time = true;
		f->first_time = f->time;
	}
}

/* Marks the current thread's track; whether this capture had it already. */
static bool
mark_track(struct fold *f, struct in *in)
{
	const char *name = f->header.p;
	size_t len = f->header.len;
	bool full = false, seen;

	if (!f->has_thread) {
		name = "";
		len = 0;
	} else if (f->thread.has_cpu) {
		name = f->thread.label;
		len = f->thread.label_len;
	}
	seen = tracks_mark(f->tracks, name, len, f->capture, &full);
	if (full)
		fault_say(&f->faults[FAULT_TRACKS], in,
		    "more than %d threads in a capture: it may have ended "
		    "unseen",
		    TRACKS_MAX);
	return seen;
}

/* Frame 0 of a stack: a track that shows again begins a capture. */
static void
begin_stack(struct fold *f, struct in *in)
{
	if (f->capture == 0)
		f->capture = 1;
	if (mark_track(f, in)) {
		bool had_thread = f->has_thread;

		next_capture(f);
		f->has_thread = had_thread;
		mark_track(f, in);
	}
	if (!f->capture_has_frames)
		f->captures++;
	f->capture_has_frames = true;
}

static bool
beyond(const struct fold *f, const struct limit *l, bool is_from)
{
	uint64_t at = f->capture;

	if (!l->given)
		return false;
	if (l->seconds)
		at = f->time < f->first_time ? 0 : f->time - f->first_time;
	return is_from ? at < l->value : at > l->value;
}

/* Whether the options ask for the stack that is complete now. */
static bool
is_wanted(struct fold *f)
{
	struct fold_options *o = f->o;
	bool has_cpu = f->has_thread && f->thread.has_cpu;

	if ((o->from.given && o->from.seconds && !f->has_time) ||
	    (o->to.given && o->to.seconds && !f->has_time)) {
		f->no_time++;
		return false;
	}
	if (beyond(f, &o->from, true) || beyond(f, &o->to, false))
		return false;
	if (o->cpus.want && !has_cpu)
		f->no_cpu++;
	if (o->cpus.want && (!has_cpu || !cpus_has(&o->cpus, f->thread.cpu)))
		return false;
	if (o->state == STATE_UNKNOWN)
		return true;
	if (!f->has_thread || f->thread.state == STATE_UNKNOWN)
		f->no_state++;
	return f->has_thread && f->thread.state == o->state;
}

static void
process_root(struct fold *f, struct buf *b)
{
	const char *pid, *name, *mode;
	size_t pid_len, name_len, mode_len;
	const char *p = f->process.p;
	size_t len = f->process.len;
	struct buf text = BUF_INIT;

	if (len == 0) {
		buf_adds(b, "[unknown process]");
		return;
	}
	if (trace_meta_get(p, len, "mode", &mode, &mode_len) && mode_len == 6 &&
	    memcmp(mode, "kernel", 6) == 0) {
		buf_adds(b, "Kernel");
		return;
	}
	if (!trace_meta_get(p, len, "pid", &pid, &pid_len))
		pid = "?", pid_len = 1;
	if (!trace_meta_get(p, len, "name", &name, &name_len))
		name = "<unknown>", name_len = 9;
	buf_adds(b, "User PID=");
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
	static const char *const states[] = {"[unknown]", "running", "halted"};
	struct buf *b = &f->scratch;

	b->len = 0;
	switch (by) {
	case BY_STATE:
		buf_adds(b, states[f->has_thread ? f->thread.state : 0]);
		break;
	case BY_PROCESS:
		process_root(f, b);
		break;
	default:
		if (f->has_thread)
			folded_add_name(
			    b, f->thread.label, f->thread.label_len);
		else
			buf_adds(b, "[unknown]");
		break;
	}
	return table_name(f->table, b->p, b->len);
}

/* Counts the stack whose frames are complete. */
static void
end_stack(struct fold *f, struct in *in)
{
	size_t n = 0;

	if (f->n_frames == 0)
		return;
	if (!is_wanted(f)) {
		f->left_out++;
	} else {
		for (size_t i = 0; i < f->o->n_by; i++)
			f->key[n++] = root_frame(f, f->o->by[i]);
		if (f->stack_truncated && f->o->mark_truncated)
			f->key[n++] = table_name(f->table, "[truncated]", 11);
		for (size_t i = f->n_frames; i > 0;)
			f->key[n++] = f->frames[--i];
		f->stacks++;
		f->truncated += f->stack_truncated;
		if (table_add(f->table, f->key, n, &ONE) != 0)
			fault_say(&f->faults[FAULT_OVERFLOW], in,
			    "the number of stacks is beyond 64 bits");
	}
	f->n_frames = 0;
	f->stack_truncated = false;
}

/* Remembers a frame's text: the value is the table's name. */
static struct memo_entry *
add_name(struct fold *f, const char *text, size_t len)
{
	const char *name;
	size_t name_len;

	name_of_frame(text, len, true, &name, &name_len);
	f->scratch.len = 0;
	folded_add_name(&f->scratch, name, name_len);
	return memo_add(f->memo, text, len, NULL, 0,
	    table_name(f->table, f->scratch.p, f->scratch.len));
}

static void take_line(struct fold *f, struct in *in, struct trace_line *t);

static void
take_frame(struct fold *f, struct in *in, struct trace_line *t)
{
	const char *p = t->frame;
	size_t len = t->frame_len;
	struct memo_entry *e;

	if (len > MEMO_ADDRESS && memo_at_address(p)) {
		p += MEMO_ADDRESS;
		len -= MEMO_ADDRESS;
	}
	e = memo_find(f->memo, p, len);
	if (e == NULL && trace_is_other(&f->reader, t)) {
		take_line(f, in, t);
		return;
	}
	if (f->n_frames > 0 && t->number <= f->last_number)
		end_stack(f, in);
	if (f->n_frames == 0) {
		begin_stack(f, in);
		if (memo_trim(f->memo))
			f->prev = e = NULL;
	}
	f->last_number = t->number;
	if (f->n_frames == FRAMES_MAX) {
		if (!f->stack_truncated)
			fault_say(&f->faults[FAULT_DEEP], in,
			    "a stack of more than %d frames is cut",
			    FRAMES_MAX);
		f->stack_truncated = true;
		return;
	}
	if (e == NULL)
		e = add_name(f, p, len);
	f->frames[f->n_frames++] = e->value;
	if (f->prev)
		f->prev->next = e;
	f->prev = e;
}

/* Frames of the stack that follow each other as they did last time. */
static inline void
take_known_frames(struct fold *f, struct in *in)
{
	struct memo_entry *e;
	const char *head;

	while (f->n_frames < FRAMES_MAX &&
	       (e = memo_next_frame(in, f->prev, &f->last_number, &head))) {
		f->prev = e;
		f->frames[f->n_frames++] = e->value;
	}
}

static void
take_other(struct fold *f, struct in *in, const struct trace_line *t)
{
	switch (t->kind) {
	case TRACE_STOPPED:
		if (f->n_frames > 0)
			f->stack_truncated = true;
		end_stack(f, in);
		return;
	case TRACE_THREAD:
		end_stack(f, in);
		f->header.len = 0;
		buf_add(&f->header, t->text, t->len);
		trace_thread_parse(f->header.p, f->header.len, &f->thread);
		f->has_thread = true;
		f->process.len = 0;
		return;
	case TRACE_META:
		if (t->len > 13 && memcmp(t->text, "[kst-process ", 13) == 0) {
			end_stack(f, in);
			f->process.len = 0;
			buf_add(&f->process, t->text, t->len);
		}
		return;
	case TRACE_CAPTURE:
		end_stack(f, in);
		f->process.len = 0;
		begin_capture(f, t);
		return;
	case TRACE_ROUND:
		end_stack(f, in);
		f->process.len = 0;
		next_capture(f);
		return;
	default:
		return;
	}
}

static void
take_line(struct fold *f, struct in *in, struct trace_line *t)
{
	if (t->kind == TRACE_FRAME)
		take_frame(f, in, t);
	else
		take_other(f, in, t);
}

void
fold_trace(struct fold *f, struct in *in)
{
	unsigned file = in->file_no;
	const char *name = in_name(in), *line;
	uint64_t before = f->stacks + f->left_out;
	struct trace_line t;
	size_t len;

	next_capture(f);
	while (in_more(in, file)) {
		in_next(in, &line, &len);
		trace_read_raw(&f->reader, line, len, &t);
		take_line(f, in, &t);
		if (t.kind == TRACE_FRAME && f->prev)
			take_known_frames(f, in);
	}
	end_stack(f, in);
	shape_say_none(name, f->stacks + f->left_out - before);
}

void
fold_init(struct fold *f, struct fold_options *o, struct table *t)
{
	memset(f, 0, sizeof *f);
	f->o = o;
	f->table = t;
	f->tracks = tracks_new();
	f->memo = memo_new();
	f->frames = xcalloc(FRAMES_MAX, sizeof *f->frames);
	f->key = xcalloc(FRAMES_MAX + BY_MAX + 1, sizeof *f->key);
	f->faults[FAULT_BAD_LINE].what = "line that is no folded stack";
	f->faults[FAULT_DEEP].what = "stack that is too deep";
	f->faults[FAULT_OVERFLOW].what = "count beyond 64 bits";
	f->faults[FAULT_TRACKS].what = "capture of too many threads";
}

void
fold_done(struct fold *f)
{
	tracks_free(f->tracks);
	memo_free(f->memo);
	free(f->frames);
	free(f->key);
	buf_done(&f->header);
	buf_done(&f->process);
	buf_done(&f->scratch);
	trace_reader_done(&f->reader);
}
