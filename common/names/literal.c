/* SPDX-License-Identifier: ISC */
#include "names/literal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"

struct scan {
	const char *p, *end;
	char *to;
	size_t run, best; /* lengths; the best stands first in `to` */
	bool any_case;	  /* letters are taken as small ones */
};

static void
end_run(struct scan *s)
{
	if (s->run > s->best) {
		memmove(s->to, s->to + s->best, s->run);
		s->best = s->run;
	}
	s->run = 0;
}

static void
take(struct scan *s, char c)
{
	if (s->any_case && c >= 'A' && c <= 'Z')
		c = (char)(c - 'A' + 'a');
	if (s->any_case && (c == 's' || c == 'k')) /* also U+017F, U+212A */
		end_run(s);
	else
		s->to[s->best + s->run++] = c;
}

/* After `[`: skips the class. */
static bool
skip_class(struct scan *s)
{
	s->p += s->p < s->end && *s->p == '^';
	s->p += s->p < s->end && *s->p == ']';
	for (; s->p < s->end; s->p++) {
		if (*s->p == ']') {
			s->p++;
			return true;
		}
		if (*s->p == '[')
			return false; /* may be `[:alpha:]` */
		if (*s->p == '\\' &&
		    (++s->p == s->end || *s->p == 'Q' || *s->p == 'E'))
			return false;
	}
	return false;
}

/* After `(`: whether the group's beginning leaves what follows as it is. */
static bool
is_known_group(const struct scan *s)
{
	if (s->p < s->end && *s->p == '*')
		return false;
	return s->end - s->p < 2 || *s->p != '?' ||
	       (strchr(":=!<>123456789", s->p[1]) && s->p[1]);
}

/* After `{`: skips the `8,16}` of a quantifier. */
static bool
skip_count(struct scan *s)
{
	while (
	    s->p < s->end && ((*s->p >= '0' && *s->p <= '9') || *s->p == ','))
		s->p++;
	return s->p < s->end && *s->p++ == '}';
}

/* After a backslash; only escapes of one letter are known. */
static bool
take_escape(struct scan *s, size_t depth)
{
	char c;

	if (s->p == s->end)
		return false;
	c = *s->p++;
	if ((c >= '!' && c <= '/') || (c >= ':' && c <= '@') ||
	    (c >= '[' && c <= '`') || (c >= '{' && c <= '~')) {
		if (depth == 0)
			take(s, c);
		return true;
	}
	end_run(s);
	return c && (strchr("wWdDsSbBAzZhHvVK", c) || (depth && c == 'x'));
}

static bool
take_one(struct scan *s, size_t *depth)
{
	char c = *s->p++;

	if (c == '\\')
		return take_escape(s, *depth);
	if (strchr("?*{", c) && c && s->run > 0)
		s->run--; /* none of it may be there */
	if (strchr("^$.+?*{([)|", c) || (c & 0x80))
		end_run(s);
	switch (c) {
	case '{':
		return skip_count(s);
	case '[':
		return skip_class(s);
	case '(':
		++*depth;
		return is_known_group(s);
	case ')':
		return (*depth)-- > 0;
	case '|':
		return *depth > 0;
	default:
		if (*depth == 0 && !strchr("^$.+?*", c) && !(c & 0x80))
			take(s, c);
		return true;
	}
}

size_t
literal_of(const char *pattern, size_t len, char *to)
{
	struct scan s = {.p = pattern, .end = pattern + len, .to = to};
	size_t depth = 0;

	while (s.p < s.end)
		if (!take_one(&s, &depth))
			return 0;
	end_run(&s);
	return s.best;
}

/* An alternative ends; false: no text is known that it contains. */
static bool
end_alternative(struct scan *s, size_t *len)
{
	end_run(s);
	*len = s->best;
	s->to += s->best;
	s->best = 0;
	return *len > 0;
}

size_t
literals_of(const char *pattern, size_t len, char *to, size_t *lens, size_t max)
{
	struct scan s = {.p = pattern, .end = pattern + len, .to = to};
	size_t depth = 0, n = 0;

	s.any_case = bytes_starts(pattern, len, LITERAL_ANY_CASE);
	if (s.any_case)
		s.p += strlen(LITERAL_ANY_CASE);
	while (s.p < s.end) {
		if (depth > 0 || *s.p != '|') {
			if (!take_one(&s, &depth))
				return 0;
			continue;
		}
		if (n == max || !end_alternative(&s, &lens[n++]))
			return 0;
		s.p++;
	}
	return n < max && end_alternative(&s, &lens[n++]) ? n : 0;
}

enum { GRAM_BITS = 12 };

struct item {
	struct literal l;
	uint32_t at, next; /* its gram; number + 1 of another with that gram */
};

struct sieve {
	uint32_t first[1 << GRAM_BITS]; /* number + 1 */
	struct item *items;
	size_t n;
	uint64_t *always, *found; /* sets of numbers */
};

static uint32_t
gram_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, GRAM);
	return (v * 0x9e3779b1u) >> (32 - GRAM_BITS);
}

static void
add(uint64_t *set, size_t i)
{
	set[i / 64] |= (uint64_t)1 << i % 64;
}

/* The offset of the literal's gram that the fewest literals have. */
static uint32_t
rarest(const struct literal *l, const uint32_t *uses)
{
	size_t best = 0;

	for (size_t i = 1; i + GRAM <= l->len; i++)
		if (uses[gram_at(l->p + i)] <= uses[gram_at(l->p + best)])
			best = i;
	return (uint32_t)best;
}

struct sieve *
sieve_new(const struct literal *literals, size_t n)
{
	struct sieve *s = xcalloc(1, sizeof *s);
	uint32_t *uses = xcalloc(1 << GRAM_BITS, sizeof *uses);

	s->n = n;
	s->items = xcalloc(n, sizeof *s->items);
	s->always = xcalloc(n / 64 + 1, sizeof *s->always);
	s->found = xcalloc(n / 64 + 1, sizeof *s->found);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k + GRAM <= literals[i].len; k++)
			uses[gram_at(literals[i].p + k)]++;
	for (size_t i = 0; i < n; i++) {
		struct item *it = &s->items[i];
		uint32_t *first;

		it->l = literals[i];
		if (it->l.len < GRAM) {
			add(s->always, i);
			continue;
		}
		it->at = rarest(&it->l, uses);
		first = &s->first[gram_at(it->l.p + it->at)];
		it->next = *first;
		*first = (uint32_t)i + 1;
	}
	free(uses);
	return s;
}

void
sieve_free(struct sieve *s)
{
	if (s == NULL)
		return;
	free(s->items);
	free(s->always);
	free(s->found);
	free(s);
}

void
sieve_find(struct sieve *s, const char *text, size_t len)
{
	memcpy(s->found, s->always, (s->n / 64 + 1) * sizeof *s->found);
	for (size_t i = 0; i + GRAM <= len; i++)
		for (uint32_t k = s->first[gram_at(text + i)]; k > 0;) {
			const struct item *it = &s->items[k - 1];

			if (i >= it->at && len - (i - it->at) >= it->l.len &&
			    memcmp(text + i - it->at, it->l.p, it->l.len) == 0)
				add(s->found, k - 1);
			k = it->next;
		}
}

size_t
sieve_next(const struct sieve *s, size_t i)
{
	size_t w = i / 64;
	uint64_t left = s->found[w] & (~(uint64_t)0 << i % 64);

	while (left == 0 && ++w <= s->n / 64)
		left = s->found[w];
	return left ? w * 64 + (size_t)__builtin_ctzll(left) : s->n;
}
