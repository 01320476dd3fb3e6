/* SPDX-License-Identifier: ISC */
/* What has to be made again, and in which order. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"
#include "base/msg.h"
#include "packed.h"
#include "parts.h"
#include "source.h"
#include "base/xalloc.h"

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
	const struct record *r = &i->rec;

	if (r->rel == NULL)
		return WHY_NEW;
	if (b->o->force)
		return WHY_FORCED;
	if (r->size != i->size || r->mtime != i->mtime)
		return WHY_INPUT;
	if (r->key != b->key)
		return WHY_OPTIONS;
	if (!is_there(b, i->rel, ".folded", r->folded))
		return WHY_OUTPUT;
	return WHY_NOT;
}

/* Why the picture of a folded text that is up to date is to be made. */
static enum why
why_svg(const struct batch *b, const struct item *i)
{
	if (b->svg_key == 0)
		return WHY_NOT;
	if (i->rec.svg_key != b->svg_key)
		return WHY_OPTIONS;
	if (!is_there(b, i->rel, ".svg", i->rec.svg))
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
			/* hosts have not the folded text, but are sent all */
			i->draw_only = i->why != WHY_NOT && !b->o->send;
		}
		if (i->why == WHY_NOT)
			continue;
		b->to_make++;
		b->bytes_to_make += i->draw_only ? i->rec.folded : i->size;
	}
}

/* Of a small file the name is looked at before the content. */
enum { LOOK_MIN = 1 << 20 };

/* The work that a capture will be, in bytes of text: to share it out by. */
static uint64_t
work_of(const struct item *i)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz"};
	size_t len = strlen(i->rel);

	if (i->draw_only)
		return i->rec.folded;
	if (i->size >= LOOK_MIN)
		return packed_text(i->path, i->size);
	for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
		size_t n = strlen(suffixes[k]);

		if (len > n && strcmp(i->rel + len - n, suffixes[k]) == 0)
			return packed_text(i->path, i->size);
	}
	return i->size;
}

/* Whether it is worth to be done in parts. */
static bool
is_huge(const struct batch *b, const struct item *i)
{
	return b->o->block && (b->remote || b->jobs_wide > 1) &&
	       i->work / 2 >= b->o->block / 2 + 1 && !(b->remote && b->o->send);
}

/*
 * How many pipes a packed capture is shared out to, when it alone would take
 * longer than all is to take.
 */
static uint64_t
width(const struct batch *b, const struct item *i)
{
	double share = (double)i->work * (double)b->jobs_wide / (double)b->work;
	uint64_t n = (uint64_t)share + (share > (double)(uint64_t)share);

	if (b->remote || n <= 1)
		return 1;
	return n < b->jobs_wide ? n : b->jobs_wide;
}

static int
by_size(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;

	if (x->work != y->work)
		return x->work < y->work ? 1 : -1;
	return strcmp(x->rel, y->rel);
}

/* The capture as parts, and the sum of them as the item's output. */
static int
add_parts(struct batch *b, struct item *i, const uint64_t *off, size_t n,
    const struct unit *whole)
{
	struct sum *sum = sums_add(&b->parts);
	struct buf path = BUF_INIT;
	int status = 0;

	sum->item = i;
	sum->folded = xstrdup(whole->folded);
	sum->svg = xstrdup(whole->svg);
	sum->plain = whole->shape == SHAPE_TRACE || steps_plain(&b->o->steps);
	i->parts = (uint32_t)n;
	for (size_t k = 0; k < n && status == 0; k++) {
		uint64_t end = k + 1 < n ? off[k + 1] : i->size;
		struct unit u = *whole;

		u.kind = 'p';
		u.off = off[k];
		u.len = end - off[k];
		path.len = 0;
		buf_printf(&path, "%s/parts/%zu.%zu", b->dir.p,
		    (size_t)(i - b->items.v), k);
		u.folded = buf_str(&path);
		u.svg = "";
		words_add(&sum->inputs, u.folded);
		status = jobs_add(b, &u, u.len, &(struct unit_ref){.item = i});
	}
	buf_done(&path);
	return status;
}

/* A capture for a machine with none of our files: all names are numbers. */
static int
add_sent(struct batch *b, struct item *i, struct unit *u)
{
	char folded[40], svg[40] = "", in[40];
	uint64_t id = b->n_units;

	snprintf(in, sizeof in, "in/%" PRIu64, id);
	snprintf(folded, sizeof folded, "out/%" PRIu64 ".folded", id);
	if (b->o->steps.step[STEP_SVG].n)
		snprintf(svg, sizeof svg, "out/%" PRIu64 ".svg", id);
	u->id = id;
	if (hosts_send_unit(b, u, b->jobs_all + 1) != 0)
		return -1;
	u->path = in;
	u->folded = folded;
	u->svg = svg;
	return jobs_add(b, u, i->work, &(struct unit_ref){.item = i});
}

/* Where the parts of a capture begin; none of one that is packed. */
static size_t
take_apart(
    const struct batch *b, const struct item *i, struct unit *u, uint64_t **off)
{
	enum shape shape = source_shape(i->path);
	size_t n;

	if (!steps_can_split(&b->o->steps, shape))
		return 0;
	if (packed_is(i->path)) {
		u->width = width(b, i);
		return 0;
	}
	n = parts_find(i->path, i->size, b->o->block, shape, off);
	u->shape = n > 1 ? shape : SHAPE_AUTO;
	return n;
}

static int
add_item(struct batch *b, struct item *i)
{
	struct buf folded = BUF_INIT, svg = BUF_INIT;
	struct unit u = {.kind = 'c', .path = i->path};
	uint64_t *off = NULL;
	size_t n = 0;
	int status;

	u.name = item_name(b, i);
	if (b->remote && b->o->send)
		return add_sent(b, i, &u);
	buf_printf(&folded, "%s/%s.folded", b->out, i->rel);
	if (b->o->steps.step[STEP_SVG].n)
		buf_printf(&svg, "%s/%s.svg", b->out, i->rel);
	u.folded = buf_str(&folded);
	u.svg = buf_str(&svg);
	if (i->draw_only) {
		u.kind = 'd';
		u.path = u.folded;
	} else if (is_huge(b, i)) {
		n = take_apart(b, i, &u, &off);
	}
	if (n > 1)
		status = add_parts(b, i, off, n, &u);
	else
		status =
		    jobs_add(b, &u, i->work, &(struct unit_ref){.item = i});
	free(off);
	buf_done(&folded);
	buf_done(&svg);
	return status;
}

int
plan_jobs(struct batch *b)
{
	struct item **order = xcalloc(b->items.n + 1, sizeof *order);
	size_t n = 0;
	int status = 0;

	b->work = 0;
	for (size_t k = 0; k < b->items.n; k++) {
		struct item *i = &b->items.v[k];

		if (i->why == WHY_NOT)
			continue;
		i->work = work_of(i);
		b->work += i->work;
		order[n++] = i;
	}
	if (n)
		qsort(order, n, sizeof *order, by_size);
	jobs_begin(b, b->work, n);
	for (size_t k = 0; k < n && status == 0; k++)
		status = add_item(b, order[k]);
	free(order);
	return status;
}
