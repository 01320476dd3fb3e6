/* SPDX-License-Identifier: ISC */
#include "tracefile.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base/buf.h"
#include "base/in.h"
#include "base/intern.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum {
	VERSION = 3,
	TPS_MAX = 1 << 20,
	ARGS_MAX = 64,
	RECORD_HEAD = 44,
	THREAD_LEN = 16
};

struct text {
	char *p;
	size_t len;
};

struct point {
	struct text name, signature, format;
};

struct tracefile {
	struct in *in;
	unsigned file_no;
	bool big;
	struct intern *keys; /* key bytes -> number in points */
	struct point *points;
	size_t n_points, cap_points;
	uint64_t offset;
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

const char *
tracefile_foreign(struct in *in)
{
	if (in_fill(in, 4) >= 4 &&
	    (memcmp(in->p, "TVSO", 4) == 0 || memcmp(in->p, "OSVT", 4) == 0))
		return "a dump, of which `trace.py convert-dump` makes a "
		       "tracefile";
	return version(in) != 0 && version(in) < ' '
		   ? "a tracefile of an unknown version"
		   : NULL;
}

uint64_t
tracefile_offset(const struct tracefile *t)
{
	return t->offset;
}

/* The next n bytes of this file, or NULL. */
static const char *
take(struct tracefile *t, size_t n)
{
	const char *p;

	if (n == 0)
		return "";
	if (t->in->p == t->in->end && in_fill(t->in, 1) == 0)
		return NULL;
	if (t->in->file_no != t->file_no || in_fill(t->in, n) < n)
		return NULL;
	p = t->in->p;
	t->in->p += n;
	t->offset += n;
	return p;
}

static bool
at_end(struct tracefile *t)
{
	return (t->in->p == t->in->end && in_fill(t->in, 1) == 0) ||
	       t->in->file_no != t->file_no;
}

static bool
take_text(struct tracefile *t, struct text *text)
{
	const char *p = take(t, 2);
	size_t len = p ? (size_t)uint_load(p, 2, t->big) : 0;

	if (p)
		p = take(t, len);
	if (p) {
		text->p = xmemdup0(p, len);
		text->len = len;
	}
	return p != NULL;
}

static bool
name_is_good(const struct text *name)
{
	for (size_t i = 0; i < name->len; i++)
		if (name->p[i] == 0 || name->p[i] == '\n')
			return false;
	return name->len > 0;
}

static bool
read_point(struct tracefile *t)
{
	const char *key = take(t, 8);
	struct point *pt;
	size_t n;

	if (key == NULL)
		return false;
	n = intern_id(t->keys, key, 8);
	if (n == t->n_points) {
		t->points =
		    xgrow(t->points, n + 1, &t->cap_points, sizeof *t->points);
		t->n_points++;
	} else { /* a key again: the later entry counts */
		free(t->points[n].name.p);
		free(t->points[n].signature.p);
		free(t->points[n].format.p);
	}
	pt = &t->points[n];
	memset(pt, 0, sizeof *pt);
	return take_text(t, &pt->name) && take_text(t, &pt->signature) &&
	       take_text(t, &pt->format) && name_is_good(&pt->name);
}

struct tracefile *
tracefile_open(struct in *in, const char **why)
{
	struct tracefile *t = xcalloc(1, sizeof *t);
	const char *p;
	uint64_t n = 0;

	t->in = in;
	t->file_no = in->file_no;
	t->keys = intern_new();
	p = take(t, 4);
	t->big = p && p[0] == 0;
	p = p ? take(t, 8) : NULL;
	if (p)
		n = uint_load(p, 8, t->big);
	if (p && n > TPS_MAX)
		p = NULL;
	for (; p && n > 0; n--)
		if (!read_point(t))
			p = NULL;
	*why = p ? NULL : "the list of tracepoints is cut or damaged";
	return t;
}

void
tracefile_close(struct tracefile *t)
{
	for (size_t i = 0; i < t->n_points; i++) {
		free(t->points[i].name.p);
		free(t->points[i].signature.p);
		free(t->points[i].format.p);
	}
	free(t->points);
	intern_free(t->keys);
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

/* Finds the arguments in the unread bytes; returns 1, or as arg_next(). */
static int
split_args(const struct tracefile *t, const struct point *pt, struct arg *args,
    size_t *n, size_t *at, size_t *want)
{
	const char *sig = pt->signature.p, *end = sig + pt->signature.len;
	int more;

	*n = *at = 0;
	for (;;) {
		struct arg a;

		more = arg_next(&sig, end, t->in->p,
		    (size_t)(t->in->end - t->in->p), at, t->big, &a, want);
		if (more == 0)
			return 1;
		if (more < 0)
			return -1;
		if (*n == ARGS_MAX) {
			*want = 0;
			return -1;
		}
		args[(*n)++] = a;
	}
}

/* Formats the arguments into t->args. */
static bool
read_args(struct tracefile *t, const struct point *pt, const char **why)
{
	struct arg args[ARGS_MAX];
	size_t n, at = 0, want;

	if (pt->signature.len == 0) {
		n = 0;
	} else {
		if (at_end(t))
			return false;
		while (split_args(t, pt, args, &n, &at, &want) < 0) {
			if (want == 0) {
				*why = "unknown signature of a tracepoint";
				return false;
			}
			if (want > IN_LINE_MAX || in_fill(t->in, want) < want)
				return false;
		}
	}
	args_format(&t->args, pt->format.p, pt->format.len, args, n, t->big);
	take(t, at);
	return true;
}

int
tracefile_next(struct tracefile *t, struct record *r, const uint64_t **frames,
    size_t *n_frames, const char **why)
{
	const struct point *pt;
	const char *p;
	uint32_t id;
	long n;

	*why = "the file ends within a record";
	if (at_end(t))
		return 0;
	p = take(t, RECORD_HEAD);
	if (p == NULL)
		return -1;
	memcpy(t->head, p, RECORD_HEAD);
	id = intern_find(t->keys, t->head, 8);
	if (id == UINT32_MAX) {
		*why = "a record of an unknown tracepoint";
		return -1;
	}
	pt = &t->points[id];
	n = read_frames(t);
	t->args.len = 0;
	buf_room(&t->args, 1);
	if (n < 0 || !read_args(t, pt, why))
		return -1;
	memset(r, 0, sizeof *r);
	r->ptr = uint_load(t->head + 8, 8, t->big);
	r->thread = t->head + 16;
	r->thread_len = strnlen(r->thread, THREAD_LEN);
	r->time = uint_load(t->head + 32, 8, t->big);
	r->cpu = (uint32_t)uint_load(t->head + 40, 4, t->big);
	r->name = pt->name.p;
	r->name_len = pt->name.len;
	r->args = t->args.p;
	r->args_len = t->args.len;
	*frames = t->frames;
	*n_frames = (size_t)n;
	return 1;
}
