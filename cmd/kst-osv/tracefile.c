/* SPDX-License-Identifier: ISC */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/in.h"
#include "points.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum { VERSION = 3, RECORD_HEAD = 44 };

struct tracefile {
	struct in *in;
	unsigned file_no;
	bool big;
	struct points points;
	uint64_t offset;    /* the bytes read of the file */
	const char *damage; /* NULL: none */
	uint64_t frames[TRACEFILE_FRAMES_MAX];
	char head[RECORD_HEAD];
	struct buf args;
};

/* The format's version in the first word of the file; 0 if there is none. */
static unsigned
version(struct in *in)
{
	static const char zeros[3];

	if (in_fill(in, 12) < 4)
		return 0;
	if (memcmp(in->p + 1, zeros, 3) == 0)
		return (unsigned char)in->p[0];
	return memcmp(in->p, zeros, 3) == 0 ? (unsigned char)in->p[3] : 0;
}

bool
tracefile_detect(struct in *in)
{
	return version(in) == VERSION;
}

bool
tracefile_foreign(struct in *in)
{
	return version(in) != 0 && version(in) < ' ';
}

const char *
tracefile_damage(const struct tracefile *t, uint64_t *offset)
{
	*offset = t->offset;
	return t->damage;
}

/* The next n bytes of this file, or NULL. */
static const char *
take(struct tracefile *t, size_t n)
{
	const char *p;

	if (n == 0)
		return "";
	if (!in_more(t->in, t->file_no) || in_fill(t->in, n) < n)
		return NULL;
	p = t->in->p;
	t->in->p += n;
	t->offset += n;
	return p;
}

static bool
take_text(struct tracefile *t, struct buf *text)
{
	const char *p = take(t, 2);
	size_t len = p ? (size_t)uint_load(p, 2, t->big) : 0;

	if (p)
		p = take(t, len);
	if (p)
		buf_add(text, p, len);
	return p != NULL;
}

static bool
read_point(struct tracefile *t)
{
	const char *key = take(t, 8);
	struct point *pt;

	if (key == NULL)
		return false;
	pt = points_add(&t->points, uint_load(key, 8, t->big));
	return take_text(t, &pt->name) && take_text(t, &pt->signature) &&
	       take_text(t, &pt->format) && point_is_good(pt);
}

struct tracefile *
tracefile_open(struct in *in)
{
	struct tracefile *t = xcalloc(1, sizeof *t);
	const char *p;
	uint64_t n = 0;

	t->in = in;
	t->file_no = in->file_no;
	points_init(&t->points);
	p = take(t, 4);
	t->big = p && p[0] == 0;
	p = p ? take(t, 8) : NULL;
	if (p)
		n = uint_load(p, 8, t->big);
	if (p && n > POINTS_MAX)
		p = NULL;
	for (; p && n > 0; n--)
		if (!read_point(t))
			p = NULL;
	if (p == NULL)
		t->damage = "the list of tracepoints is cut or damaged";
	return t;
}

void
tracefile_close(struct tracefile *t)
{
	points_done(&t->points);
	buf_done(&t->args);
	free(t);
}

/* The number of frames, or -1 if the file ends in the backtrace. */
static long
read_frames(struct tracefile *t)
{
	size_t n = 0;

	for (;;) {
		const char *p = take(t, 8);
		uint64_t addr = p ? uint_load(p, 8, t->big) : 0;

		if (p == NULL)
			return -1;
		if (addr == 0)
			return (long)n;
		if (n < TRACEFILE_FRAMES_MAX)
			t->frames[n++] = addr;
	}
}

/* Formats the arguments into t->args. */
static bool
read_args(struct tracefile *t, const struct point *pt)
{
	size_t want = 1;
	long len;

	if (pt->signature.len > 0 && !in_more(t->in, t->file_no))
		return false;
	while ((len = point_args(pt, t->in->p, (size_t)(t->in->end - t->in->p),
		    t->big, &t->args, &want)) < 0) {
		if (want == 0) {
			t->damage = "unknown signature of a tracepoint";
			return false;
		}
		if (want > IN_LINE_MAX || in_fill(t->in, want) < want)
			return false;
	}
	take(t, (size_t)len);
	return true;
}

int
tracefile_next(struct tracefile *t, struct record *r)
{
	const struct point *pt;
	const char *p;
	long n;

	if (t->damage || !in_more(t->in, t->file_no))
		return 0;
	t->damage = "the file ends within a record"; /* unless it is read */
	p = take(t, RECORD_HEAD);
	if (p == NULL)
		return 0;
	memcpy(t->head, p, RECORD_HEAD);
	pt = points_find(&t->points, uint_load(t->head, 8, t->big));
	if (pt == NULL) {
		t->damage = "a record of an unknown tracepoint";
		return 0;
	}
	n = read_frames(t);
	t->args.len = 0;
	buf_room(&t->args, 1);
	if (n < 0 || !read_args(t, pt))
		return 0;
	*r = point_record(pt, t->head, t->big, &t->args);
	r->frames = t->frames;
	r->n_frames = (size_t)n;
	t->damage = NULL;
	return 1;
}
