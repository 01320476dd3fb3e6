/* SPDX-License-Identifier: ISC */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "points.h"
#include "base/in.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum { HEAD = 48, FRAMES_MAX = 1024 };
enum { HAS_FRAMES = 1 }; /* flag of a record */

static const uint64_t TAG_POINTS = 0x54524344, TAG_RECORDS = 0x54524353;

/* The records of a CPU; `at` is the next one, or `end`. */
struct cpu {
	size_t start, at, end;
	uint64_t time; /* of the next one */
};

struct dump {
	struct buf data;
	bool big;
	struct points points;
	size_t n_frames; /* of each backtrace */
	struct cpu *cpus;
	size_t n_cpus, cap_cpus;
	uint64_t frames[FRAMES_MAX];
	struct buf args;
	const char *damage;
	uint64_t damage_at;
};

bool
dump_detect(struct in *in)
{
	return in_fill(in, 4) >= 4 &&
	       (memcmp(in->p, "TVSO", 4) == 0 || memcmp(in->p, "OSVT", 4) == 0);
}

const char *
dump_damage(const struct dump *d, uint64_t *offset)
{
	*offset = d->damage_at;
	return d->damage;
}

static void
damaged(struct dump *d, size_t at, const char *what)
{
	if (d->damage)
		return;
	d->damage = what;
	d->damage_at = at;
}

/* The number of `size` bytes at *at, aligned; false at the end of the dump. */
static bool
take(const struct dump *d, size_t *at, size_t size, uint64_t *v)
{
	size_t from = (*at + size - 1) & ~(size - 1);

	if (d->data.len < from || d->data.len - from < size)
		return false;
	*v = uint_load(d->data.p + from, size, d->big);
	*at = from + size;
	return true;
}

/* Appends a str to *b, which may be NULL. */
static bool
take_str(const struct dump *d, size_t *at, struct buf *b)
{
	uint64_t len;

	if (!take(d, at, 2, &len) || d->data.len - *at < len)
		return false;
	if (b)
		buf_add(b, d->data.p + *at, len);
	*at += len;
	return true;
}

static bool
take_point(struct dump *d, size_t *at)
{
	uint64_t key, n, sig;
	struct point *pt;

	if (!take(d, at, 8, &key))
		return false;
	pt = points_add(&d->points, key);
	if (!take_str(d, at, NULL) || !take_str(d, at, &pt->name) ||
	    !take_str(d, at, NULL) || !take_str(d, at, &pt->format) ||
	    !take(d, at, 4, &n))
		return false;
	for (; n > 0; n--) {
		if (!take_str(d, at, NULL) || !take(d, at, 1, &sig))
			return false;
		if (sig == 'p')
			buf_adds(&pt->signature, "50");
		buf_addc(&pt->signature, (char)sig);
	}
	return point_is_good(pt);
}

static bool
take_points(struct dump *d, size_t *at)
{
	uint64_t frames, n;

	if (!take(d, at, 4, &frames) || !take(d, at, 4, &n) ||
	    frames > FRAMES_MAX || n > POINTS_MAX)
		return false;
	d->n_frames = (size_t)frames;
	for (; n > 0; n--)
		if (!take_point(d, at))
			return false;
	return true;
}

/* Goes to the record at c->at, or to the end. */
static void
find_record(struct dump *d, struct cpu *c)
{
	const char *p = d->data.p + c->at;
	uint64_t key;

	if (c->end - c->at < 8) {
		c->at = c->end;
		return;
	}
	key = uint_load(p, 8, d->big);
	if (key == 0 || key == UINT64_MAX) {
		c->at = c->end;
	} else if (c->end - c->at < HEAD) {
		damaged(d, c->at, "the buffer ends within a record");
		c->at = c->end;
	} else {
		c->time = uint_load(p + 32, 8, d->big);
	}
}

static void
add_cpu(struct dump *d, size_t start, size_t end)
{
	d->cpus = xgrow(d->cpus, d->n_cpus + 1, &d->cap_cpus, sizeof *d->cpus);
	d->cpus[d->n_cpus++] = (struct cpu){start, start, end, 0};
}

