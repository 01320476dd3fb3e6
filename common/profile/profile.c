/* SPDX-License-Identifier: ISC */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "profile/table.h"

enum { PARTS_MAX = 2048 };

/* The key's cell of the part; its cells are those from s->begin on. */
static struct profile_cell *
cell_of(struct profile *p, struct profile_side *s, uint32_t key, uint32_t part)
{
	size_t at = p->keys[key].last_cell;

	if (at < s->begin || at >= s->n_cells || s->cells[at].key != key) {
		at = p->keys[key].last_cell = s->n_cells;
		*xpush(s->cells, s->n_cells, s->cap) =
		    (struct profile_cell){key, part, 0, 0};
	}
	return &s->cells[at];
}

/* Joins each two neighbouring parts. */
static void
halve(struct profile *p, struct profile_side *s)
{
	size_t n = s->n_cells;
	uint32_t last = 0;

	s->n_cells = s->begin = 0;
	for (size_t i = 0; i < n; i++) {
		struct profile_cell from = s->cells[i], *to;

		if (from.part / 2 != last)
			s->begin = s->n_cells;
		last = from.part / 2;
		to = cell_of(p, s, from.key, last);
		to->self += from.self;
		to->total += from.total;
	}
	for (uint32_t i = 0; i < s->n_parts; i++) {
		double t = s->part_total[i];

		if (i % 2)
			s->part_total[i / 2] += t;
		else
			s->part_total[i / 2] = t;
	}
	s->n_parts = (s->n_parts + 1) / 2;
	s->part_len *= 2;
	s->begin = s->n_cells;
}

void
profile_init(struct profile *p, enum profile_by by, uint32_t n_marks,
    profile_marks *marks, void *arg)
{
	memset(p, 0, sizeof *p);
	p->table = table_new();
	p->by = by;
	p->n_marks = n_marks;
	p->marks = marks;
	p->marks_arg = arg;
	p->side[0].part_len = p->side[1].part_len = 1;
}

void
profile_done(struct profile *p)
{
	table_free(p->table);
	for (int s = 0; s < 2; s++) {
		free(p->side[s].cells);
		free(p->side[s].part_total);
	}
	free(p->keys);
	free(p->name_marks);
}

static void
add_key(struct profile *p, uint32_t key, const struct count *weight, bool leaf)
{
	struct profile_key *k = xitem_zeroed(p->keys, key, p->keys_cap);
	struct profile_side *s = &p->side[p->now];
	struct profile_cell *cell;

	if (key >= p->n_keys)
		p->n_keys = key + 1;
	cell = cell_of(p, s, key, s->n_parts);
	/* the table's total, which is larger, fits */
	if (k->last_seen != p->serial) {
		k->last_seen = p->serial;
		count_add(&k->total[p->now], weight);
		cell->total += count_real(weight);
	}
	if (leaf) {
		count_add(&k->self[p->now], weight);
		cell->self += count_real(weight);
	}
}

static uint64_t
marks_of(struct profile *p, uint32_t name)
{
	struct profile_bits *of =
	    xitem_zeroed(p->name_marks, name, p->name_marks_cap);

	if (!of->known) {
		size_t len;
		const char *text = table_name_text(p->table, name, &len);

		of->known = true;
		of->bits = p->marks(p->marks_arg, text, len);
	}
	return of->bits;
}

/* Adds a stack's weight to its keys. */
static void
spread_stack(struct profile *p, uint32_t stack, const struct count *weight)
{
	size_t n;
	const uint32_t *frame = table_stack(p->table, stack, &n);
	uint64_t bits = 0, leaf_bits = 0;

	p->serial++;
	if (p->by == PROFILE_STACK)
		add_key(p, p->n_marks + stack, weight, true);
	else if (p->by == PROFILE_ROOT && n > 0)
		add_key(p, p->n_marks + frame[0], weight, true);
	else
		for (size_t i = 0; i < n; i++)
			add_key(p, p->n_marks + frame[i], weight, i + 1 == n);
	for (size_t i = 0; i < n && p->n_marks; i++)
		bits |= leaf_bits = marks_of(p, frame[i]);
	for (uint32_t k = 0; k < p->n_marks; k++)
		if (bits >> k & 1)
			add_key(p, k, weight, leaf_bits >> k & 1);
}

