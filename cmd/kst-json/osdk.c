/* SPDX-License-Identifier: ISC */
/* The fields of OSDK's profile. */
#include "capture.h"

#include "base/bytes.h"
#include "base/num.h"
#include "text/json.h"

/* `"CPU": ["leaf", ...]`; of a CPU that is not wanted, nothing is kept. */
static bool
read_stack(struct json *j, struct capture *c)
{
	size_t at = c->text.len;
	bool good, wanted;
	uint64_t cpu;

	if (!json_string(j, &c->text, at + 16))
		return false;
	if (num_u64(c->text.p + at, c->text.len - at, &cpu) != 0 ||
	    cpu > UINT32_MAX)
		return json_fail(j, "the key before is not a CPU number");
	c->text.len = at;
	wanted = cpus_has(c->cpus, (uint32_t)cpu);
	if (wanted && !capture_has_room(c, 1, 0))
		return json_fail(j, "a capture too large to be held");
	if (wanted)
		capture_stack(c, (uint32_t)cpu);
	if (!json_take(j, ':'))
		return false;
	if (json_is_empty(j, '[', ']', &good))
		return good;
	do {
		at = c->text.len;
		if (!json_string(j, wanted ? &c->text : NULL, CAPTURE_TEXT_MAX))
			return false;
		if (!wanted)
			continue;
		if (!capture_has_room(c, 0, 1))
			return json_fail(j, "a capture too large to be held");
		capture_frame(c, at);
	} while (json_next(j, ']', &good));
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
		capture_put_trace(c);
	} while (json_next(j, ']', &good));
	return good;
}

bool
osdk_read(struct json *j, struct capture *c)
{
	bool good, has = false;
	struct buf name = BUF_INIT;

	c->n_stacks = c->n_frames = c->text.len = 0; /* of a wrong document */
	buf_room(&c->text, 64);
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
