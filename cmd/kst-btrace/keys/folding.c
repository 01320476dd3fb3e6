/* SPDX-License-Identifier: ISC */
/*
 * Raw stacks recur far more often than they are new: one that comes again is
 * found by its text.
 */
#include "keys/folding.h"

#include <stdlib.h>
#include <string.h>

#include "keys/key.h"
#include "keys/own.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "text/folded.h"
#include "trace/memo.h"
#include "set/hash.h"
#include "set/intern.h"
#include "io/out.h"
#include "set/textsort.h"
#include "base/xalloc.h"
#include "text/events.h"

enum { MEMO_BYTES = 12 << 20 };

struct folding {
	const struct options *o;
	struct intern *folded;
	uint64_t *totals; /* by number in `folded` */
	size_t cap_totals;
	struct memo *memo; /* from a raw stack to the number of its total */
	struct buf map;	   /* of the first stack, and `[` */
	bool several;	   /* others are of other maps */
	struct stack_key key;
	struct buf text, name;
};

struct folding *
folding_new(const struct options *o)
{
	struct folding *s = xcalloc(1, sizeof *s);

	s->o = o;
	s->folded = intern_new();
	s->memo = memo_new(MEMO_BYTES);
	return s;
}

void
folding_free(struct folding *s)
{
	memo_free(s->memo);
	intern_free(s->folded);
	free(s->totals);
	key_done(&s->key);
	buf_done(&s->map);
	buf_done(&s->text);
	buf_done(&s->name);
	free(s);
}

static void
add_frame(struct folding *s, const char *p, size_t len)
{
	if (s->text.len)
		buf_addc(&s->text, ';');
	folded_add_name(&s->text, p, len);
}

/* How many leaf frames of a kernel stack are the profiler's. */
static size_t
own_frames(struct folding *s, const struct key_stack *st)
{
	const struct piece *f;
	size_t n = st->n, skip;

	if (n == 0 || st->mode == KEY_USERLAND)
		return 0;
	f = s->key.frames + st->first;
	skip = s->o->skip < n ? (size_t)s->o->skip : n;
	if (s->o->own)
		skip += own_count(s->o->own, f + skip, n - skip, &s->name);
	return skip;
}

static const char *
mode_name(const struct key_stack *st)
{
	return st->mode == KEY_KERNEL ? "kernel" : "userland";
}

/* Root first. `leaf_side`: the one stack that samples the pc. */
static void
add_stack(struct folding *s, const struct key_stack *st, bool leaf_side)
{
	size_t skip = leaf_side ? own_frames(s, st) : 0;
	bool mark = s->o->mode == MODE_MARK && st->mode == KEY_KERNEL;

	if (s->o->mode == MODE_ROOT && st->mode != KEY_UNKNOWN)
		add_frame(s, mode_name(st), strlen(mode_name(st)));
	for (size_t i = st->n; i-- > skip;) {
		struct piece f =
		    frame_name(s->key.frames[st->first + i], s->o->keep_offset);

		add_frame(s, f.p, f.len);
		if (mark)
			buf_adds(&s->text, "_[k]");
	}
	if (skip < st->n)
		return;
	if (st->mode == KEY_UNKNOWN)
		add_frame(s, "", 0);
	else if (s->o->mode != MODE_ROOT)
		add_frame(s, mode_name(st), strlen(mode_name(st)));
}

/*
 * The stacks of a key: userland's first, then the kernel's; if neither the text
 * nor the frames tell them apart, the first holds the leaf. A stack without
 * frames counts only if it is the only one.
 */
static void
add_stacks(struct folding *s)
{
	const struct stack_key *k = &s->key;
	size_t leaf = 0;
	bool any = k->n_frames > 0;

	if (k->n_stacks == 2)
		key_guess_modes(&s->key);
	for (size_t i = 0; i < k->n_stacks; i++) {
		if (k->stacks[i].mode == KEY_KERNEL) {
			leaf = i;
			break;
		}
	}
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = k->n_stacks; i-- > 0;) {
			const struct key_stack *st = &k->stacks[i];
			bool user = st->mode == KEY_USERLAND;

			if (user != (pass == 0) || (st->n == 0 && any))
				continue;
			add_stack(s, st, i == leaf);
			if (!any)
				return;
		}
	}
}

/* Folds a stack; returns the number of its total. */
static uint32_t
fold(struct folding *s, struct piece raw, size_t map_len, bool cut)
{
	uint32_t id, known = intern_count(s->folded);

	s->text.len = 0;
	if (map_len)
		add_frame(s, raw.p, map_len - 1);
	key_split(&s->key, raw.p + map_len, raw.len - map_len, cut);
	for (size_t i = 0; i < s->key.n_plain; i++)
		add_frame(s, s->key.plain[i].p, s->key.plain[i].len);
	add_stacks(s);
	id = intern_id(s->folded, s->text.p, s->text.len);
	if (id == known)
		*xitem(s->totals, id, s->cap_totals) = 0;
	return id;
}

/*
 * The number of the folded stack. Many texts come once only, so one is kept
 * when it comes again.
 */
static uint32_t
folded_of(struct folding *s, struct piece raw, size_t map_len, bool cut)
{
	uint64_t hash = hash_bytes(raw.p, raw.len) + cut * 0x9e3779b97f4a7c15u;
	struct memo_entry *e = memo_find(s->memo, hash, raw.p, raw.len);
	uint32_t id;

	if (e && e->raw_len == raw.len)
		return e->value;
	id = fold(s, raw, map_len, cut);
	if (memo_again(s->memo, hash))
		memo_add(s->memo, hash,
		    &(struct memo_text){
			.p = raw.p, .len = raw.len, .value = id});
	return id;
}

int
folding_add(struct folding *s, struct piece text, size_t map_len, bool cut,
    uint64_t weight)
{
	bool first = intern_count(s->folded) == 0;
	uint32_t id = folded_of(s, text, map_len, cut);
	uint64_t *sum = &s->totals[id];

	if (first)
		buf_add(&s->map, text.p, map_len);
	else if (!bytes_same(text.p, map_len, s->map.p, s->map.len))
		s->several = true;
	if (__builtin_add_overflow(*sum, weight, sum)) {
		*sum = UINT64_MAX;
		return -1;
	}
	return 0;
}

void
folding_put(const struct folding *s)
{
	uint32_t n = intern_count(s->folded);
	struct text *lines = xcalloc(n + 1, sizeof *lines);
	size_t skip = s->several ? 0 : s->map.len; /* `@` and `;` */

	for (uint32_t i = 0; i < n; i++) {
		size_t len;

		lines[i].p = intern_str(s->folded, i, &len) + skip;
		lines[i].len = (uint32_t)(len - skip);
		lines[i].id = i;
	}
	textsort(lines, n);
	for (uint32_t i = 0; i < n; i++) {
		char num[20];

		out_put(lines[i].p, lines[i].len);
		out_putc(' ');
		out_put(num, event_u64(num, s->totals[lines[i].id]));
		out_putc('\n');
	}
	free(lines);
}
