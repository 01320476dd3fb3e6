/* SPDX-License-Identifier: ISC */
/* Adds each stack that is read to its keys, part by part. */
#include "sides/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/xalloc.h"
#include "names/name.h"
#include "names/rx.h"
#include "profile/table.h"
#include "sides/compare.h"

/* Until the number of captures is known. */
enum { PARTS_MAX = 256 };

void
profile_init(struct profile *p, enum profile_by by, struct rx *const *patterns,
    uint32_t n_patterns)
{
	*p = (struct profile){.table = table_new(),
	    .by = by,
	    .patterns = patterns,
	    .n_patterns = n_patterns,
	    .first = 1 + n_patterns,
	    .side = {{.part_len = 1}, {.part_len = 1}}};
	p->n_keys = p->first;
	p->keys = xgrow0(NULL, p->n_keys, &p->keys_cap, sizeof *p->keys);
}

void
profile_done(struct profile *p)
{
	table_free(p->table);
	for (int i = 0; i < 2; i++) {
		free(p->side[i].cells);
		free(p->side[i].part_total);
		free(p->side[i].part_time);
	}
	free(p->keys);
	free(p->matches);
	free(p->stacks);
	free(p->call);
}

static struct profile_cell *
cell_of(struct profile *p, int side, uint32_t key, uint32_t part)
{
	struct profile_side *s = &p->side[side];
	size_t *at = &p->keys[key].last_cell;

	if (*at >= s->n_cells || s->cells[*at].key != key ||
	    s->cells[*at].part != part) {
		*at = s->n_cells;
		*xpush(s->cells, s->n_cells, s->cap) =
		    (struct profile_cell){.key = key, .part = part};
	}
	return &s->cells[*at];
}

/* Joins each two neighbouring parts. */
static void
halve(struct profile *p, int side)
{
	struct profile_side *s = &p->side[side];
	size_t n = s->n_cells;

	s->n_cells = 0;
	for (size_t i = 0; i < n; i++) {
		struct profile_cell from = s->cells[i], *to;

		to = cell_of(p, side, from.key, from.part / 2);
		to->weight[0] += from.weight[0];
		to->weight[1] += from.weight[1];
	}
	s->n_parts = (s->n_parts + 1) / 2;
	s->part_len *= 2;
}

static void
add_key(struct profile *p, uint32_t key, const struct count *weight, bool leaf)
{
	struct profile_key *k = xitem_zeroed(p->keys, key, p->keys_cap);
	double real = count_real(weight);
	struct profile_cell *cell;

	if (key >= p->n_keys)
		p->n_keys = key + 1;
	cell = cell_of(p, p->now, key, p->side[p->now].n_parts);
	/* the table's total, which is larger, fits */
	if (k->last_seen != p->serial) {
		k->last_seen = p->serial;
		count_add(&k->weight[p->now][0], weight);
		cell->weight[0] += real;
	}
	if (leaf) {
		count_add(&k->weight[p->now][1], weight);
		cell->weight[1] += real;
	}
}

/* The patterns that match a name, a bit each: asked for once, name by name. */
static uint64_t
matches_of(struct profile *p, uint32_t name)
{
	while (p->n_matches <= name) {
		uint64_t bits = 0;
		size_t len;
		const char *text =
		    table_name_text(p->table, (uint32_t)p->n_matches, &len);

		for (uint32_t i = 0; i < p->n_patterns; i++)
			if (rx_match(
				p->patterns[i], text, name_line(text, len)) > 0)
				bits |= (uint64_t)1 << i;
		*xpush(p->matches, p->n_matches, p->matches_cap) = bits;
	}
	return p->matches[name];
}

void
profile_end_part(struct profile *p)
{
	p->side[p->now].n_parts++;
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
			halve(p, p->now);
	}
	p->in_part++;
}

/* Of functions, by what leaf their stack has. */
static void
add_calls(
    struct profile *p, uint32_t stack, uint32_t leaf, const struct count *calls)
{
	const uint32_t key = p->first + leaf;
	struct profile_call *c = xitem_zeroed(p->call, key, p->call_cap);

	(void)xitem_zeroed(p->keys, key, p->keys_cap);
	if (key >= p->n_keys)
		p->n_keys = key + 1;
	count_add(&c->calls[p->now], calls);
	xitem_zeroed(p->stacks, stack, p->stacks_cap)->calls[p->now] +=
	    count_real(calls);
}

