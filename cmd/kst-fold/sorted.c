/* SPDX-License-Identifier: ISC */
/*
 * Reading a sorted file twice takes less time than a table of all its stacks,
 * and no memory.
 */
#include "fold.h"

#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "profile/profile.h"
#include "text/folded.h"
#include "trace/shape.h"

/* Whether the names that are not in the first `same` bytes are as written. */
static bool
is_strict(const char *p, size_t len, size_t same)
{
	const char *end = p + len, *semi;

	if (len == 0)
		return true;
	while (same > 0 && p[same - 1] != ';')
		same--;
	for (p += same; (semi = memchr(p, ';', (size_t)(end - p)));
	     p = semi + 1)
		if (!folded_is_name(p, (size_t)(semi - p)))
			return false;
	return len <= FRAMES_MAX && folded_is_name(p, (size_t)(end - p));
}

/* Whether a stack's line can follow that of the last one, by any counts. */
static bool
may_follow(const char *p, size_t len, const struct buf *last, size_t same)
{
	if (same < len && same < last->len)
		return (unsigned char)p[same] > (unsigned char)last->p[same];
	if (len > last->len) /* a blank comes after the last stack */
		return (unsigned char)p[same] > ' ';
	return len == last->len;
}

static bool
is_sorted(struct in *in, bool plain)
{
	struct buf last = BUF_INIT;
	struct folded_line l;
	bool good = true, any = false;

	while (good && in_next(in, &l.line, &l.line_len)) {
		enum folded_kind kind = folded_parse(l.line, l.line_len, &l);
		size_t same;

		if (kind == FOLDED_BLANK)
			continue;
		good =
		    kind == FOLDED_STACK && (any || plain || l.n_counts == 1);
		if (!good)
			break;
		same = bytes_shared(l.stack, l.len_if_one, last.p, last.len);
		good = is_strict(l.stack, l.len_if_one, same) &&
		       (!any || may_follow(l.stack, l.len_if_one, &last, same));
		last.len = same;
		buf_add(&last, l.stack + same, l.len_if_one - same);
		any = true;
	}
	buf_done(&last);
	return good && any;
}

bool
sorted_file(char **operand, bool plain, uint64_t *size)
{
	struct stat st;
	struct in in;
	bool good;

	if (strcmp(*operand, "-") == 0 || stat(*operand, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	in_init(&in, operand, 1);
	in.quiet = true;
	good = in_fill(&in, 1) && shape_detect(&in) == SHAPE_FOLDED &&
	       is_sorted(&in, plain) && !in_failed(&in);
	*size = in.bytes;
	in_done(&in);
	return good;
}
