/* SPDX-License-Identifier: ISC */
#include "trace/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "trace/runs.h"
#include "base/bytes.h"
#include "base/summary.h"
#include "base/xalloc.h"
#include "set/hash.h"

enum {
	FRAME_BYTES = 4 << 20,
	ADDRESS = 22 /* bytes of `0x0123456789abcdef in ` */
};

static bool
same_track(const void *of, uint32_t id, const void *key)
{
	const struct stacks *s = of;

	return s->track[id].hash == *(const uint64_t *)key;
}

static void
add_track(struct stacks *s, struct track_mark m)
{
	*xitem(s->track, s->tracks.n, s->tracks_cap) = m;
	slots_add(&s->tracks, m.hash);
}

/* Forgets earlier captures' tracks, or all if this one has TRACKS_MAX. */
static void
make_room(struct stacks *s)
{
	uint32_t n = s->tracks.n;

	slots_clear(&s->tracks);
	for (uint32_t i = 0; i < n; i++)
		if (s->track[i].capture == s->capture)
			add_track(s, s->track[i]);
	s->tracks_full = s->tracks.n == TRACKS_MAX;
	if (s->tracks_full)
		slots_clear(&s->tracks);
}

void
stacks_init(struct stacks *s, bool tracks)
{
	memset(s, 0, sizeof *s);
	s->cut.what = "capture without its end";
	if (tracks)
		slots_init(&s->tracks);
}

void
stacks_summary(const struct stacks *s)
{
	if (!s->is_part)
		return;
	summary_count("begins", s->begins);
	summary_count("ends", s->ends);
	summary_count("open", s->open);
}

void
stacks_done(struct stacks *s)
{
	memo_free(s->memo);
	slots_done(&s->tracks);
	free(s->track);
	memo_free(s->runs);
	trace_reader_done(&s->reader);
	buf_done(&s->header);
	buf_done(&s->process);
}

void
stacks_open(struct stacks *s, struct in *in)
{
	if (s->memo == NULL)
		s->memo = memo_new(FRAME_BYTES);
	s->in = in;
	s->file = in->file_no;
	s->file_name = in_name(in);
	s->begun = 0;
	s->has_thread = false;
	s->process.len = s->reader.cut.len = 0;
	s->capture++;
}

struct memo_entry *
stacks_learn(struct stacks *s, const char *result, size_t len, uint32_t value)
{
	struct memo_text t = {s->text, s->text_len, result, len, value};

	return memo_again(s->memo, s->hash) ? memo_add(s->memo, s->hash, &t)
					    : memo_pass(s->memo, &t);
}

/* Whether a frame's text begins with gdb's usual address, and has a name. */
static bool
has_address(const char *p, size_t len)
{
	return len > ADDRESS && memcmp(p, "0x", 2) == 0 &&
	       memcmp(p + 18, " in ", 4) == 0 && p[ADDRESS] != ' ' &&
	       p[ADDRESS] != '?' && memchr(p, ' ', 18) == NULL;
}

/* Looks the frame in s->t up, which may turn out to be another kind of line. */
static void
look_up(struct stacks *s)
{
	const struct trace_line *t = &s->t;

	do {
		s->text = t->frame;
		s->text_len = t->frame_len;
		if (has_address(s->text, s->text_len)) {
			s->text += ADDRESS;
			s->text_len -= ADDRESS;
		}
		s->hash = hash_bytes(s->text, s->text_len);
		s->entry = memo_find(s->memo, s->hash, s->text, s->text_len);
	} while (s->entry == NULL && trace_is_other(&s->reader, &s->t) &&
		 t->kind == TRACE_FRAME);
}

/* Takes a line, or what a pager's prompts have made several of. */
static bool
take_line(struct stacks *s)
{
	bool joined;

	do {
		joined = s->reader.cut.len > 0;
		if (!in_more(s->in, s->file))
			return false;
		in_next(s->in, &s->line, &s->line_len);
		trace_read_raw(&s->reader, s->line, s->line_len, &s->t);
		if (s->t.kind == TRACE_FRAME)
			look_up(s);
	} while (s->reader.cut.len > 0);
	if (joined) {
		s->line = s->t.text;
		s->line_len = s->t.len;
	}
	return true;
}

static enum stacks_event
end_stack(struct stacks *s, bool at_end)
{
	if (s->run_len && (s->in->bytes != s->run_bytes || s->in->eof))
		s->run_len = 0;
	s->truncated =
	    s->t.kind == TRACE_STOPPED || (at_end && s->begun && !s->is_part);
	s->marked = false;
	s->place = STACKS_OUTSIDE;
	return STACKS_END;
}

