/* SPDX-License-Identifier: ISC */
/*
 * speedscope's file format. Frames may come after the profiles that have them:
 * stacks are of frames' numbers until the document has ended.
 */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "text/folded.h"
#include "text/json.h"

struct document {
	struct import *im;
	struct json j;
	struct buf text, name, unit, trailer; /* of members of these names */
	unsigned depth;
	uint32_t *names; /* by the frame's number: its name */
	size_t n_names, names_cap;
	struct table *stacks; /* of frames' numbers */
	/* the profile that is read: its samples' stacks, and their weights */
	uint32_t *samples;
	struct count *weights;
	size_t n_samples, samples_cap, n_weights, weights_cap;
	/* the frames of a sample, or those that events have opened */
	uint32_t *open;
	size_t n_open, open_cap;
	/* of an event, and the time of the one before */
	struct buf type;
	struct count at, frame, last;
};

typedef bool take_value(struct document *d);

static take_value take_member;

/* The members of an object, which may be in any order. */
static bool
take_object(struct document *d)
{
	if (d->depth == JSON_DEPTH_MAX)
		return json_fail(&d->j, "nested too deeply");
	d->depth++;
	json_begin(&d->j, '{');
	while (json_item(&d->j, '}') && take_member(d))
		;
	d->depth--;
	return d->j.err == NULL;
}

static bool
take_array(struct document *d, take_value *item)
{
	json_begin(&d->j, '[');
	while (json_item(&d->j, ']') && item(d))
		;
	return d->j.err == NULL;
}

static bool
take_text(struct document *d, struct buf *b)
{
	b->len = 0;
	return json_string(&d->j, b, IN_LINE_MAX);
}

/* A number from 0 on, exact if it is written without an exponent. */
static bool
take_number(struct document *d, struct count *c)
{
	int next = json_peek(&d->j);
	uint64_t begin = json_offset(&d->j);
	struct folded_line l;
	char text[64];
	size_t n = 0;
	double v;

	while (next > 0 && n < sizeof text - 1 &&
	       strchr("+-.eE0123456789", next) &&
	       json_offset(&d->j) == begin + n) {
		json_take(&d->j, (char)next);
		text[n++] = (char)next;
		next = json_peek(&d->j);
	}
	text[n] = 0;
	if (folded_parse(text, n, &l) == FOLDED_STACK && l.len == 0) {
		*c = l.count[0];
		return true;
	}
	v = strtod(text, NULL);
	if (n == 0 || !(v >= 0 && v < 0x1p63))
		return json_fail(&d->j, "a number from 0 on is expected");
	c->whole = (uint64_t)v;
	c->frac = (uint64_t)((v - (double)c->whole) * 1e18);
	return true;
}

static bool
open_frame(struct document *d)
{
	if (d->frame.whole >= UINT32_MAX || d->n_open == STACK_MAX)
		return json_fail(&d->j, "a stack beyond the limits");
	*xpush(d->open, d->n_open, d->open_cap) = (uint32_t)d->frame.whole;
	return true;
}

/* Sampled profiles --------------------------------------------------------- */

static bool
take_frame_number(struct document *d)
{
	return take_number(d, &d->frame) && open_frame(d);
}

static bool
take_sample(struct document *d)
{
	d->n_open = 0;
	if (!take_array(d, take_frame_number))
		return false;
	*xpush(d->samples, d->n_samples, d->samples_cap) =
	    table_find(d->stacks, d->open, d->n_open);
	return true;
}

static bool
take_weight(struct document *d)
{
	return take_number(d, xpush(d->weights, d->n_weights, d->weights_cap));
}

static bool
add_weight(struct document *d, uint32_t stack, const struct count *weight)
{
	return count_add(table_count(d->stacks, stack, 0), weight) == 0 ||
	       json_fail(&d->j, "a sum beyond 64 bits");
}

/* Evented profiles --------------------------------------------------------- */

/* What is open lasted from the event before to this one. */
static bool
take_event(struct document *d)
{
	struct count lasted;
	uint32_t stack;

	if (!take_object(d))
		return false;
	if (count_cmp(&d->at, &d->last) < 0)
		return json_fail(&d->j, "an event before the one before");
	lasted = (struct count){
	    d->at.whole - d->last.whole, d->at.frac - d->last.frac};
	if (d->at.frac < d->last.frac) {
		lasted.whole--;
		lasted.frac += 1000000000000000000;
	}
	d->last = d->at;
	if (table_frames(d->stacks) + d->n_open >= FRAMES_MAX)
		return json_fail(&d->j, "its stacks are too large to be held");
	stack = table_find(d->stacks, d->open, d->n_open);
	if (!add_weight(d, stack, &lasted))
		return false;
	if (bytes_is(d->type.p, d->type.len, "O"))
		return open_frame(d);
	if (d->n_open == 0 || d->open[d->n_open - 1] != d->frame.whole)
		return json_fail(&d->j, "not the end of what began last");
	d->n_open--;
	return true;
}

