/* SPDX-License-Identifier: ISC */
/*
 * Where the code of a function differs in two files: its instructions, without
 * addresses, are aligned as a diff aligns lines (E. Myers: An O(ND) difference
 * algorithm, 1986), and those of the new file that have no partner have lines.
 */
#include "sym.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/xalloc.h"
#include "code/same.h"
#include "names/demangle.h"
#include "set/hash.h"
#include "text/folded.h"

enum {
	PLACES_MAX = 3,
	EDITS_MAX = 500 /* instructions that come or go; time is its square */
};

void
sym_add_target(struct elfsym *s, uint64_t addr, struct buf *b)
{
	struct elfsym_func f;

	if (elfsym_find(s, addr, &f)) {
		buf_add(b, f.name, f.len);
		buf_printf(b, "+%" PRIx64, addr - f.start);
	}
}

bool
sym_code(struct elfsym *s, const struct elfsym_func *f, struct same_code *c)
{
	const struct elfsym_code code = elfsym_code(s, f->start);

	*c = (struct same_code){.machine = code.machine,
	    .addr = f->start,
	    .p = code.p,
	    .n = code.n,
	    .low = code.low,
	    .high = code.high};
	if (c->n > f->end - f->start)
		c->n = (size_t)(f->end - f->start);
	return code.p != NULL;
}

/* The instructions of a function. */
struct insns {
	struct elfsym *s;
	struct buf text;
	struct insn {
		uint64_t hash;
		size_t at, text; /* offsets */
		bool same;	 /* has a partner */
	} * v;
	size_t n, cap;
};

static void
add_name(void *arg, uint64_t addr, struct buf *b)
{
	const struct insns *f = arg;

	sym_add_target(f->s, addr, b);
}

static void
add_insn(void *arg, size_t at)
{
	struct insns *f = arg;

	/* the one before has no text, such as an upper half */
	if (f->n > 0 && f->v[f->n - 1].text == f->text.len)
		f->n--;
	*xpush(f->v, f->n, f->cap) =
	    (struct insn){.at = at, .text = f->text.len};
}

static void
read_insns(struct insns *f, struct elfsym *s, const struct elfsym_func *func,
    bool loose)
{
	struct same_code c;

	f->s = s;
	f->n = f->text.len = 0;
	if (!sym_code(s, func, &c))
		return;
	c.name = add_name;
	c.each = add_insn;
	c.arg = f;
	c.loose = loose;
	same_code(&c, &f->text);
	for (size_t i = 0; i < f->n; i++) {
		const size_t end =
		    i + 1 < f->n ? f->v[i + 1].text : f->text.len;

		f->v[i].hash = hash_bytes(
		    buf_str(&f->text) + f->v[i].text, end - f->v[i].text);
	}
}

/* A part of each function, x of the old one and y of the new one. */
struct part {
	struct insn *x, *y;
	int n, m;
};

/*
 * One step: the furthest x on each diagonal k = x - y, -d..d, that d edits
 * reach, from v, those of d - 1. Returns whether the end is reached.
 */
static bool
reach(const struct part *p, int d, int *v)
{
	for (int k = -d; k <= d; k += 2) {
		int x = k == -d || (k != d && v[k - 1] < v[k + 1])
			    ? v[k + 1]
			    : v[k - 1] + 1;

		while (x < p->n && x - k < p->m &&
		       p->x[x].hash == p->y[x - k].hash)
			x++;
		v[k] = x;
		if (x >= p->n && x - k >= p->m)
			return true;
	}
	return false;
}

/* From the end back: the steps' diagonals are the pairs. */
static void
pair(const struct part *p, int d, int *const *kept)
{
	int x = p->n, y = p->m;

	for (; d >= 0; d--) {
		const int *v = d > 0 ? kept[d - 1] + EDITS_MAX + 1 : NULL;
		const int k = x - y;
		int px = 0, py = 0, from;

		if (d > 0) {
			from = k == -d || (k != d && v[k - 1] < v[k + 1])
				   ? k + 1
				   : k - 1;
			px = v[from];
			py = px - from;
		}
		while (x > px && y > py)
			p->x[--x].same = p->y[--y].same = true;
		x = px;
		y = py;
	}
}