/* Finds the tracepoints and the CPUs' records. */
static void
read_chunks(struct dump *d)
{
	size_t at = 0, len = d->data.len;
	uint64_t tag, size, one, version;

	if (!take(d, &at, 4, &tag) || !take(d, &at, 8, &size) ||
	    !take(d, &at, 4, &one) || !take(d, &at, 4, &version) || one != 1) {
		damaged(d, 0, "the head is cut or damaged");
		return;
	}
	while ((at = (at + 7) & ~(size_t)7) < len) {
		size_t chunk = at;

		if (!take(d, &at, 4, &tag) || !take(d, &at, 8, &size)) {
			damaged(d, chunk, "the head of a chunk is cut");
			return;
		}
		if (tag == TAG_POINTS) {
			if (take_points(d, &at))
				continue;
			damaged(d, chunk,
			    "the list of tracepoints is cut or damaged");
			return;
		}
		if (size > len - at) {
			damaged(d, chunk, "a chunk is cut");
			size = len - at;
		}
		if (tag == TAG_RECORDS)
			add_cpu(d, at, at + size);
		at += size;
	}
}

struct dump *
dump_open(struct in *in)
{
	struct dump *d = xcalloc(1, sizeof *d);
	unsigned file_no = in->file_no;

	points_init(&d->points);
	d->big = in->p[0] == 'O';
	while (in_more(in, file_no)) {
		size_t n = (size_t)(in->end - in->p), room;

		room = DUMP_MAX - d->data.len;
		if (n > room)
			damaged(d, DUMP_MAX, "the dump is longer than 1 GiB");
		buf_add(&d->data, in->p, n < room ? n : room);
		in->p = in->end;
	}
	read_chunks(d);
	for (size_t i = 0; i < d->n_cpus; i++)
		find_record(d, &d->cpus[i]);
	return d;
}

void
dump_close(struct dump *d)
{
	points_done(&d->points);
	buf_done(&d->data);
	buf_done(&d->args);
	free(d->cpus);
	free(d);
}

/* Words that are 0 stand for frames that there are none of. */
static size_t
read_frames(struct dump *d, const char *p)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_frames; i++) {
		d->frames[n] = uint_load(p + 8 * i, 8, d->big);
		n += d->frames[n] != 0;
	}
	return n;
}

/* Reads the record at c->at and goes to the next one; false if damaged. */
static bool
take_record(struct dump *d, struct cpu *c, struct record *r)
{
	const char *p = d->data.p + c->at;
	size_t left = c->end - c->at, at = HEAD, want, n = 0;
	const struct point *pt =
	    points_find(&d->points, uint_load(p, 8, d->big));
	long len = -1;

	if (pt == NULL) {
		damaged(d, c->at, "a record of an unknown tracepoint");
		return false;
	}
	if (uint_load(p + 44, 4, d->big) & HAS_FRAMES) {
		if ((left - at) / 8 >= d->n_frames)
			n = read_frames(d, p + at);
		at += d->n_frames * 8;
	}
	d->args.len = 0;
	buf_room(&d->args, 1);
	if (at <= left)
		len =
		    point_args(pt, p + at, left - at, d->big, &d->args, &want);
	if (len < 0 || (size_t)len > left - at) {
		damaged(d, c->at,
		    at <= left && want == 0
			? "unknown signature of a tracepoint"
			: "the buffer ends within a record");
		return false;
	}
	*r = point_record(pt, p, d->big, &d->args);
	r->frames = d->frames;
	r->n_frames = n;
	at += (size_t)len;
	at += -(c->at + at - c->start) & 7;
	c->at = at < left ? c->at + at : c->end;
	find_record(d, c);
	return true;
}

int
dump_next(struct dump *d, struct record *r)
{
	for (;;) {
		struct cpu *first = NULL;

		for (size_t i = 0; i < d->n_cpus; i++) {
			struct cpu *c = &d->cpus[i];

			if (c->at < c->end &&
			    (first == NULL || c->time < first->time))
				first = c;
		}
		if (first == NULL)
			return 0;
		if (take_record(d, first, r))
			return 1;
		first->at = first->end; /* the other CPUs' are read */
	}
}
