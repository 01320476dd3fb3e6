/* SPDX-License-Identifier: ISC */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "base/intern.h"
#include "base/xalloc.h"

enum { ARGS_MAX = 64 };

void
points_init(struct points *p)
{
	memset(p, 0, sizeof *p);
	p->keys = intern_new();
}

static void
point_done(struct point *pt)
{
	buf_done(&pt->name);
	buf_done(&pt->signature);
	buf_done(&pt->format);
}

void
points_done(struct points *p)
{
	for (size_t i = 0; i < p->n; i++)
		point_done(&p->v[i]);
	free(p->v);
	intern_free(p->keys);
}

struct point *
points_add(struct points *p, uint64_t key)
{
	size_t n = intern_id(p->keys, (const char *)&key, sizeof key);

	if (n == p->n) {
		p->v = xgrow(p->v, n + 1, &p->cap, sizeof *p->v);
		p->n++;
	} else {
		point_done(&p->v[n]);
	}
	memset(&p->v[n], 0, sizeof *p->v);
	return &p->v[n];
}

const struct point *
points_find(const struct points *p, uint64_t key)
{
	uint32_t id = intern_find(p->keys, (const char *)&key, sizeof key);

	return id == UINT32_MAX ? NULL : &p->v[id];
}

bool
point_is_good(const struct point *pt)
{
	return pt->name.len > 0 && !memchr(pt->name.p, 0, pt->name.len) &&
	       !memchr(pt->name.p, '\n', pt->name.len);
}

long
point_args(const struct point *pt, const char *p, size_t len, bool big,
    struct buf *text, size_t *want)
{
	const char *sig = pt->signature.len ? pt->signature.p : "";
	const char *end = sig + pt->signature.len;
	struct arg args[ARGS_MAX + 1];
	size_t n = 0, at = 0;
	int more;

	*want = 0;
	while (n <= ARGS_MAX && (more = arg_next(&sig, end, p, len, &at, big,
				     &args[n], want)) != 0) {
		if (more < 0)
			return -1;
		n++;
	}
	if (n > ARGS_MAX)
		return -1;
	args_format(text, pt->format.len ? pt->format.p : "", pt->format.len,
	    args, n, big);
	return (long)at;
}
