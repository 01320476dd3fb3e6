/* SPDX-License-Identifier: ISC */
#include "span/pair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/in.h"
#include "trace/signs.h"

void
pair_init(struct pair *p)
{
	memset(p, 0, sizeof *p);
	tree_init(&p->tree);
	p->bad.what = "line that is not an event";
	p->name_ids = intern_new();
	p->track_ids = intern_new();
}

void
pair_done(struct pair *p)
{
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		free(p->tracks[i].frames);
		buf_done(&p->tracks[i].args);
	}
	free(p->tracks);
	free(p->names);
	intern_free(p->name_ids);
	intern_free(p->track_ids);
	tree_done(&p->tree);
	memset(p, 0, sizeof *p);
}

static uint32_t
name_id(struct pair *p, const char *name, size_t len)
{
	uint32_t id = intern_id(p->name_ids, name, len);
	struct name *n;

	if (id < p->n_names)
		return id;
	n = xpush(p->names, p->n_names, p->cap_names);
	n->p = intern_str(p->name_ids, id, &n->len);
	n->open = n->match = 0;
	return id;
}

static struct track *
new_track(struct pair *p, uint32_t id)
{
	struct track *t;
	size_t len;

	t = xpush(p->tracks, p->n_tracks, p->cap_tracks);
	memset(t, 0, sizeof *t);
	t->name = intern_str(p->track_ids, id, &len);
	t->name_len = (uint32_t)len;
	t->root = TREE_ROOT;
	if (p->by_track)
		t->root = tree_child(
		    &p->tree, TREE_ROOT, name_id(p, t->name, t->name_len));
	return t;
}

/* NULL if it would be one too many. */
static struct track *
track_of(struct pair *p, const struct event *e)
{
	uint32_t id;

	if (p->n_tracks) {
		struct track *t = &p->tracks[p->cur];

		if (bytes_same(t->name, t->name_len, e->track, e->track_len))
			return t;
	}
	id = intern_within(
	    p->track_ids, e->track, e->track_len, PAIR_TRACKS_MAX);
	if (id == UINT32_MAX)
		return NULL;
	p->cur = id;
	return id < p->n_tracks ? &p->tracks[id] : new_track(p, id);
}

static void
begin(struct pair *p, struct track *t, const struct event *e, uint64_t now)
{
	struct open_span *f;

	if (t->depth == t->cap) {
		if (t->depth == PAIR_DEPTH_MAX) {
			t->too_deep++;
			p->too_deep++;
			return;
		}
		if (t->depth == 0) /* very many tracks may be hardly deep */
			t->frames =
			    xreallocn(NULL, t->cap = 2, sizeof *t->frames);
		else
			t->frames = xgrow(t->frames, (size_t)t->depth + 1,
			    &t->cap, sizeof *t->frames);
	}
	f = &t->frames[t->depth];
	f->name = name_id(p, e->name, e->name_len);
	f->node = p->want ? want_open(p, t, f->name) : pair_node(p, t, f->name);
	f->start = now;
	f->order = p->n_begun++;
	f->child = 0;
	f->args_at = t->args.len;
	if (p->keep_args && e->args)
		buf_add(&t->args, e->args, e->args_len);
	p->names[f->name].open++;
	t->depth++;
}

static void
add(struct pair *p, uint32_t node, uint64_t self)
{
	p->tree.nodes[node].calls++;
	pair_sum(p, &p->tree.nodes[node].self, self);
}

/* To the sink, if it is wanted. */
static void
give(struct pair *p, const struct track *t, struct span *s)
{
	if (p->want && !want_takes(p, t, s))
		return;
	if (p->sink)
		p->sink(p->ctx, s);
	else if (s->kind != EVENT_LOST && !s->no_begin)
		add(p, s->node, s->self);
}

/* Gives the span in frames[depth], which has ended, to the sink. */
static void
give_closed(
    struct pair *p, struct track *t, const struct event *e, uint64_t dur)
{
	struct open_span *f = &t->frames[t->depth];
	struct span s = {.kind = EVENT_END,
	    .track = t,
	    .depth = t->depth,
	    .name = f->name,
	    .node = f->node,
	    .start = f->start,
	    .dur = dur,
	    .order = f->order,
	    .self = dur - f->child,
	    .no_end = e == NULL};

	if (e)
		event_split_args(e, &s.result);
	if (p->keep_args) {
		struct event b = {
		    .args = t->args.p ? t->args.p + f->args_at : NULL,
		    .args_len = t->args.len - f->args_at};

		event_split_args(&b, &s.in);
		t->args.len = f->args_at;
	}
	give(p, t, &s);
	if (p->want)
		want_close(p, t, s.name);
}

/* Closes the innermost span, by its end event or (NULL) something else. */
static void
close_span(struct pair *p, struct track *t, const struct event *e, uint64_t now)
{
	struct open_span *f = &t->frames[--t->depth];
	uint64_t dur = now - f->start;

	p->names[f->name].open--;
	if (t->depth && (p->want == NULL || dur >= p->want->min))
		f[-1].child += dur;
	if (p->sink == NULL && p->want == NULL)
		add(p, f->node, dur - f->child);
	else
		give_closed(p, t, e, dur);
}

/* The depth within the innermost open span of that name; 0: none is open. */
static uint32_t
find_open(const struct pair *p, const struct track *t, uint32_t name)
{
	uint32_t i = p->names[name].open ? t->depth : 0;

	while (i > 0 && t->frames[i - 1].name != name)
		i--;
	return i;
}

