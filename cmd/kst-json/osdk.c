/* SPDX-License-Identifier: ISC */
/* The fields of OSDK's profile. */
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
		return json_fail(j, "a capture too large to be held");
	end_line(b, at);
	return true;
}

/* `"CPU": ["leaf", ...]`; of a CPU that is not wanted, nothing is kept. */
static bool
read_stack(struct json *j, struct capture *c)
{
	struct buf *b = &c->scratch;
	bool good, wanted;
	uint64_t cpu, n = 0;

	b->len = 0;
	if (!json_string(j, b, 16))
		return false;
	if (num_u64(b->p, b->len, &cpu) != 0 || cpu > UINT32_MAX)
		return json_fail(j, "the key before is not a CPU number");
	wanted = cpus_has(c->cpus, (uint32_t)cpu);
	if (wanted && !capture_stack(c, (uint32_t)cpu))
		return json_fail(j, "a capture too large to be held");
	if (!json_take(j, ':'))
		return false;
	if (json_is_empty(j, '[', ']', &good))
		return good;
	do
		good = read_frame(j, c, wanted, n++);
	while (good && json_next(j, ']', &good));
	return good;
}

static bool
read_capture(struct json *j, struct capture *c)
{
	bool good;

	if (json_is_empty(j, '{', '}', &good))
		return good;
	do {
		if (!read_stack(j, c))
			return false;
	} while (json_next(j, '}', &good));
	return good;
}

static bool
read_captures(struct json *j, struct capture *c)
{
	bool good;

	if (json_is_empty(j, '[', ']', &good))
		return good;
	do {
		if (!read_capture(j, c))
			return false;
		capture_put(c, false);
	} while (json_next(j, ']', &good));
	return good;
}

static bool
read_document(struct json *j, struct capture *c)
{
	bool good, has = false;
	struct buf name = BUF_INIT;

	if (!json_take(j, '{'))
		return false;
	if (json_peek(j) == '}')
		return json_fail(j, "the field stack_traces is missing");
	do {
		name.len = 0;
		good = json_string(j, &name, 1 << 20) && json_take(j, ':');
		if (!good)
			break;
		if (!bytes_is(name.p, name.len, "stack_traces"))
			good = json_skip(j);
		else if (has)
			good = json_fail(j, "the field stack_traces again");
		else
			good = has = read_captures(j, c);
	} while (good && json_next(j, '}', &good));
	buf_done(&name);
	if (good && !has)
		return json_fail(j, "the field stack_traces is missing");
	if (good && json_peek(j) >= 0)
		return json_fail(j, "text after the document");
	return good;
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
	c->n_stacks = c->n_frames = c->names = c->text.len = 0;
	json_init(&j, in);
	good = read_document(&j, c);
	json_done(&j);
	if (good)
		return c->captures > before ? NULL : "no stack in it";
	snprintf(
	    why, sizeof why, "byte %" PRIu64 ": %s", json_offset(&j), j.err);
	summary_fault(0, why);
	return why;
}
