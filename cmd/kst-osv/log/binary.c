/* SPDX-License-Identifier: ISC */
#include "log/binary.h"

#include <stdlib.h>
#include <string.h>

#include "log/fields.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "io/in.h"
#include "set/intern.h"

enum { VERSION = 3 }; /* of a tracefile */
enum { THREAD_LEN = 16 };
enum { HAS_FRAMES = 1 }; /* flag of a dump's record */
enum { TIME_AT = 32 };	 /* in a dump's record */

static const char list_cut[] =
    "the list of tracepoints is truncated or damaged";
static const uint64_t TAG_DUMP = 0x4f535654, TAG_POINTS = 0x54524344,
		      TAG_RECORDS = 0x54524353;

/*
 * Records of a CPU, or all of a tracefile; `next` is the next one, or `end`.
 */
struct log {
	size_t next, end;
	uint64_t time; /* of the next one, in a dump */
};

void
binary_close(struct binary *b)
{
	for (size_t i = 0; i < b->n_points; i++)
		buf_done(&b->points[i].signature);
	free(b->points);
	intern_free(b->keys);
	free(b->logs);
	buf_done(&b->data);
	buf_done(&b->args);
	free(b);
}

/* Notes damage, unless some was noted. */
static void
damaged(struct binary *b, uint64_t at, const char *what)
{
	if (b->damage)
		return;
	b->damage = what;
	b->damage_at = at;
}

/* Tracepoints -------------------------------------------------------------- */

/* The tracepoint of a key, empty; of two with one key the later counts. */
static struct point *
point_add(struct binary *b, uint64_t key)
{
	size_t n = intern_id(b->keys, (const char *)&key, sizeof key);

	if (n == b->n_points)
		(void)xpush(b->points, b->n_points, b->cap_points);
	else
		buf_done(&b->points[n].signature);
	b->points[n] = (struct point){0};
	return &b->points[n];
}

/* Whether it has a name that can be one. */
static bool
point_is_good(const struct point *pt)
{
	return pt->name.len > 0 && !memchr(pt->name.p, 0, pt->name.len) &&
	       !memchr(pt->name.p, '\n', pt->name.len);
}

static bool
take_dump_point(struct binary *b, struct cursor *c)
{
	uint64_t key, n, sig;
	struct point *pt;
	struct piece other;

	if (!cursor_number(c, 8, &key))
		return false;
	pt = point_add(b, key);
	if (!cursor_str(c, &other) || !cursor_str(c, &pt->name) ||
	    !cursor_str(c, &other) || !cursor_str(c, &pt->format) ||
	    !cursor_number(c, 4, &n))
		return false;
	for (; n > 0; n--) {
		if (!cursor_str(c, &other) || !cursor_number(c, 1, &sig))
			return false;
		if (sig == 'p')
			buf_adds(&pt->signature, "50");
		buf_addc(&pt->signature, (char)sig);
	}
	return point_is_good(pt);
}

static bool
take_dump_points(struct binary *b, struct cursor *c)
{
	uint64_t frames, n;

	if (!cursor_number(c, 4, &frames) || !cursor_number(c, 4, &n) ||
	    frames > FRAMES_MAX || n > POINTS_MAX)
		return false;
	b->n_frames = (size_t)frames;
	for (; n > 0; n--)
		if (!take_dump_point(b, c))
			return false;
	return true;
}

static bool
take_file_points(struct binary *b, struct cursor *c)
{
	uint64_t version, n, key;
	struct point *pt;
	struct piece signature;

	if (!cursor_number(c, 4, &version) || !cursor_number(c, 8, &n) ||
	    n > POINTS_MAX)
		return false;
	for (; n > 0; n--) {
		if (!cursor_number(c, 8, &key))
			return false;
		pt = point_add(b, key);
		if (!cursor_str(c, &pt->name) || !cursor_str(c, &signature) ||
		    !cursor_str(c, &pt->format) || !point_is_good(pt))
			return false;
		buf_add(&pt->signature, signature.p, signature.len);
	}
	return true;
}

/* Records ------------------------------------------------------------------ */

/* A dump's backtrace has a fixed length, filled up with 0; others end at 0. */
static bool
take_frames(struct binary *b, struct cursor *c, struct osv_record *r)
{
	uint64_t n = UINT64_MAX, addr;

	if (b->is_dump) {
		if (!cursor_number(c, 4, &n))
			return false;
		n = n & HAS_FRAMES ? b->n_frames : 0;
	}
	r->frames = b->frames;
	for (; n > 0; n--) {
		if (!cursor_number(c, 8, &addr))
			return false;
		if (addr == 0 && !b->is_dump)
			return true;
		if (addr != 0 && r->n_frames < FRAMES_MAX)
			b->frames[r->n_frames++] = addr;
	}
	return true;
}

static bool
parse_record(struct binary *b, struct cursor *c, struct osv_record *r)
{
	const struct point *pt;
	uint64_t key, cpu;
	uint32_t n;

	*r = (struct osv_record){0};
	if (!cursor_number(c, 8, &key) || !cursor_number(c, 8, &r->ptr) ||
	    !(r->thread.p = cursor_bytes(c, THREAD_LEN)) ||
	    !cursor_number(c, 8, &r->time) || !cursor_number(c, 4, &cpu))
		return false;
	n = intern_find(b->keys, (const char *)&key, sizeof key);
	if (n == UINT32_MAX) {
		c->wrong = "a record of an unknown tracepoint";
		return false;
	}
	if (!take_frames(b, c, r))
		return false;
	pt = &b->points[n];
	c->base = c->at;
	c->aligned = true;
	b->args.len = 0;
	buf_room(&b->args, 1);
	if (!args_put(pt, c, &b->args)) {
		c->at = c->base;
		return false;
	}
	r->thread.len = strnlen(r->thread.p, THREAD_LEN);
	r->cpu = (uint32_t)cpu;
	r->name = pt->name;
	r->args = (struct piece){b->args.p, b->args.len};
	return true;
}

