/* SPDX-License-Identifier: ISC */
#include "names/literal.h"

#include <string.h>

struct scan {
	const char *p, *end;
	char *to;
	size_t run, best; /* lengths; the best stands first in `to` */
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

static uint16_t
gram_at(const char *p)
{
	uint32_t v;

	memcpy(&v, p, GRAM);
	return (uint16_t)((v * 0x9e3779b1u) >> 20);
}

uint8_t
grams_some(const char *literal, size_t len, uint16_t *bits)
{
	size_t have = len < GRAM ? 0 : len - GRAM + 1;
	size_t n = have < GRAMS_MAX ? have : GRAMS_MAX;

	/* evenly spread, the last first, since names begin alike */
	for (size_t i = 0; i < n; i++)
		bits[i] = gram_at(literal + (n - i) * have / n - 1);
	return (uint8_t)n;
}

void
grams_of(struct grams *g, const char *text, size_t len)
{
	memset(g, 0, sizeof *g);
	for (size_t i = 0; i + GRAM <= len; i++) {
		unsigned bit = gram_at(text + i);

		g->bits[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}