bool
pair_recursive(const struct pair *p, const struct span *s)
{
	return find_open(p, s->track, s->name) > 0;
}

static void
end_alone(struct pair *p, struct track *t, const struct event *e, uint64_t now)
{
	struct span s = {.kind = EVENT_END,
	    .track = t,
	    .depth = t->depth,
	    .name = name_id(p, e->name, e->name_len),
	    .node = TREE_ROOT,
	    .start = now,
	    .order = p->n_begun++,
	    .no_begin = true};

	p->no_begin++;
	event_split_args(e, &s.result);
	give(p, t, &s);
}

/* The depth within the span that e ends, most often the innermost one. */
static uint32_t
ended(const struct pair *p, const struct track *t, const struct event *e)
{
	const struct name *n;
	uint32_t name;

	if (t->depth) {
		n = &p->names[t->frames[t->depth - 1].name];
		if (bytes_same(n->p, n->len, e->name, e->name_len))
			return t->depth;
	}
	name = intern_find(p->name_ids, e->name, e->name_len);
	return name == UINT32_MAX ? 0 : find_open(p, t, name);
}

static void
end(struct pair *p, struct track *t, const struct event *e, uint64_t now)
{
	uint32_t i;

	if (t->too_deep) {
		t->too_deep--;
		return;
	}
	i = ended(p, t, e);
	if (i == 0) {
		end_alone(p, t, e, now);
		return;
	}
	/* the ends of the spans within are missing */
	for (; t->depth > i; p->no_end++)
		close_span(p, t, NULL, now);
	close_span(p, t, e, now);
}

static void
other(struct pair *p, struct track *t, const struct event *e, uint64_t now)
{
	struct span s = {.kind = e->kind,
	    .track = t,
	    .depth = t->depth,
	    .name = name_id(p, e->name, e->name_len),
	    .order = p->n_begun++,
	    .start = now};

	event_split_args(e, &s.in);
	if (e->kind == EVENT_INSTANT)
		s.node = pair_node(p, t, s.name);
	else
		p->lost += event_lost(&s.in);
	give(p, t, &s);
}

/* The time from one event to the next. */
static void
tell_time(struct pair *p, struct track *t, uint64_t from, uint64_t to)
{
	if (p->want) {
		from = range_cut(&p->want->range, from);
		to = range_cut(&p->want->range, to);
	}
	p->time(t, pair_inner(t), from, to);
}

static void
take(struct pair *p, const struct event *e)
{
	struct track *t = track_of(p, e);
	uint64_t now = e->time;

	if (t == NULL) {
		p->too_many++;
		return;
	}
	if (now < t->last) { /* no span ends before it began */
		p->backwards++;
		now = t->last;
	}
	if (p->time && t->seen)
		tell_time(p, t, t->last, now);
	t->seen = true;
	t->last = now;
	if (p->want && want_skips(p->want, t, e, &now))
		return;
	if (e->kind == EVENT_BEGIN)
		begin(p, t, e, now);
	else if (e->kind == EVENT_END)
		end(p, t, e, now);
	else
		other(p, t, e, now);
}

/* Closes the open spans, at the last time of their track. */
static void
end_all(struct pair *p)
{
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		struct track *t = &p->tracks[i];

		for (; t->depth; p->open_at_end++)
			close_span(p, t, NULL,
			    p->want ? range_cut(&p->want->range, t->last)
				    : t->last);
	}
}

/*
 * The events of one file: a signs_reader. Lines before the first one are told
 * of together: without an event, what the file looks like says more.
 */
static const char *
read_file(void *pair, struct in *in)
{
	struct pair *p = pair;
	unsigned file_no = in->file_no;
	uint64_t before = 0;
	bool any = false;
	struct event e;
	const char *line;
	size_t len;

	while (in_more(in, file_no) && in_next(in, &line, &len)) {
		enum event_line kind = event_parse(line, len, &e);

		if (kind == EVENT_OK)
			take(p, &e);
		else if (kind == EVENT_BAD && any)
			fault_say(&p->bad, in, "not an event: '%s'",
			    msg_text(line, len));
		else if (kind == EVENT_BAD)
			before++;
		if (kind == EVENT_OK && !any && before)
			fault_say(&p->bad, in,
			    "lines before it that are not events: %" PRIu64,
			    before);
		any |= kind == EVENT_OK;
	}
	p->bad.n += any && before ? before - 1 : 0;
	return any ? NULL : "no events found";
}

uint64_t
pair_read(struct in *in, struct pair *p)
{
	uint64_t none = signs_files(in, read_file, p);

	end_all(p);
	return fault_sum(&p->bad, 1) + none;
}

void
pair_say_repairs(const struct pair *p)
{
	const struct {
		uint64_t n;
		const char *one, *more;
	} kinds[] = {{p->open_at_end, "open at the end", "open at the end"},
	    {p->no_end, "without its end", "without their end"},
	    {p->no_begin, "end without begin", "ends without begin"},
	    {p->backwards, "time that goes backwards",
		"times that go backwards"},
	    {p->too_deep, "begin too deep", "begins too deep"},
	    {p->too_many, "event of too many tracks",
		"events of too many tracks"},
	    {p->lost, "record lost", "records lost"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].n)
			buf_printf(&b, "%s%" PRIu64 " %s", b.len ? ", " : "",
			    kinds[i].n,
			    kinds[i].n == 1 ? kinds[i].one : kinds[i].more);
	}
	if (b.len)
		msg("spans: %s", buf_str(&b));
	buf_done(&b);
}