/* Notes the time of the record at log->next, or that it is the end. */
static void
find_record(struct binary *b, struct log *log)
{
	const char *p = b->data.p + log->next;
	size_t left = log->end - log->next;
	uint64_t key = left < 8 ? 0 : uint_load(p, 8, b->all.big);
	bool at_end = key == 0 || key == UINT64_MAX;

	if (!at_end && left >= TIME_AT + 8) {
		log->time = uint_load(p + TIME_AT, 8, b->all.big);
		return;
	}
	if (!at_end)
		damaged(b, log->next, "the buffer ends within a record");
	log->next = log->end;
}

/* A chunk's content. Returns what is damaged, or NULL. */
static const char *
take_chunk(struct binary *b, struct cursor *c)
{
	uint64_t tag, size;
	bool cut;

	if (!cursor_number(c, 4, &tag) || !cursor_number(c, 8, &size))
		return "the header of a chunk is truncated";
	if (tag == TAG_POINTS)
		return take_dump_points(b, c) ? NULL : list_cut;
	cut = size > c->len - c->at;
	if (cut)
		size = c->len - c->at;
	if (tag == TAG_RECORDS && b->n_logs == LOGS_MAX)
		return "records of more than 1024 CPUs";
	if (tag == TAG_RECORDS)
		*xpush(b->logs, b->n_logs, b->cap_logs) =
		    (struct log){c->at, c->at + size, 0};
	c->at += size;
	return cut ? "a chunk is truncated" : NULL;
}

/* Finds the tracepoints and the CPUs' records. */
static void
read_dump(struct binary *b)
{
	struct cursor c = b->all;
	uint64_t tag, size, one, version;
	const char *wrong;

	if (!cursor_number(&c, 4, &tag) || !cursor_number(&c, 8, &size) ||
	    !cursor_number(&c, 4, &one) || !cursor_number(&c, 4, &version) ||
	    one != 1) {
		damaged(b, 0, "the header is truncated or damaged");
		return;
	}
	while ((c.at = (c.at + 7) & ~(size_t)7) < c.len) {
		size_t chunk = c.at;

		wrong = take_chunk(b, &c);
		if (wrong) {
			damaged(b, chunk, wrong);
			break;
		}
	}
	for (size_t i = 0; i < b->n_logs; i++)
		find_record(b, &b->logs[i]);
}

/* Reads the record at log->next and goes to the next one; false if damaged. */
static bool
take_record(struct binary *b, struct log *log, struct osv_record *r)
{
	struct cursor c = b->all;
	const char *cut = b->is_dump ? "the buffer ends within a record"
				     : "the file ends within a record";

	c.at = log->next;
	c.len = log->end;
	if (!parse_record(b, &c, r)) {
		damaged(
		    b, b->is_dump ? log->next : c.at, c.wrong ? c.wrong : cut);
		return false;
	}
	log->next = c.at;
	if (b->is_dump) {
		log->next += -c.at & 7;
		if (log->next > log->end)
			log->next = log->end;
		find_record(b, log);
	}
	return true;
}

/* The earliest of all logs. */
bool
binary_next(struct binary *b, struct osv_record *r)
{
	for (;;) {
		struct log *first = NULL;

		for (size_t i = 0; i < b->n_logs; i++) {
			struct log *l = &b->logs[i];

			if (l->next < l->end &&
			    (first == NULL || l->time < first->time))
				first = l;
		}
		if (first == NULL)
			return false;
		if (take_record(b, first, r))
			return true;
		first->next = first->end; /* the other CPUs' are read */
	}
}

/* Files -------------------------------------------------------------------- */

static void
read_tracefile(struct binary *b)
{
	struct cursor c = b->all;

	if (take_file_points(b, &c))
		*xpush(b->logs, b->n_logs, b->cap_logs) =
		    (struct log){c.at, c.len, 0};
	else
		damaged(b, c.at, list_cut);
}

struct binary *
binary_open(struct in *in)
{
	unsigned file_no = in->file_no;
	uint64_t little, big, first;
	struct binary *b;

	if (in_fill(in, 4) < 4)
		return NULL;
	/* the tag, or a tracefile's version: less than in the wrong order */
	little = uint_load(in->p, 4, false);
	big = uint_load(in->p, 4, true);
	first = little < big ? little : big;
	if (first != TAG_DUMP && (first == 0 || first >= ' '))
		return NULL;
	b = xcalloc(1, sizeof *b);
	b->is_dump = b->all.aligned = first == TAG_DUMP;
	b->all.big = first == big;
	b->keys = intern_new();
	if (!b->is_dump && first != VERSION) {
		damaged(b, 0, "a tracefile of an unknown version");
		return b;
	}
	while (in_more(in, file_no)) {
		size_t n = (size_t)(in->end - in->p);
		size_t room = BINARY_MAX - b->data.len;

		if (n > room)
			damaged(b, BINARY_MAX, "the file is longer than 1 GiB");
		buf_add(&b->data, in->p, n < room ? n : room);
		in->p = in->end;
	}
	b->all.p = b->data.p;
	b->all.len = b->data.len;
	if (b->is_dump)
		read_dump(b);
	else
		read_tracefile(b);
	return b;
}
