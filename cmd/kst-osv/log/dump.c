/* SPDX-License-Identifier: ISC */
#include "log/binary.h"

#include <string.h>

#include "io/in.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum { TIME_AT = 32 }; /* in a record */

static const uint64_t TAG_POINTS = 0x54524344, TAG_RECORDS = 0x54524353;

/* The records of a CPU; `next` is the next one, or `end`. */
struct cpu_log {
	size_t start, next, end;
	uint64_t time; /* of the next one */
};

static bool
take_point(struct binary *b, struct cursor *c)
{
	uint64_t key, n, sig;
	struct point *pt;

	if (!cursor_number(c, 8, &key))
		return false;
	pt = point_add(b, key);
	if (!cursor_str(c, NULL) || !cursor_str(c, &pt->name) ||
	    !cursor_str(c, NULL) || !cursor_str(c, &pt->format) ||
	    !cursor_number(c, 4, &n))
		return false;
	for (; n > 0; n--) {
		if (!cursor_str(c, NULL) || !cursor_number(c, 1, &sig))
			return false;
		if (sig == 'p')
			buf_adds(&pt->signature, "50");
		buf_addc(&pt->signature, (char)sig);
	}
	return point_is_good(pt);
}

static bool
take_points(struct binary *b, struct cursor *c)
{
	uint64_t frames, n;

	if (!cursor_number(c, 4, &frames) || !cursor_number(c, 4, &n) ||
	    frames > FRAMES_MAX || n > POINTS_MAX)
		return false;
	b->n_frames = (size_t)frames;
	for (; n > 0; n--)
		if (!take_point(b, c))
			return false;
	return true;
}

/* Notes the time of the record at c->next, or that it is the end. */
static void
find_record(struct binary *b, struct cpu_log *c)
{
	const char *p = b->data.p + c->next;
	uint64_t key;

	key = c->end - c->next < 8 ? 0 : uint_load(p, 8, b->big);
	if (key == 0 || key == UINT64_MAX) {
		c->next = c->end;
	} else if (c->end - c->next < TIME_AT + 8) {
		binary_damaged(b, c->next, "the buffer ends within a record");
		c->next = c->end;
	} else {
		c->time = uint_load(p + TIME_AT, 8, b->big);
	}
}

/* A chunk's content. Returns what is damaged, or NULL. */
static const char *
take_chunk(struct binary *b, struct cursor *c)
{
	uint64_t tag, size;
	bool cut;

	if (!cursor_number(c, 4, &tag) || !cursor_number(c, 8, &size))
		return "the head of a chunk is cut";
	if (tag == TAG_POINTS)
		return take_points(b, c)
			   ? NULL
			   : "the list of tracepoints is cut or damaged";
	cut = size > c->len - c->at;
	if (cut)
		size = c->len - c->at;
	if (tag == TAG_RECORDS)
		*xpush(b->cpus, b->n_cpus, b->cap_cpus) =
		    (struct cpu_log){c->at, c->at, c->at + size, 0};
	c->at += size;
	return cut ? "a chunk is cut" : NULL;
}

/* Finds the tracepoints and the CPUs' records. */
static void
read_chunks(struct binary *b)
{
	struct cursor c = {
	    .p = b->data.p, .len = b->data.len, .big = b->big, .aligned = true};
	uint64_t tag, size, one, version;
	const char *wrong;

	if (!cursor_number(&c, 4, &tag) || !cursor_number(&c, 8, &size) ||
	    !cursor_number(&c, 4, &one) || !cursor_number(&c, 4, &version) ||
	    one != 1) {
		binary_damaged(b, 0, "the head is cut or damaged");
		return;
	}
	while ((c.at = (c.at + 7) & ~(size_t)7) < c.len) {
		size_t chunk = c.at;

		wrong = take_chunk(b, &c);
		if (wrong) {
			binary_damaged(b, chunk, wrong);
			return;
		}
	}
}

/* Reads the record at c->next and goes to the next one; false if damaged. */
static bool
take_record(struct binary *b, struct cpu_log *cpu, struct osv_record *r)
{
	struct cursor c = {.p = b->data.p + cpu->next,
	    .len = cpu->end - cpu->next,
	    .big = b->big,
	    .aligned = true};

	if (!binary_record(b, &c, r)) {
		binary_damaged(b, cpu->next,
		    c.wrong ? c.wrong : "the buffer ends within a record");
		return false;
	}
	cpu->next += c.at;
	cpu->next += -(cpu->next - cpu->start) & 7;
	if (cpu->next > cpu->end)
		cpu->next = cpu->end;
	find_record(b, cpu);
	return true;
}

/* The earliest record of all CPUs. */
static int
next(struct binary *b, struct osv_record *r)
{
	for (;;) {
		struct cpu_log *first = NULL;

		for (size_t i = 0; i < b->n_cpus; i++) {
			struct cpu_log *c = &b->cpus[i];

			if (c->next < c->end &&
			    (first == NULL || c->time < first->time))
				first = c;
		}
		if (first == NULL)
			return 0;
		if (take_record(b, first, r))
			return 1;
		first->next = first->end; /* the other CPUs' are read */
	}
}

struct binary *
dump_open(struct in *in)
{
	unsigned file_no = in->file_no;
	struct binary *b;

	if (in_fill(in, 4) < 4 ||
	    (memcmp(in->p, "TVSO", 4) != 0 && memcmp(in->p, "OSVT", 4) != 0))
		return NULL;
	b = binary_new(in, true, in->p[0] == 'O');
	b->next = next;
	while (in_more(in, file_no)) {
		size_t n = (size_t)(in->end - in->p);
		size_t room = DUMP_MAX - b->data.len;

		if (n > room)
			binary_damaged(
			    b, DUMP_MAX, "the dump is longer than 1 GiB");
		buf_add(&b->data, in->p, n < room ? n : room);
		in->p = in->end;
	}
	read_chunks(b);
	for (size_t i = 0; i < b->n_cpus; i++)
		find_record(b, &b->cpus[i]);
	return b;
}
