/* SPDX-License-Identifier: ISC */
/* Huge captures: GNU parallel splits them, and all workers fold the parts. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/in.h"
#include "base/xalloc.h"
#include "batch.h"
#include "text/look.h"
#include "text/shape.h"

/*
 * GNU parallel reads from each multiple of the block's size until it finds a
 * border, and keeps what it has read: there must be one that soon.
 */
enum { WINDOW = 1 << 20 };

/* What a plain file is; SHAPE_AUTO for what cannot be split. */
static enum shape
shape_of(const char *path)
{
	char *operand = (char *)path;
	enum shape shape;
	struct in in;
	size_t n;

	in_init(&in, &operand, 1);
	n = in_fill(&in, 6);
	shape = look_unpacker(in.p, n) || look_foreign(in.p, n) ||
			look_json(in.p, n)
		    ? SHAPE_AUTO
		    : shape_detect(&in);
	in_done(&in);
	return shape;
}

/* Whether each multiple of the block has such a line soon after it. */
static bool
has_borders(const struct item *i, const char *border, uint64_t block)
{
	int fd = open(i->path, O_RDONLY | O_CLOEXEC);
	char *window = xmalloc(WINDOW), line[40];
	bool found = fd >= 0;
	ssize_t n;

	snprintf(line, sizeof line, "\n%s", border);
	for (uint64_t at = block; found && at < i->size; at += block) {
		n = pread(fd, window, WINDOW, (off_t)at);
		found = n > 0 && (at + (uint64_t)n >= i->size ||
				     memmem(window, (size_t)n, line,
					 strlen(line)) != NULL);
	}
	if (fd >= 0)
		close(fd);
	free(window);
	return found;
}

const char *
parts_border(const struct batch *b, const struct item *i)
{
	static const char *const borders[] = {
	    "[kst-capture ", "-<!OSDK_PROF_BT_ROUND!>-", "Thread ", ""};
	uint64_t block = b->o->block;
	enum shape shape;

	if (b->remote || b->workers == 1 || block == 0 || i->size <= block)
		return NULL;
	shape = shape_of(i->path);
	if (!steps_can_split(&b->o->steps, shape))
		return NULL;
	for (size_t k = shape == SHAPE_FOLDED ? 3 : 0;
	     k < (shape == SHAPE_FOLDED ? 4 : 3); k++)
		if (has_borders(i, borders[k], block))
			return borders[k];
	return NULL;
}

/* Joins what the parts say, in order; their outputs become the sum's input. */
static void
join(struct batch *b, struct sum *sum, struct record *all)
{
	struct item *i = sum->item;
	struct unit u = {.kind = "part", .item = i};
	struct buf base = BUF_INIT, path = BUF_INIT;

	memset(all, 0, sizeof *all);
	for (unsigned k = 1;; k++) {
		struct record r;

		jobs_path(b, 0, &base);
		buf_printf(&base, "-%u", k);
		path.len = 0;
		buf_printf(&path, "%s.folded", buf_str(&base));
		if (access(buf_str(&path), F_OK) != 0)
			break;
		judge(b, &u, base.p, &r);
		words_add(&sum->inputs, path.p);
		if (r.status > all->status) {
			record_say(all, (enum status)r.status, "%s", r.what);
			all->line = r.line ? all->lines + r.line : 0;
		}
		all->bytes += r.bytes;
		all->lines += r.lines;
		all->folded += r.folded;
		all->captures += r.captures;
		all->stacks += r.stacks;
		all->faults += r.faults;
		free(r.what);
	}
	if (all->bytes != i->size)
		record_say(all, STATUS_FAILED,
		    "only %" PRIu64 " of %" PRIu64 " bytes were folded",
		    all->bytes, i->size);
	all->size = i->size;
	all->mtime = i->mtime;
	buf_done(&base);
	buf_done(&path);
}

/* GNU parallel over the job's only file, in parts. */
static int
split(struct batch *b, const char *border)
{
	struct buf block = BUF_INIT, file = BUF_INIT, args = BUF_INIT;
	int status;

	buf_printf(&block, "%" PRIu64, b->part_bytes);
	buf_printf(&file, "%" PRIu64 "/0.in", b->jobs);
	buf_printf(&args, "part %" PRIu64 " 0 %s {#}", b->jobs,
	    *border ? "trace --part" : "folded --plain");
	status = jobs_work(b,
	    (const char *[]){"--pipepart", "-a", buf_str(&file), "--block",
		buf_str(&block), "--recend", "\\n", "--recstart", border, NULL},
	    buf_str(&args));
	buf_done(&block);
	buf_done(&file);
	buf_done(&args);
	return status;
}

int
parts_run(struct batch *b, struct item *i, const char *border)
{
	struct unit u = {.kind = "part", .item = i};
	struct buf folded = BUF_INIT, svg = BUF_INIT;
	struct record all;
	struct sum *sum;
	int status;

	jobs_begin(b, i->size, 1);
	b->part_bytes = b->o->block;
	status = jobs_add(b, &u, i->path, 0);
	if (status == 0)
		status = split(b, border);
	b->part_bytes = 0;
	if (status != 0 || batch_signal)
		return status;
	sum = sums_add(&b->parts);
	sum->item = i;
	buf_printf(&folded, "%s/%s.folded", b->out, i->rel);
	buf_printf(&svg, "%s/%s.svg", b->out, i->rel);
	sum->folded = folded.p;
	sum->svg = svg.p;
	sum->plain = *border || steps_plain(&b->o->steps);
	join(b, sum, &all);
	report_parts(b, i, &all);
	free(all.what);
	b->jobs++;
	return 0;
}