/* The document ------------------------------------------------------------- */

static bool
take_profile(struct document *d)
{
	d->n_samples = d->n_weights = d->n_open = 0;
	d->last = (struct count){0};
	if (!take_object(d))
		return false;
	if (d->n_samples != d->n_weights)
		return json_fail(&d->j, "not a weight for each sample");
	for (size_t i = 0; i < d->n_samples; i++)
		if (!add_weight(d, d->samples[i], &d->weights[i]))
			return false;
	return true;
}

static bool
take_frame(struct document *d)
{
	d->name.len = 0;
	if (!take_object(d))
		return false;
	*xpush(d->names, d->n_names, d->names_cap) =
	    table_any_name(d->im->table, d->name.p, d->name.len);
	return true;
}

/* A member of any object, by its key, which no two kinds of objects share. */
static bool
take_member(struct document *d)
{
	static const struct {
		const char *key;
		take_value *item;    /* of an array */
		size_t number, text; /* or where it is kept */
	} members[] = {{"frames", .item = take_frame},
	    {"profiles", .item = take_profile},
	    {"samples", .item = take_sample}, {"weights", .item = take_weight},
	    {"events", .item = take_event},
	    {"frame", .number = offsetof(struct document, frame)},
	    {"at", .number = offsetof(struct document, at)},
	    {"type", .text = offsetof(struct document, type)},
	    {"name", .text = offsetof(struct document, name)},
	    {"unit", .text = offsetof(struct document, unit)},
	    {"trailer", .text = offsetof(struct document, trailer)}};
	size_t i = 0;

	if (!take_text(d, &d->text) || !json_take(&d->j, ':'))
		return false;
	if (bytes_is(d->text.p, d->text.len, "shared"))
		return take_object(d);
	while (i < sizeof members / sizeof *members &&
	       !bytes_is(d->text.p, d->text.len, members[i].key))
		i++;
	if (i == sizeof members / sizeof *members)
		return json_skip(&d->j);
	if (members[i].item)
		return take_array(d, members[i].item);
	if (members[i].number)
		return take_number(d, (void *)((char *)d + members[i].number));
	return take_text(d, (void *)((char *)d + members[i].text));
}

/* Adds all stacks; false if a frame is missing. */
static bool
add_stacks(struct document *d)
{
	struct import *im = d->im;
	bool good = true;
	size_t n, known;

	for (uint32_t s = 0; s < table_stacks(d->stacks); s++) {
		const uint32_t *frames = table_stack(d->stacks, s, &n);
		const struct count *c = table_count(d->stacks, s, 0);

		im->key = xgrow(im->key, n, &im->key_cap, sizeof *im->key);
		for (known = 0; known < n && frames[known] < d->n_names;
		     known++)
			im->key[known] = d->names[frames[known]];
		good &= known == n;
		if (known == n && n && (c->whole || c->frac))
			im->overflows +=
			    table_add(im->table, im->key, n, c) != 0;
	}
	return good;
}

const char *
speedscope_read(struct import *im)
{
	static char why[200];
	struct document d = {.im = im, .stacks = table_new()};
	bool good, any;

	json_init(&d.j, &im->in);
	good = take_object(&d);
	if (good && json_peek(&d.j) >= 0)
		good = json_fail(&d.j, "text after the document");
	snprintf(why, sizeof why, "byte %" PRIu64 ": %s", json_offset(&d.j),
	    good ? "a frame of its stacks is missing" : d.j.err);
	json_done(&d.j);
	good &= add_stacks(&d);
	any = table_stacks(d.stacks) > 0;
	if (any)
		buf_printf(&im->unit, FOLDED_TRAILER "unit=%s",
		    bytes_is(d.unit.p, d.unit.len, "nanoseconds") ? "ns"
		    : d.unit.len == 0 || bytes_is(d.unit.p, d.unit.len, "none")
			? "samples"
			: buf_str(&d.unit));
	if (any)
		buf_add(&im->said, d.trailer.p, d.trailer.len);
	table_free(d.stacks);
	free(d.names);
	free(d.samples);
	free(d.weights);
	free(d.open);
	buf_done(&d.text);
	buf_done(&d.name);
	buf_done(&d.type);
	buf_done(&d.unit);
	buf_done(&d.trailer);
	return !good ? why : any ? NULL : "no stack in it";
}
