/* SPDX-License-Identifier: ISC */
/*
 * From events to spans: pairs begins and ends on a stack of open spans for each
 * track. What becomes of a span is up to the sink.
 */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/in.h"
#include "text/events.h"
#include "tree.h"

/* Deeper spans are counted, but neither timed nor given to the sink. */
enum { PAIR_DEPTH_MAX = 16384 };

/* Events of more tracks are counted and left out. */
enum { PAIR_TRACKS_MAX = 1 << 20 };

/* A name or a track, escaped as in event text. */
struct str {
	const char *p;
	size_t len;
};

/* Its first 16 bytes, zeros after the end, to compare in words. */
struct key {
	uint64_t w[2], mask[2];
	size_t len;
};

static inline void
key_set(struct key *k, const char *p, size_t len)
{
	memset(k, 0, sizeof *k);
	memcpy(k->w, p, len < 16 ? len : 16);
	memset(k->mask, 0xff, len < 16 ? len : 16);
	k->len = len;
}

struct frame {
	uint32_t node, name;
	uint32_t last_child;   /* node of the last span within; 0: none */
	uint64_t start, child; /* child: time of the spans directly within */
	size_t args_at;	       /* where its ARGS begin in track.args */
};

struct track {
	struct str name;
	uint32_t root;	     /* node that the track's stacks hang on */
	uint32_t last_child; /* as in a frame, for spans within none */
	uint32_t depth;
	struct frame *frames;
	size_t cap;
	uint64_t last; /* the highest time seen */
	uint64_t too_deep;
	bool seen;
	struct buf args;
	/* want.c: open spans that match, and that are not shown; spans that
	 * began too late; whether the last event came too early */
	uint32_t inside, outside, hidden;
	uint64_t late;
	bool early;
};

/* A span that has ended, or (dur = 0) an instant or a loss. */
struct span {
	enum event_kind kind; /* EVENT_END: a span */
	const struct track *track;
	uint32_t depth;	     /* of open spans around it */
	uint32_t name, node; /* node: spans only, and instants */
	uint64_t start, dur, self;
	bool no_begin; /* an end without begin: start is its time, dur 0 */
	bool no_end;   /* closed by another span's end, or by the input's */
	struct event_args in, result;
};

struct pair {
	struct tree tree;
	struct str *names; /* by number */
	struct key *keys;
	bool by_track;	/* the track is each stack's root frame */
	bool by_name;	/* a node is a name, for a sink that wants no stacks */
	bool keep_args; /* for a sink that wants ARGS of begins */
	/* Called for each span; the texts are valid during the call. */
	void (*sink)(void *ctx, const struct span *s);
	void *ctx;
	struct want *want;   /* what is left out, or NULL */
	struct chart *chart; /* told what was open when (sinks.h), or NULL */
	/* What was repaired. */
	uint64_t no_begin, no_end, open_at_end, backwards, too_deep, lost;
	uint64_t too_many;
	/* private to pair.c, fast.c and these inline functions */
	struct intern *name_ids, *track_ids;
	struct track *tracks;
	uint32_t n_names, cap_names, n_tracks;
	size_t cap_tracks;
	uint32_t cur;	/* the track of the last event */
	uint32_t *open; /* by name: how many spans of it are open */
};

/* Whether a span around s has its name. */
bool pair_recursive(const struct pair *p, const struct span *s);

void pair_init(struct pair *p);
void pair_done(struct pair *p);

/* Returns false if the event was left out, its track being one too many. */
bool pair_event(struct pair *p, const struct event *e);

/* Closes the open spans, at the last time of their track. */
void pair_end(struct pair *p);

/*
 * For fast.c, too. The node that a span of that name has within t's open ones;
 * a span is opened, where frames[depth] exists; the innermost one is closed,
 * by its end event or (e = NULL) by something else.
 */
static inline uint32_t
pair_node(struct pair *p, const struct track *t, uint32_t name)
{
	uint32_t up = t->depth ? t->frames[t->depth - 1].node : t->root;

	return tree_child(&p->tree, p->by_name ? TREE_ROOT : up, name);
}

static inline void
pair_push(struct pair *p, struct track *t, uint32_t name, uint32_t node,
    const struct event *e, uint64_t now)
{
	struct frame *f = &t->frames[t->depth++];

	f->name = name;
	f->node = node;
	f->last_child = 0;
	f->start = now;
	f->child = 0;
	f->args_at = t->args.len;
	p->open[name]++;
	if (p->keep_args && e->args)
		buf_add(&t->args, e->args, e->args_len);
}

void pair_pop(
    struct pair *p, struct track *t, const struct event *e, uint64_t now);

/*
 * In fast.c: reads all files and closes the spans that are open. Spans go to
 * the sink, or into the tree's sums: then *overflow becomes true if one is too
 * large. Returns how many faults there were.
 */
uint64_t fast_read(struct in *in, struct pair *p, bool to_sink, bool *overflow);

/* One line that says what was repaired, if anything. */
void pair_say_repairs(const struct pair *p);

#endif
