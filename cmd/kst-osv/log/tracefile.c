/* SPDX-License-Identifier: ISC */
#include "log/binary.h"

#include <string.h>

#include "io/in.h"

enum { VERSION = 3 };

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

/*
 * Reads a unit of the file by `parse`, anew with more of the file if its bytes
 * run out. Otherwise false, and what is damaged is noted.
 */
static bool
take(struct binary *b, const char *cut,
    bool (*parse)(struct binary *b, struct cursor *c, void *to), void *to)
{
	struct cursor c = {.big = b->big};
	size_t want = 1;

	while (want <= IN_LINE_MAX && in_more(b->in, b->file_no) &&
	       (c.len = in_fill(b->in, want)) >= want) {
		c.p = b->in->p;
		c.at = 0;
		if (parse(b, &c, to)) {
			b->in->p += c.at;
			b->offset += c.at;
			return true;
		}
		if (c.wrong)
			break;
		want = c.len + 1;
	}
	binary_damaged(b, b->offset + c.at, c.wrong ? c.wrong : cut);
	return false;
}

static bool
parse_head(struct binary *b, struct cursor *c, void *n_points)
{
	uint64_t number, *n = n_points;

	(void)b;
	return cursor_number(c, 4, &number) && cursor_number(c, 8, n) &&
	       *n <= POINTS_MAX;
}

static bool
parse_point(struct binary *b, struct cursor *c, void *to)
{
	struct point *pt;
	uint64_t key;

	(void)to;
	if (!cursor_number(c, 8, &key))
		return false;
	pt = point_add(b, key);
	return cursor_str(c, &pt->name) && cursor_str(c, &pt->signature) &&
	       cursor_str(c, &pt->format) && point_is_good(pt);
}

static bool
parse_record(struct binary *b, struct cursor *c, void *to)
{
	return binary_record(b, c, to);
}

static int
next(struct binary *b, struct osv_record *r)
{
	return !b->damage && in_more(b->in, b->file_no) &&
	       take(b, "the file ends within a record", parse_record, r);
}

struct binary *
tracefile_open(struct in *in)
{
	static const char cut[] = "the list of tracepoints is cut or damaged";
	unsigned has = version(in);
	struct binary *b;
	uint64_t n = 0;

	if (has == 0 || has >= ' ')
		return NULL;
	b = binary_new(in, false, in->p[0] == 0);
	b->next = next;
	b->file_no = in->file_no;
	if (has != VERSION)
		binary_damaged(b, 0, "a tracefile of an unknown version");
	else if (take(b, cut, parse_head, &n))
		while (n > 0 && take(b, cut, parse_point, NULL))
			n--;
	return b;
}
