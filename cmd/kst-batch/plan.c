/* SPDX-License-Identifier: ISC */
/* Which captures have to be made again, and in which order and parts. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/in.h"
#include "base/xalloc.h"
#include "batch.h"
#include "text/look.h"
#include "text/trace.h"

/* What a packed byte becomes: a guess, good enough to share work out by. */
enum { UNPACKED = 12 };

/* How far a border is looked for, and how many parts a capture has at most. */
enum { WINDOW = 1 << 20, PARTS_MAX = 1 << 14 };

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

/*
 * Folded text may be cut before any line, trace text before one that says all
 * that the stacks after it depend on: best a capture's mark, so that captures
 * stay whole, or a thread's header.
 */
enum border { NO_BORDER, POOR, GOOD };

static enum border
border_at(
    const char *line, size_t len, enum shape shape, struct trace_reader *reader)
{
	struct trace_line t;

	if (shape == SHAPE_FOLDED)
		return GOOD;
	trace_read(reader, line, len, &t);
	if (t.kind == TRACE_CAPTURE || t.kind == TRACE_ROUND)
		return GOOD;
	return t.kind == TRACE_THREAD ? POOR : NO_BORDER;
}

/* The first best border in the window of text from `at` on, or 0. */
static uint64_t
find_border(int fd, uint64_t at, enum shape shape, char *window)
{
	ssize_t n = pread(fd, window, WINDOW, (off_t)at);
	struct trace_reader reader = {0};
	char *end = window + (n > 0 ? n : 0);
	char *p = memchr(window, '\n', (size_t)(end - window)), *nl = NULL;
	enum border best = NO_BORDER;
	uint64_t found = 0;

	/* the first line may have its begin before the window */
	for (; p && (nl = memchr(p + 1, '\n', (size_t)(end - p - 1))); p = nl) {
		bool whole = reader.cut.len == 0;
		enum border here =
		    border_at(p + 1, (size_t)(nl - p - 1), shape, &reader);

		if (!whole || here <= best)
			continue;
		best = here;
		found = at + (uint64_t)(p + 1 - window);
		if (best == GOOD)
			break;
	}
	trace_reader_done(&reader);
	return found;
}

/* What a plain file is; SHAPE_AUTO for what cannot be taken apart. */
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

/* Where the parts of a capture begin: how many, and in *off. */
static size_t
take_apart(const struct batch *b, const struct item *i, enum shape shape,
    uint64_t **off)
{
	int fd = open(i->path, O_RDONLY | O_CLOEXEC);
	uint64_t block = b->o->block, found;
	char *window = xmalloc(WINDOW);
	size_t n = 0, cap = 0;

	if (i->size / block >= PARTS_MAX)
		block = i->size / (PARTS_MAX - 1);
	*off = xgrow(NULL, 1, &cap, sizeof **off);
	(*off)[n++] = 0;
	for (uint64_t at = block; fd >= 0 && at < i->size; at += block) {
		found = find_border(fd, at, shape, window);
		if (found <= (*off)[n - 1])
			continue;
		*off = xgrow(*off, n + 1, &cap, sizeof **off);
		(*off)[n++] = found;
	}
	if (fd >= 0)
		close(fd);
	free(window);
	return n;
}

/* The capture as parts, and the sum of them as the item's output. */
static int
add_parts(struct batch *b, struct item *i, const uint64_t *off, size_t n,
    struct unit *u)
{
	struct sum *sum = sums_add(&b->parts);
	struct buf path = BUF_INIT;
	int status = 0;

	sum->item = i;
	sum->folded = xstrdup(u->folded);
	sum->svg = xstrdup(u->svg);
	sum->plain = u->shape == SHAPE_TRACE || steps_plain(&b->o->steps);
	i->parts = xcalloc(n, sizeof *i->parts);
	i->n_parts = (uint32_t)n;
	u->kind = UNIT_PART;
	u->svg = "";
	for (uint32_t k = 0; k < n && status == 0; k++) {
		u->off = off[k];
		u->len = (k + 1 < n ? off[k + 1] : i->size) - off[k];
		path.len = 0;
		buf_printf(&path, "%s/parts/%zu.%u", b->dir.p,
		    (size_t)(i - b->items.v), k);
		u->folded = buf_str(&path);
		words_add(&sum->inputs, u->folded);
		status = jobs_add(
		    b, u, u->len, &(struct todo){.item = i, .part = k});
	}
	buf_done(&path);
	return status;
}

/* A capture for a machine with none of our files: all names are numbers. */
static int
add_sent(struct batch *b, struct item *i)
{
	char folded[40], svg[40] = "", in[40];
	struct unit u = {.id = b->n_todo, .path = i->path};

	snprintf(in, sizeof in, "in/%zu", b->n_todo);
	snprintf(folded, sizeof folded, "out/%zu.folded", b->n_todo);
	if (b->svg_key)
		snprintf(svg, sizeof svg, "out/%zu.svg", b->n_todo);
	if (hosts_send_unit(b, &u, b->jobs_all + 1) != 0)
		return -1;
	u.path = in;
	u.folded = folded;
	u.svg = svg;
	return jobs_add(b, &u, i->work, &(struct todo){.item = i});
}

static int
add_item(struct batch *b, struct item *i)
{
	struct buf folded = BUF_INIT, svg = BUF_INIT;
	struct unit u = {.path = i->path};
	uint64_t *off = NULL;
	size_t n = 0;
	int status;

	buf_printf(&folded, "%s/%s.folded", b->out, i->rel);
	if (b->svg_key)
		buf_printf(&svg, "%s/%s.svg", b->out, i->rel);
	u.folded = buf_str(&folded);
	u.svg = buf_str(&svg);
	if (i->draw_only) {
		u.kind = UNIT_DRAWING;
		u.path = u.folded;
	} else if (b->o->block && i->size > b->o->block && b->workers > 1) {
		u.shape = shape_of(i->path);
		if (steps_can_split(&b->o->steps, u.shape))
			n = take_apart(b, i, u.shape, &off);
		if (n < 2)
			u.shape = SHAPE_AUTO;
	}
	if (n > 1)
		status = add_parts(b, i, off, n, &u);
	else
		status = jobs_add(b, &u, i->work, &(struct todo){.item = i});
	free(off);
	buf_done(&folded);
	buf_done(&svg);
	return status;
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
		work += i->work;
		order[n++] = i;
	}
	qsort(order, n, sizeof *order, by_work);
	jobs_begin(b, work, n);
	for (size_t k = 0; k < n && status == 0; k++)
		status = b->remote && b->o->send ? add_sent(b, order[k])
						 : add_item(b, order[k]);
	free(order);
	return status;
}
