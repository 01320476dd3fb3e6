/* SPDX-License-Identifier: ISC */
/*
 * Reading a sorted file twice takes less time than a table of all its stacks,
 * and no memory.
 */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "profile/fold.h"
#include "text/folded.h"
#include "trace/shape.h"

enum { BUFFER = 1 << 20 };

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
is_sorted(FILE *f, bool plain, uint64_t *size)
{
	struct buf last = BUF_INIT;
	struct folded_line l;
	bool good = true, any = false;
	char *line = NULL;
	size_t cap = 0, same;
	ssize_t n;

	*size = 0;
	while (good && (n = getline(&line, &cap, f)) > 0) {
		size_t len = (size_t)n - (line[n - 1] == '\n');
		enum folded_kind kind = folded_parse(line, len, &l);

		*size += (uint64_t)n;
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
	good = good && any && !ferror(f);
	free(line);
	buf_done(&last);
	return good;
}

bool
sorted_file(const char *path, bool plain, uint64_t *size)
{
	char *operands[] = {(char *)(uintptr_t)path};
	struct stat st;
	struct in in;
	FILE *f = NULL;
	bool good;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    S_ISREG(st.st_mode))
		f = fopen(path, "r");
	if (f == NULL)
		return false;
	in_init(&in, operands, 1);
	good = in_fill(&in, 1) && shape_detect(&in) == SHAPE_FOLDED;
	in_done(&in);
	setvbuf(f, NULL, _IOFBF, BUFFER);
	good = good && is_sorted(f, plain, size);
	fclose(f);
	return good;
}
