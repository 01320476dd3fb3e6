/* SPDX-License-Identifier: ISC */
/* The fields of OSDK's and DADK's profiles. */
#include "osdk.h"
#include "capture.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/summary.h"
#include "text/json.h"
#include "trace/trace.h"

/* Makes the text from `at` on a name that one line holds, and ends the line. */
static void
end_line(struct buf *b, size_t at)
{
	if (b->len == at)
		buf_adds(b, "??");
	for (; at < b->len; at++) {
		unsigned char c = (unsigned char)b->p[at];

		b->p[at] = (char)(c == '\n' || c == '\r' || c == '\t' ? ' '
				  : c < 0x20 || c == 0x7f	      ? '?'
								      : c);
	}
	buf_add(b, " ()\n", 4);
}

/* Reads the name of frame n, if it is wanted, into a line. */
static bool
read_frame(struct json *j, struct capture *c, bool wanted, uint64_t n)
{
	struct buf *b = &c->text;
	char number[TRACE_NUMBER];
	size_t at;

	if (!wanted)
		return json_string(j, NULL, 0);
	buf_add(b, number, trace_number(n, number));
	at = b->len;
	if (!json_string(j, b, at + CAPTURE_TEXT_MAX - c->names))
		return false;
	if (!capture_frame(c, b->len - at))
		return json_fail(j, "a capture with too much text");
	end_line(b, at);
	return true;
}

/* `"CPU": ["leaf", ...]`; of a CPU that is not wanted, nothing is kept. */
static bool
read_stack(struct json *j, struct capture *c)
{
	struct buf *b = &c->scratch;
	uint64_t cpu, n = 0;
	bool wanted;

	b->len = 0;
	if (!json_string(j, b, 16))
		return false;
	if (num_u64(b->p, b->len, &cpu) != 0 || cpu > UINT32_MAX)
		return json_fail(j, "the previous key is not a CPU number");
	wanted = cpus_has(c->cpus, (uint32_t)cpu);
	if (wanted && !capture_stack(c, (uint32_t)cpu))
		return json_fail(j, "a capture with too much text");
	if (!json_take(j, ':'))
		return false;
	json_begin(j, '[');
	while (json_item(j, ']') && read_frame(j, c, wanted, n++))
		;
	return j->err == NULL;
}

static bool
read_stacks(struct json *j, struct capture *c)
{
	json_begin(j, '{');
	while (json_item(j, '}') && read_stack(j, c))
		;
	return j->err == NULL;
}

/* `{"data": {"CPU": ["leaf", ...], ...}, "timestamp": ms, ...}`, of DADK. */
static bool
read_sample(struct json *j, struct capture *c)
{
	struct buf name = BUF_INIT;
	bool has = false;

	json_begin(j, '{');
	while (json_item(j, '}')) {
		name.len = 0;
		if (!json_string(j, &name, 1 << 20) || !json_take(j, ':'))
			break;
		if (bytes_is(name.p, name.len, "data") && has)
			json_fail(j, "the field data again");
		else if (bytes_is(name.p, name.len, "data"))
			has = read_stacks(j, c);
		else if (bytes_is(name.p, name.len, "timestamp"))
			json_whole(j, &c->time);
		else
			json_skip(j);
	}
	buf_done(&name);
	return j->err == NULL &&
	       (has || json_fail(j, "the field data is missing"));
}

static bool
read_captures(struct json *j, struct capture *c,
    bool (*read)(struct json *j, struct capture *c))
{
	json_begin(j, '[');
	while (json_item(j, ']') && read(j, c))
		capture_put(c, false);
	return j->err == NULL;
}

/* What reads an item of the array in this field; NULL: it has no captures. */
static bool (*reader_of(const struct buf *name))(
    struct json *, struct capture *)
{
	if (bytes_is(name->p, name->len, "stack_traces"))
		return read_stacks;
	return bytes_is(name->p, name->len, "samples") ? read_sample : NULL;
}

static bool
read_document(struct json *j, struct capture *c)
{
	bool (*read)(struct json *, struct capture *);
	struct buf name = BUF_INIT;
	bool has = false;

	json_begin(j, '{');
	while (json_item(j, '}')) {
		name.len = 0;
		if (!json_string(j, &name, 1 << 20) || !json_take(j, ':'))
			break;
		if ((read = reader_of(&name)) == NULL)
			json_skip(j);
		else if (has)
			json_fail(j, "the field stack_traces appears twice");
		else
			has = read_captures(j, c, read);
	}
	buf_done(&name);
	if (!has)
		json_fail(j, "the field stack_traces is missing");
	return j->err == NULL &&
	       (json_peek(j) < 0 || json_fail(j, "text after the document"));
}

const char *
osdk_read(void *capture, struct in *in)
{
	static char why[400];
	struct capture *c = capture;
	uint64_t before = c->captures;
	struct json j;
	bool good;

	/* of a wrong document */
	c->time = 0;
	c->n_stacks = c->n_frames = c->names = c->text.len = 0;
	json_init(&j, in);
	good = read_document(&j, c);
	json_done(&j);
	if (good)
		return c->captures > before ? NULL : "no stacks found";
	snprintf(
	    why, sizeof why, "byte %" PRIu64 ": %s", json_offset(&j), j.err);
	summary_fault(0, why);
	return why;
}
