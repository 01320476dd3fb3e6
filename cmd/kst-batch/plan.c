/* SPDX-License-Identifier: ISC */
/* Decides which captures are made again, in which order, and how. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "batch.h"
#include "text/look.h"

/* Bytes of text in a packed byte: a guess, to share out the work. */
enum { UNPACKED = 12 };

/* Whether an output of so many bytes is there. */
static bool
is_there(
    const struct batch *b, const char *rel, const char *suffix, uint64_t size)
{
	struct buf path = BUF_INIT;
	struct stat st;
	bool there;

	buf_printf(&path, "%s/%s%s", b->out, rel, suffix);
	there = stat(buf_str(&path), &st) == 0 && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size == size;
	buf_done(&path);
	return there;
}

/* Why the folded text is to be made. */
static enum why
why_folded(const struct batch *b, const struct item *i)
{
	const struct made *m = &i->made;

	if (m->rel == NULL)
		return WHY_NEW;
	if (b->o->force)
		return WHY_FORCED;
	if (m->rec.size != i->size || m->rec.mtime != i->mtime)
		return WHY_INPUT;
	if (m->key != b->key)
		return WHY_OPTIONS;
	if (!is_there(b, i->rel, ".folded", m->rec.folded))
		return WHY_OUTPUT;
	return WHY_NOT;
}

/* Why the picture of a folded text that is up to date is to be made. */
static enum why
why_svg(const struct batch *b, const struct item *i)
{
	if (b->svg_key == 0)
		return WHY_NOT;
	if (i->made.svg_key != b->svg_key)
		return WHY_OPTIONS;
	if (!is_there(b, i->rel, ".svg", i->made.rec.svg))
		return WHY_OUTPUT;
	return WHY_NOT;
}

void
plan_items(struct batch *b)
{
	for (size_t k = 0; k < b->items.n; k++) {
		struct item *i = &b->items.v[k];

		i->why = why_folded(b, i);
		if (i->why == WHY_NOT) {
			i->why = why_svg(b, i);
			/* hosts without our files are sent the capture */
			i->draw_only = i->why != WHY_NOT && !b->o->send;
		}
		if (i->why == WHY_NOT)
			continue;
		b->to_make++;
		b->bytes_to_make += i->draw_only ? i->made.rec.folded : i->size;
	}
}

/* The work that a capture will be, in bytes of text. */
static uint64_t
work_of(const struct item *i)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz"};
	size_t len = strlen(i->rel);

	if (i->draw_only)
		return i->made.rec.folded;
	for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
		if (bytes_ends(i->rel, len, suffixes[k]) &&
		    i->size < UINT64_MAX / UNPACKED)
			return i->size * UNPACKED;
	return i->size;
}

static int
by_work(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;

	if (x->work != y->work)
		return x->work < y->work ? 1 : -1;
	return strcmp(x->rel, y->rel);
}

/* Bytes that tell what a capture is; size of the largest short one. */
enum { HEAD = 4096, SMALL = 1 << 20 };

/* The kind of unit that reads the capture; NULL with errno. */
static const char *
kind_of(const struct item *i)
{
	int fd = open(i->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), e;
	char head[HEAD], *const *unpacker;
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, head, sizeof head);
	e = errno;
	close(fd);
	errno = e;
	if (n < 0)
		return NULL;
	unpacker = look_unpacker(head, (size_t)n);
	if (unpacker)
		return unpacker[0];
	if (look_foreign(head, (size_t)n))
		return "foreign";
	if (look_json(head, (size_t)n))
		return "json";
	return i->size > SMALL ? "text" : "small";
}

static int
add_item(struct batch *b, struct item *i)
{
	struct unit u = {.kind = i->draw_only ? "draw" : kind_of(i), .item = i};
	struct buf folded = BUF_INIT;
	int status;

	if (u.kind == NULL) {
		struct record r = {.size = i->size};

		record_say(&r, STATUS_FAILED, "%s", strerror(errno));
		report_parts(b, i, &r);
		free(r.what);
		return 0;
	}
	buf_printf(&folded, "%s/%s.folded", b->out, i->rel);
	status =
	    jobs_add(b, &u, i->draw_only ? buf_str(&folded) : i->path, i->work);
	buf_done(&folded);
	return status;
}

/* Captures that are split go first: all workers share each. */
static size_t
run_parts(struct batch *b, struct item **order, size_t n, int *status)
{
	size_t kept = 0;

	for (size_t k = 0; k < n; k++) {
		const char *border =
		    order[k]->draw_only ? NULL : parts_border(b, order[k]);

		if (border == NULL)
			order[kept++] = order[k];
		else if (*status == 0 && !batch_signal)
			*status = parts_run(b, order[k], border);
	}
	return kept;
}

int
plan_jobs(struct batch *b)
{
	struct item **order = xcalloc(b->items.n + 1, sizeof *order);
	uint64_t work = 0;
	size_t n = 0;
	int status = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		struct item *i = &b->items.v[k];

		if (i->why == WHY_NOT)
			continue;
		i->work = work_of(i);
		order[n++] = i;
	}
	qsort(order, n, sizeof *order, by_work);
	n = run_parts(b, order, n, &status);
	for (size_t k = 0; k < n; k++)
		work += order[k]->work;
	jobs_begin(b, work, n);
	for (size_t k = 0; k < n && status == 0; k++)
		status = add_item(b, order[k]);
	free(order);
	return status;
}
