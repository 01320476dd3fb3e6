/* SPDX-License-Identifier: ISC */
/*
 * Folded text may be cut before any line. Trace text before one that says all
 * that the stacks behind it depend on, which is the header of a thread or the
 * mark of a capture.
 */
#include "parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { WINDOW = 1 << 20 };

/* Bytes before a place that are read to see what line it is in. */
enum { BEFORE = 256 };

/* A line that a pager's prompt has cut in two is no border. */
bool
parts_border(
    struct trace_reader *r, enum shape shape, const char *line, size_t len)
{
	bool cut = r->cut.len > 0;
	struct trace_line t;

	if (shape == SHAPE_FOLDED)
		return true;
	trace_read(r, line, len, &t);
	return !cut && (t.kind == TRACE_THREAD || t.kind == TRACE_CAPTURE ||
			   t.kind == TRACE_ROUND);
}

/* The first border that begins in from..to; 0 when there is none. */
static uint64_t
border(int fd, uint64_t from, uint64_t to, enum shape shape, char *window,
    struct trace_reader *r)
{
	uint64_t at = from > BEFORE ? from - BEFORE : 0;
	bool whole = false;

	r->cut.len = 0;
	while (at < to) {
		ssize_t n = pread(fd, window, WINDOW, (off_t)at);
		char *p = window, *end = window + (n > 0 ? n : 0), *nl;

		if (n <= 0)
			return 0;
		while ((nl = memchr(p, '\n', (size_t)(end - p)))) {
			uint64_t start = at + (uint64_t)(p - window);

			if (start >= to)
				return 0;
			if (parts_border(r, shape, p, (size_t)(nl - p)) &&
			    whole && start >= from)
				return start;
			whole = true;
			p = nl + 1;
		}
		if (p == window) { /* a line beyond the window is no border */
			at += (uint64_t)n;
			whole = false;
		} else {
			at += (uint64_t)(p - window);
		}
		if (n < WINDOW)
			return 0;
	}
	return 0;
}

size_t
parts_find(const char *path, uint64_t size, uint64_t block, enum shape shape,
    uint64_t **offsets)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *window = xmalloc(WINDOW);
	struct trace_reader reader = {0};
	size_t n = 1, max;
	uint64_t *off;

	if (size / block >= PARTS_MAX)
		block = size / (PARTS_MAX - 1);
	max = (size_t)(size / block) + 2;
	off = xcalloc(max, sizeof *off);
	for (uint64_t at = block; fd >= 0 && at < size && n < max;) {
		uint64_t end = size - at > block ? at + block : size;
		uint64_t found = border(fd, at, end, shape, window, &reader);

		if (found)
			off[n++] = found;
		at = end;
	}
	if (fd >= 0)
		close(fd);
	free(window);
	trace_reader_done(&reader);
	*offsets = off;
	return n;
}