/* Marks the stack's track; whether this capture had it already. */
static bool
mark_track(struct stacks *s)
{
	const struct trace_thread *th = &s->thread;
	uint64_t hash = !s->has_thread ? hash_bytes("", 0)
			: th->has_cpu  ? hash_bytes(th->label, th->label_len)
				       : hash_bytes(s->header.p, s->header.len);
	uint32_t id = slots_find(&s->tracks, hash, same_track, s, &hash);
	bool was = id != SLOTS_NONE && s->track[id].capture == s->capture;

	s->marked = true;
	if (id == SLOTS_NONE && s->tracks.n == TRACKS_MAX)
		make_room(s);
	if (id == SLOTS_NONE)
		add_track(s, (struct track_mark){hash, s->capture});
	else
		s->track[id].capture = s->capture;
	return was;
}

static enum stacks_event
begin_stack(struct stacks *s)
{
	s->tracks_full = false;
	if (s->tracks.v && !s->marked && mark_track(s)) {
		s->capture++;
		mark_track(s);
		return STACKS_CAPTURE;
	}
	s->place = STACKS_BEGUN;
	return STACKS_BEGIN;
}

static enum stacks_event
begin_thread(struct stacks *s)
{
	s->process.len = 0;
	if (s->tracks.v == NULL)
		return STACKS_THREAD;
	s->header.len = 0;
	buf_add(&s->header, s->t.text, s->t.len);
	trace_thread_parse(s->header.p, s->header.len, &s->thread);
	s->has_thread = true;
	return STACKS_THREAD;
}

/* Before another capture begins, or the file ends. */
static void
note_cut(struct stacks *s)
{
	if (s->begun)
		fault_say_at(&s->cut, s->file_name, s->begun,
		    "the capture that begins here is incomplete: its end is "
		    "missing");
	s->begun = 0;
}

static enum stacks_event
take_meta(struct stacks *s)
{
	if (bytes_starts(s->t.text, s->t.len, "[kst-capture-info ")) {
		note_cut(s);
		s->begun = in_line(s->in);
		s->begins |= !s->ends;
	} else if (bytes_starts(s->t.text, s->t.len, "[kst-capture-summary ")) {
		s->begun = 0;
		s->ends |= !s->begins;
	}
	if (!bytes_starts(s->t.text, s->t.len, "[kst-process "))
		return STACKS_META;
	s->process.len = 0;
	buf_add(&s->process, s->t.text, s->t.len);
	return STACKS_PROCESS;
}

/* The event of a line outside of stacks. */
static enum stacks_event
take_other(struct stacks *s)
{
	switch (s->t.kind) {
	case TRACE_THREAD:
		return begin_thread(s);
	case TRACE_META:
		return take_meta(s);
	case TRACE_CAPTURE:
	case TRACE_ROUND:
		s->has_thread = false;
		s->process.len = 0;
		s->capture++;
		return STACKS_CAPTURE;
	case TRACE_STOPPED:
		return STACKS_STOPPED;
	default:
		return STACKS_OTHER;
	}
}

enum stacks_event
stacks_next(struct stacks *s)
{
	bool is_first;

	if (s->place == STACKS_AT_RUN)
		return runs_take(s);
	if (!s->pending && !take_line(s)) {
		s->t.kind = TRACE_OTHER;
		if (s->place)
			return end_stack(s, true);
		if (s->is_part) {
			s->open = s->begun;
			s->begun = 0;
		}
		note_cut(s);
		return STACKS_EOF;
	}
	s->pending = true;
	if (s->place == STACKS_INSIDE && s->t.kind == TRACE_FRAME &&
	    s->t.number > s->number) {
		if (s->run_len)
			s->run_text = NULL;
		s->run_len = 0;
	} else if (s->place == STACKS_INSIDE) {
		runs_end(s);
		if (s->t.kind != TRACE_OTHER)
			return end_stack(s, false);
	}
	if (s->t.kind == TRACE_FRAME && s->place == STACKS_OUTSIDE)
		return begin_stack(s);
	s->pending = false;
	if (s->t.kind != TRACE_FRAME)
		return take_other(s);
	s->number = s->t.number;
	s->head = s->t.text;
	s->head_len = (size_t)(s->t.frame - s->t.text);
	s->frame_len = s->t.frame_len;
	is_first = s->place == STACKS_BEGUN;
	s->place = STACKS_INSIDE;
	if (is_first)
		runs_find(s);
	return STACKS_FRAME;
}