void
profile_end_part(struct profile *p)
{
	struct profile_side *s = &p->side[p->now];

	*xpush(s->part_total, s->n_parts, s->parts_cap) = s->now;
	s->now = 0;
	s->begin = s->n_cells;
	p->in_part = 0;
}

/* A stack of another capture than the last one: a part may be complete. */
static void
next_capture(struct profile *p)
{
	struct profile_side *s = &p->side[p->now];

	p->last_capture = *p->capture;
	if (p->in_part == s->part_len) {
		profile_end_part(p);
		if (s->n_parts == PARTS_MAX)
			halve(p, s);
	}
	p->in_part++;
}

static void
watch(void *arg, uint32_t stack, const struct count *count)
{
	struct profile *p = arg;
	struct profile_side *s = &p->side[p->now];

	if (count->whole == 0 && count->frac == 0)
		return;
	if (p->capture && *p->capture != p->last_capture)
		next_capture(p);
	count_add(&s->total, count);
	s->now += count_real(count);
	spread_stack(p, stack, count);
}

void
profile_begin(struct profile *p, int side, const uint64_t *capture)
{
	p->now = side;
	p->capture = capture;
	p->last_capture = p->in_part = 0;
	table_watch(p->table, side, watch, p);
}

void
profile_from_table(struct profile *p)
{
	for (p->now = 0; p->now < 2; p->now++) {
		for (size_t i = 0; i < table_stacks(p->table); i++)
			watch(p, (uint32_t)i,
			    table_count(p->table, (uint32_t)i, p->now));
		profile_end_part(p);
	}
}

/* Cells are in the order of parts; a counting sort keeps it for each key. */
static void
index_side(struct profile *p, int side)
{
	struct profile_side *s = &p->side[side];
	struct profile_cell *sorted = xcalloc(s->n_cells + 1, sizeof *sorted);

	for (size_t i = 0; i < s->n_cells; i++)
		p->keys[s->cells[i].key].cell[side]++;
	for (uint32_t k = 1; k < p->n_keys; k++)
		p->keys[k].cell[side] += p->keys[k - 1].cell[side];
	/* the place after a key's last cell becomes that of its first */
	for (size_t i = s->n_cells; i-- > 0;)
		sorted[--p->keys[s->cells[i].key].cell[side]] = s->cells[i];
	free(s->cells);
	s->cells = sorted;
	s->cap = s->n_cells + 1;
}

void
profile_index(struct profile *p)
{
	/* a mark may have matched nothing */
	p->keys =
	    xgrow0(p->keys, p->n_marks + 1u, &p->keys_cap, sizeof *p->keys);
	if (p->n_keys < p->n_marks)
		p->n_keys = p->n_marks;
	index_side(p, 0);
	index_side(p, 1);
}

const struct profile_cell *
profile_cells(const struct profile *p, int side, uint32_t key, size_t *n)
{
	const struct profile_side *s = &p->side[side];
	size_t from = p->keys[key].cell[side];
	size_t to =
	    key + 1 < p->n_keys ? p->keys[key + 1].cell[side] : s->n_cells;

	*n = to - from;
	return s->cells + from;
}

void
profile_name(const struct profile *p, uint32_t key, struct buf *b)
{
	uint32_t id = key - p->n_marks, name = id;
	size_t n = 1, len;
	const uint32_t *frame = &name;

	if (p->by == PROFILE_STACK)
		frame = table_stack(p->table, id, &n);
	for (size_t i = 0; i < n; i++) {
		const char *text = table_name_text(p->table, frame[i], &len);

		if (i)
			buf_addc(b, ';');
		buf_add(b, text, len);
	}
}
