/* SPDX-License-Identifier: ISC */
/*
 * The cache is the hot path of kst-clean: a line costs its hash and one hit.
 * Open addressing with power-of-two size, at most half full; entries and
 * texts are thrown away together when they have grown too large, so that the
 * memory is bounded whatever the input.
 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "demangle.h"
#include "folded.h"
#include "hash.h"
#include "msg.h"
#include "name.h"
#include "rules.h"
#include "xalloc.h"

enum {
	SLOTS_FIRST = 1 << 12,
	NAMES_MAX = 1 << 15,
	TEXT_MAX = 4 << 20, /* bytes of text kept */
	ROUNDS_MAX = 8	    /* of the default rules, until nothing changes */
};

const char names_default_rules[] =
#include "default_rules.h"
    ;

struct chunk {
	struct chunk *next;
	char bytes[];
};

struct names {
	struct name *slots; /* raw == NULL: free */
	size_t mask, n;
	struct chunk *chunks;
	size_t bytes;
	struct rules *defaults, *rules;
	bool demangle;
	uint64_t limits;
	struct buf name, last, first;
};

struct names *
names_new(const struct names_options *o)
{
	struct names *n = xcalloc(1, sizeof *n);

	n->slots = xcalloc(SLOTS_FIRST, sizeof *n->slots);
	n->mask = SLOTS_FIRST - 1;
	n->rules = o->rules;
	n->demangle = o->demangle;
	n->defaults = rules_new();
	if (!o->no_defaults &&
	    rules_add_text(n->defaults, "default.rules", names_default_rules,
		strlen(names_default_rules), o->without) != 0) {
		names_free(n);
		return NULL;
	}
	return n;
}

static void
forget(struct names *n)
{
	while (n->chunks) {
		struct chunk *next = n->chunks->next;

		free(n->chunks);
		n->chunks = next;
	}
	n->bytes = 0;
	n->n = 0;
}

void
names_free(struct names *n)
{
	if (n == NULL)
		return;
	forget(n);
	free(n->slots);
	rules_free(n->defaults);
	buf_done(&n->name);
	buf_done(&n->last);
	buf_done(&n->first);
	free(n);
}

void
names_trim(struct names *n)
{
	if (n->bytes < TEXT_MAX && n->n < NAMES_MAX)
		return;
	forget(n);
	memset(n->slots, 0, (n->mask + 1) * sizeof *n->slots);
}

uint64_t
names_limits(const struct names *n)
{
	return n->limits;
}

static const char *
keep(struct names *n, const char *p, size_t len)
{
	struct chunk *c = xmalloc(sizeof *c + len + 1);

	memcpy(c->bytes, p, len);
	c->next = n->chunks;
	n->chunks = c;
	n->bytes += len + sizeof *c + 16;
	return c->bytes;
}

static void
set(struct buf *b, const char *p, size_t len)
{
	b->len = 0;
	buf_add(b, p, len);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

/* One round: the name in the frame's text, then the default rules. */
static unsigned
clean_once(struct names *n, bool gdb)
{
	const char *name;
	size_t len;

	name_of_frame(n->last.p, n->last.len, gdb, &name, &len);
	set(&n->name, name, len);
	return rules_apply(n->defaults, &n->name);
}

/* kst-svg(1) and kst-sym(1) mark frames by a suffix, which stays. */
static size_t
annotation(const char *p, size_t len, bool gdb)
{
	const char *a = p + len - 4;

	if (gdb || len <= 4 || a[0] != '_' || a[1] != '[' || a[3] != ']')
		return 0;
	return strchr("kijw", a[2]) && a[2] ? 4 : 0;
}

/* The clean name of a text in n->name; returns the flags. */
static unsigned
clean(struct names *n, const char *text, size_t len, bool gdb)
{
	size_t suffix = annotation(text, len, gdb);
	unsigned flags = 0;
	const char *raw;
	size_t raw_len;
	int round;

	set(&n->last, text, len - suffix);
	if (n->demangle) {
		name_of_frame(text, len - suffix, gdb, &raw, &raw_len);
		n->name.len = 0;
		if (demangle_name(raw, raw_len, &n->name) == 0 && n->name.len)
			set(&n->last, n->name.p, n->name.len);
	}
	set(&n->first, n->last.p, n->last.len);
	for (round = 0; round < ROUNDS_MAX; round++) {
		flags |= clean_once(n, gdb);
		if (same(&n->name, &n->last))
			break;
		set(&n->last, n->name.p, n->name.len);
	}
	if (round == ROUNDS_MAX) /* never settles: as it came */
		set(&n->name, n->first.p, n->first.len);
	if (n->rules)
		flags |= rules_apply(n->rules, &n->name);
	buf_add(&n->name, text + len - suffix, suffix);
	if (!gdb) {
		set(&n->last, n->name.p, n->name.len);
		n->name.len = 0;
		folded_add_name(&n->name, n->last.p, n->last.len);
	}
	return flags;
}

static void
grow(struct names *n)
{
	size_t size = (n->mask + 1) * 2;
	struct name *slots = xcalloc(size, sizeof *slots);

	for (size_t i = 0; i <= n->mask; i++) {
		size_t k = (size_t)n->slots[i].hash & (size - 1);

		if (n->slots[i].raw == NULL)
			continue;
		while (slots[k].raw)
			k = (k + 1) & (size - 1);
		slots[k] = n->slots[i];
	}
	free(n->slots);
	n->slots = slots;
	n->mask = size - 1;
}

static struct name *
slot_of(struct names *n, uint64_t hash, const char *text, size_t len)
{
	size_t i = (size_t)hash & n->mask;
	struct name *s = &n->slots[i];

	while (s->raw && (s->hash != hash || s->raw_len != len ||
			     memcmp(s->raw, text, len) != 0)) {
		i = (i + 1) & n->mask;
		s = &n->slots[i];
	}
	return s;
}

static void
fill(struct names *n, struct name *s, const char *text, size_t len, bool gdb)
{
	s->flags = clean(n, text, len, gdb);
	if (s->flags & RULE_LIMIT)
		n->limits++;
	s->raw = keep(n, text, len);
	s->raw_len = (uint32_t)len;
	s->len = (uint32_t)n->name.len;
	if (s->len == len && memcmp(n->name.p, text, len) == 0)
		s->text = s->raw;
	else
		s->text = keep(n, n->name.p, n->name.len);
	s->unknown = s->len == 2 && memcmp(s->text, "??", 2) == 0;
}

const struct name *
names_get(struct names *n, const char *text, size_t len, bool gdb)
{
	uint64_t hash = hash_bytes(text, len) + gdb;
	struct name *s = slot_of(n, hash, text, len);

	if (s->raw)
		return s;
	if (n->n >= n->mask / 2) {
		grow(n);
		s = slot_of(n, hash, text, len);
	}
	n->n++;
	s->hash = hash;
	fill(n, s, text, len, gdb);
	return s;
}