/* Sets `same`; with too many edits only at both ends. */
static void
align(struct insns *old, struct insns *new)
{
	struct part p = {old->v, new->v, (int)old->n, (int)new->n};
	int *kept[EDITS_MAX + 1] = {0}, *v, d = 0;
	const size_t size = 2 * EDITS_MAX + 3;
	bool end = false;

	for (; p.n && p.m && p.x->hash == p.y->hash; p.n--, p.m--)
		p.x++->same = p.y++->same = true;
	for (; p.n && p.m && p.x[p.n - 1].hash == p.y[p.m - 1].hash;
	     p.n--, p.m--)
		p.x[p.n - 1].same = p.y[p.m - 1].same = true;
	v = xcalloc(size, sizeof *v);
	while (!(end = reach(&p, d, v + EDITS_MAX + 1)) && d < EDITS_MAX) {
		kept[d] = xreallocn(NULL, size, sizeof *v);
		memcpy(kept[d++], v, size * sizeof *v);
	}
	if (end)
		pair(&p, d, kept);
	for (int i = 0; i < d; i++)
		free(kept[i]);
	free(v);
}

/* Where the instruction at an address is from; nothing: no line is known. */
static void
add_place(struct elfsym *s, uint64_t addr, struct buf *b)
{
	struct buf readable = BUF_INIT;
	const struct elfsym_frame *f;

	if (elfsym_frames(s, addr, &f) == 0 || f->file == NULL || f->line == 0)
		return;
	if (f->inlined && demangle_plain(f->name, f->name_len, &readable))
		folded_add_name(b, readable.p, readable.len);
	else if (f->inlined)
		folded_add_name(b, f->name, f->name_len);
	if (f->inlined)
		buf_adds(b, " at ");
	folded_add_name(b, f->file, f->file_len);
	buf_printf(b, ":%u", (unsigned)f->line);
	buf_done(&readable);
}

/* The places that were found. */
struct places {
	struct elfsym *s;
	uint64_t start; /* of the function */
	struct buf v[PLACES_MAX];
	size_t n;
};

static void
take(struct places *p, size_t at)
{
	struct buf *b = &p->v[p->n];

	if (p->n == PLACES_MAX)
		return;
	b->len = 0;
	add_place(p->s, p->start + at, b);
	for (size_t i = 0; i < p->n; i++)
		if (bytes_same(b->p, b->len, p->v[i].p, p->v[i].len))
			return;
	p->n += b->len > 0;
}

/* What has gone was before what follows it. */
static void
find(struct places *p, const struct insns *old, const struct insns *new)
{
	size_t i = 0, k = 0, from;

	while (p->n < PLACES_MAX && (i < old->n || k < new->n)) {
		from = k;
		for (; k < new->n && !new->v[k].same; k++)
			take(p, new->v[k].at);
		if (i < old->n && !old->v[i].same && k == from && new->n)
			take(p, new->v[k < new->n ? k : k - 1].at);
		while (i < old->n && !old->v[i].same)
			i++;
		for (; i < old->n && k < new->n &&
		       old->v[i].same &&new->v[k].same;
		     i++)
			k++;
	}
}

void
sym_places(struct elfsym *old, const struct elfsym_func *from,
    struct elfsym *new, const struct elfsym_func *to, struct buf *b)
{
	struct places p = {.s = new, .start = to->start};
	struct insns f[2] = {{0}};
	bool equal;

	read_insns(&f[0], old, from, true);
	read_insns(&f[1], new, to, true);
	equal = f[0].n == f[1].n;
	for (size_t i = 0; equal && i < f[0].n; i++)
		equal = f[0].v[i].hash == f[1].v[i].hash;
	if (equal) { /* but jumps lead elsewhere */
		read_insns(&f[0], old, from, false);
		read_insns(&f[1], new, to, false);
	}
	align(&f[0], &f[1]);
	find(&p, &f[0], &f[1]);
	for (size_t i = 0; i < PLACES_MAX; i++) {
		if (i < p.n) {
			buf_adds(b, i ? ", " : "");
			buf_add(b, p.v[i].p, p.v[i].len);
		}
		buf_done(&p.v[i]);
	}
	for (int i = 0; i < 2; i++) {
		buf_done(&f[i].text);
		free(f[i].v);
	}
}