static void
watch(void *arg, uint32_t stack, const struct count *weight)
{
	struct profile *p = arg;
	size_t n, n_keys;
	const uint32_t *frame = table_stack(p->table, stack, &n), *key = frame;

	if (weight->whole == 0 && weight->frac == 0)
		return;
	if (p->of_calls) {
		if (n > 0)
			add_calls(p, stack, frame[n - 1], weight);
		return;
	}
	if (p->by_calls)
		xitem_zeroed(p->stacks, stack, p->stacks_cap)->self[p->now] +=
		    count_real(weight);
	if (p->capture && *p->capture != p->last_capture)
		next_capture(p);
	p->serial++;
	add_key(p, KEY_ALL, weight, false);
	n_keys = n;
	if (p->by == PROFILE_STACK) {
		key = &stack;
		n_keys = 1;
	} else if (p->by == PROFILE_ROOT && n) {
		n_keys = 1;
	}
	for (size_t i = 0; i < n_keys; i++)
		add_key(p, p->first + key[i], weight, i + 1 == n_keys);
	for (size_t i = 0; i < n && p->n_patterns; i++) {
		uint64_t bits = matches_of(p, frame[i]);

		for (uint32_t k = KEY_ALL + 1; bits; k++, bits >>= 1)
			if (bits & 1)
				add_key(p, k, weight, false);
	}
}

void
profile_begin(struct profile *p, int side, const uint64_t *capture)
{
	p->now = side;
	p->capture = capture;
	p->side[side].by_captures = capture != NULL;
	p->last_capture = p->in_part = 0;
	table_watch(p->table, side, watch, p);
}

void
profile_want_calls(struct profile *p)
{
	p->by_calls = true;
}

const struct profile_call *
profile_call(const struct profile *p, uint32_t key)
{
	static const struct profile_call none;

	return key < p->call_cap ? &p->call[key] : &none;
}

void
profile_calls(struct profile *p, int side)
{
	p->now = side;
	p->of_calls = true;
	table_watch(p->table, side, watch, p);
}

void
profile_from_table(struct profile *p)
{
	for (p->now = 0; p->now < 2; p->now++) {
		for (uint32_t i = 0; i < table_stacks(p->table); i++)
			watch(p, i, table_count(p->table, i, p->now));
		profile_end_part(p);
	}
}

/* Makes PROFILE_BATCHES parts of those of a trace; sets each one's time. */
static void
set_batches(struct profile *p, int side)
{
	struct profile_side *s = &p->side[side];
	uint32_t n = s->n_parts, batches = n;

	if (s->by_captures && n > PROFILE_BATCHES)
		batches = PROFILE_BATCHES;
	s->part_time = xcalloc(batches + 1, sizeof *s->part_time);
	for (uint32_t i = 0; i < n; i++)
		s->part_time[i * batches / n] += 1.0 / n;
	for (size_t i = 0; i < s->n_cells; i++)
		s->cells[i].part = s->cells[i].part * batches / n;
	s->n_parts = batches;
}

/* Cells are in the order of parts; a counting sort keeps it for each key. */
static void
sort_cells(struct profile *p, int side)
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
}

void
profile_end(struct profile *p)
{
	if (p->by_calls)
		calls_compare(p);
	for (int side = 0; side < 2; side++) {
		set_batches(p, side);
		sort_cells(p, side);
		p->side[side].part_total =
		    profile_parts(p, side, KEY_ALL, false);
	}
}

const struct count *
profile_total(const struct profile *p, int side)
{
	return &p->keys[KEY_ALL].weight[side][0];
}

double *
profile_parts(const struct profile *p, int side, uint32_t key, bool self)
{
	const struct profile_side *s = &p->side[side];
	double *v = xcalloc(s->n_parts, sizeof *v);
	size_t i = p->keys[key].cell[side];

	for (; i < s->n_cells && s->cells[i].key == key; i++)
		v[s->cells[i].part] += s->cells[i].weight[self];
	return v;
}

void
profile_name(const struct profile *p, uint32_t key, struct buf *b)
{
	uint32_t id = key - p->first;
	size_t n = 1, len;
	const uint32_t *frame = &id;

	if (p->by == PROFILE_STACK)
		frame = table_stack(p->table, id, &n);
	for (size_t i = 0; i < n; i++) {
		const char *text = table_name_text(p->table, frame[i], &len);

		if (i)
			buf_addc(b, ';');
		buf_add(b, text, len);
	}
}

int
profile_compare(const struct profile *p, uint32_t a, uint32_t b)
{
	static struct buf name[2];

	if (p->by != PROFILE_STACK) {
		size_t x_len, y_len;
		const char *x = table_name_text(p->table, a - p->first, &x_len),
			   *y = table_name_text(p->table, b - p->first, &y_len);

		return bytes_cmp(x, x_len, y, y_len);
	}
	name[0].len = name[1].len = 0;
	profile_name(p, a, &name[0]);
	profile_name(p, b, &name[1]);
	return bytes_cmp(name[0].p, name[0].len, name[1].p, name[1].len);
}
