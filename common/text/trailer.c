/* SPDX-License-Identifier: ISC */
#include "text/trailer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "text/folded.h"

enum how { SAME, SUM, LEAST, MOST };

/*
 * How a key's values are merged, in the order of writing; `once`: only one part
 * of a run has it. The last row is for all other keys.
 */
static const struct {
	const char *key;
	enum how how;
	bool once;
} known[] = {{"unit", SAME, false}, {"captures", SUM, false},
    {"samples", SUM, false}, {"instructions", SUM, false}, {"cpus", MOST, true},
    {"rate", SAME, true}, {"seconds", SUM, true}, {"stopped", SUM, false},
    {"begin", LEAST, false}, {"end", MOST, false}, {"build-id", SAME, true},
    {"cut", SUM, false}, {"failed", SUM, true}, {"max-stop", SAME, true},
    {"", SAME, false}};

enum { N_KNOWN = sizeof known / sizeof known[0] - 1 };

static size_t
known_place(const char *key)
{
	size_t i = 0;

	while (i < N_KNOWN && strcmp(known[i].key, key) != 0)
		i++;
	return i;
}

static bool
to_count(const char *value, struct count *c)
{
	return num_decimal(value, strlen(value), &c->whole, &c->frac) == 0;
}

/* Merges a second value; returns false if that is impossible. */
static bool
merge(enum how how, char value[TRAILER_TEXT], const char *second)
{
	struct count a, b;

	if (how == SAME)
		return strcmp(value, second) == 0;
	if (!to_count(value, &a) || !to_count(second, &b))
		return false;
	if (how == SUM) {
		if (count_add(&a, &b) != 0)
			return false;
		value[count_text(&a, value)] = 0;
	} else if ((count_cmp(&b, &a) < 0) == (how == LEAST)) {
		strcpy(value, second);
	}
	return true;
}

static struct trailer_pair *
find(const struct trailer *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->pair[i].key, key) == 0)
			return (struct trailer_pair *)&t->pair[i];
	return NULL;
}

static bool
is_known(const struct trailer *t, const struct trailer_pair *p)
{
	return p && p->value[0] &&
	       (p->lines == t->lines ||
		   (t->part && known[known_place(p->key)].once));
}

static void
add_pair(struct trailer *t, const char *key, const char *value)
{
	struct trailer_pair *p = find(t, key);

	if (strcmp(key, "part") == 0)
		t->part = true;
	else if (p == NULL && t->n < TRAILER_KEYS) {
		p = &t->pair[t->n++];
		strcpy(p->key, key);
		strcpy(p->value, value);
		p->lines = 1;
	} else if (p && p->lines < t->lines) { /* else: twice on one line */
		p->lines++;
		if (p->value[0] &&
		    !merge(known[known_place(key)].how, p->value, value))
			p->value[0] = 0;
	}
}

/* Whether p[0..len) can be a key or a value; copies it. */
static bool
copy_word(char to[TRAILER_TEXT], const char *p, size_t len)
{
	if (len == 0 || len >= TRAILER_TEXT)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)p[i] <= ' ' || p[i] == 0x7f)
			return false;
	memcpy(to, p, len);
	to[len] = 0;
	return true;
}

bool
trailer_read(struct trailer *t, const char *line, size_t len)
{
	char sep;
	const char *p = folded_trailer(line, len, &sep), *end = line + len;

	if (p == NULL || (p < end && *p == '['))
		return false; /* or of a piece of time */
	while (end > p && end[-1] == '\r')
		end--;
	t->lines++;
	while (p < end) {
		char key[TRAILER_TEXT], value[TRAILER_TEXT];
		const char *word = p, *eq;

		p = memchr(p, sep, (size_t)(end - p));
		p = p ? p : end;
		eq = memchr(word, '=', (size_t)(p - word));
		if (eq && copy_word(key, word, (size_t)(eq - word)) &&
		    copy_word(value, eq + 1, (size_t)(p - eq) - 1))
			add_pair(t, key, value);
		p += p < end;
	}
	return true;
}

void
trailer_add_none(struct trailer *t)
{
	t->lines++;
}

const char *
trailer_get(const struct trailer *t, const char *key)
{
	const struct trailer_pair *p = find(t, key);

	return is_known(t, p) ? p->value : NULL;
}

bool
trailer_count(const struct trailer *t, const char *key, struct count *c)
{
	const char *value = trailer_get(t, key);

	return value && to_count(value, c);
}

bool
trailer_mixed(const struct trailer *t)
{
	const struct trailer_pair *p = find(t, "unit");

	return p && p->value[0] == 0;
}

void
trailer_set(struct trailer *t, const char *key, const char *value)
{
	struct trailer_pair *p = find(t, key);

	if (t->lines == 0)
		t->lines = 1;
	if (p == NULL && value && t->n < TRAILER_KEYS) {
		p = &t->pair[t->n++];
		snprintf(p->key, sizeof p->key, "%s", key);
	}
	if (p == NULL)
		return;
	p->lines = t->lines;
	snprintf(p->value, sizeof p->value, "%s", value ? value : "");
	for (char *c = p->value; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			*c = '_';
}

/* Known keys in their order, then the others by name. */
static int
pair_cmp(const void *va, const void *vb)
{
	const struct trailer_pair *const *a = va, *const *b = vb;
	size_t x = known_place((*a)->key), y = known_place((*b)->key);

	return x != y ? (x < y ? -1 : 1) : strcmp((*a)->key, (*b)->key);
}

void
trailer_put(const struct trailer *t, struct buf *b)
{
	const struct trailer_pair *list[TRAILER_KEYS];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (is_known(t, &t->pair[i]))
			list[n++] = &t->pair[i];
	if (n == 0)
		return;
	qsort(list, n, sizeof *list, pair_cmp);
	buf_adds(b, FOLDED_TRAILER);
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "%s%s=", i ? "," : "", list[i]->key);
		for (const char *c = list[i]->value; *c; c++)
			buf_addc(b, *c == ',' ? '_' : *c);
	}
	buf_addc(b, '\n');
}
