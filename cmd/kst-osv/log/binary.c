/* SPDX-License-Identifier: ISC */
/* The tracepoints and records of tracefiles and dumps. */
#include "log/binary.h"

#include <stdlib.h>
#include <string.h>

#include "set/intern.h"
#include "base/xalloc.h"

enum { THREAD_LEN = 16 };
enum { HAS_FRAMES = 1 }; /* flag of a dump's record */

struct binary *
binary_new(struct in *in, bool is_dump, bool big)
{
	struct binary *b = xcalloc(1, sizeof *b);

	b->in = in;
	b->is_dump = is_dump;
	b->big = big;
	b->keys = intern_new();
	return b;
}

static void
point_done(struct point *pt)
{
	buf_done(&pt->name);
	buf_done(&pt->signature);
	buf_done(&pt->format);
}

void
binary_close(struct binary *b)
{
	for (size_t i = 0; i < b->n_points; i++)
		point_done(&b->points[i]);
	free(b->points);
	intern_free(b->keys);
	free(b->cpus);
	buf_done(&b->data);
	buf_done(&b->args);
	free(b);
}

void
binary_damaged(struct binary *b, uint64_t at, const char *what)
{
	if (b->damage)
		return;
	b->damage = what;
	b->damage_at = at;
}

/* Tracepoints -------------------------------------------------------------- */

struct point *
point_add(struct binary *b, uint64_t key)
{
	size_t n = intern_id(b->keys, (const char *)&key, sizeof key);

	if (n == b->n_points)
		(void)xpush(b->points, b->n_points, b->cap_points);
	else
		point_done(&b->points[n]);
	b->points[n] = (struct point){0};
	return &b->points[n];
}

bool
point_is_good(const struct point *pt)
{
	return pt->name.len > 0 && !memchr(pt->name.p, 0, pt->name.len) &&
	       !memchr(pt->name.p, '\n', pt->name.len);
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

bool
binary_record(struct binary *b, struct cursor *c, struct osv_record *r)
{
	const struct point *pt;
	struct cursor args;
	uint64_t key, cpu;
	uint32_t n;

	*r = (struct osv_record){0};
	if (!cursor_number(c, 8, &key) || !cursor_number(c, 8, &r->ptr) ||
	    !(r->thread = cursor_bytes(c, THREAD_LEN)) ||
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
	args = (struct cursor){.p = c->p + c->at,
	    .len = c->len - c->at,
	    .big = b->big,
	    .aligned = true};
	b->args.len = 0;
	buf_room(&b->args, 1);
	if (!args_put(pt, &args, &b->args)) {
		c->wrong = args.wrong;
		return false;
	}
	c->at += args.at;
	r->thread_len = strnlen(r->thread, THREAD_LEN);
	r->cpu = (uint32_t)cpu;
	r->name = pt->name.p;
	r->name_len = pt->name.len;
	r->args = b->args.p;
	r->args_len = b->args.len;
	return true;
}
