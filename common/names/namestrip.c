/* SPDX-License-Identifier: ISC */
/* Removes generics or parameters from C++ and Rust names. */
#include "names/name.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "names/nest.h"

struct text {
	char *p, *end;
};

/* The state of stripping one name. */
struct strip {
	char *begin, *end; /* of what remains */
	char *word;	   /* where its last word begins */
	bool had_params;
};

static void
add(struct strip *s, const char *p, const char *end)
{
	memcpy(s->end, p, (size_t)(end - p));
	s->end += end - p;
}

/* The length of words that demanglers put before a whole name. */
static size_t
prefix_len(const char *p, const char *end)
{
	static const char *const prefixes[] = {"non-virtual thunk to ",
	    "virtual thunk to ", "covariant return thunk to ",
	    "transaction clone for ", "non-transaction clone for ",
	    "TLS init function for ", "TLS wrapper function for ",
	    "guard variable for ", "vtable for ", "VTT for ", "typeinfo for ",
	    "typeinfo name for "};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (*prefixes[i] == *p && nest_starts(p, end, prefixes[i]))
			return strlen(prefixes[i]);
	return 0;
}

/* Finds ` as ` or ` for ` outside of brackets. */
static const char *
find_word(const char *p, const char *end, const char *word)
{
	struct nest n = nest_walk(p, end);
	enum nest_part part;

	while ((part = nest_next(&n)) != NEST_END && n.unmatched == 0)
		if (part == NEST_BLANK && nest_starts(n.part, end, word))
			return n.part;
	return NULL;
}

/*
 * Makes `A::f` of `<A as B>::f`, `<A>::f` and `<impl B for A>::f`; false when
 * the name does not begin so.
 */
static bool
open_self(struct text *t)
{
	struct nest n = nest_walk(t->p, t->end);
	const char *p = t->p + 1, *end, *word;

	if (!nest_starts(t->p, t->end, "<") || nest_next(&n) != NEST_BRACKET ||
	    !nest_starts(n.next, t->end, "::"))
		return false;
	end = n.next - 1;
	if (nest_starts(p, end, "impl ") && (word = find_word(p, end, " for ")))
		p = word + strlen(" for ");
	else if ((word = find_word(p, end, " as ")))
		end = word;
	if (p == end)
		return false;
	t->p += (n.next - t->p) - (end - p);
	memmove(t->p, p, (size_t)(end - p));
	return true;
}

/*
 * Whether a `<...>` is a name that Python or Ruby gives: `<listcomp>`,
 * `f.<locals>.<lambda>`, `block in <main>`.
 */
static bool
is_label(const struct nest *n)
{
	static const char *const labels[] = {"main>", "module>", "listcomp>",
	    "dictcomp>", "setcomp>", "genexpr>", "lambda>", "locals>",
	    "class:", "module:", "top ("};

	if (n->part > n->begin && nest_is_word(n->part[-1]))
		return false;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		if (nest_starts(n->part + 1, n->next, labels[i]))
			return true;
	return false;
}

/* Drops a `<...>`, and the `::` of `f::<T>` or `a::<impl B>::f`. */
static bool
drop_generics(struct strip *s, const struct nest *n)
{
	if (*n->part != '<' || is_label(n))
		return false;
	/* not Python's `<listcomp> (a.py:3)` */
	if (s->end == s->begin && !nest_starts(n->next, n->end, "::"))
		return false;
	if (bytes_ends(s->begin, (size_t)(s->end - s->begin), "::") &&
	    (n->next == n->end || !nest_is_word(*n->next)))
		s->end -= 2;
	return true;
}

/* The length of ` const`, ` &` or the like at p, or 0. */
static size_t
qualifier_len(const char *p, const char *end)
{
	static const char *const words[] = {
	    " const", " volatile", " noexcept", " restrict", " &&", " &"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (nest_starts(p, end, words[i]) &&
		    (p + n == end || !nest_is_word(p[n])))
			return n;
	}
	return 0;
}

/* Whether a bracket is of a `decltype(nullptr)`: a type, no parameters. */
static bool
after_decltype(const char *begin, const char *p)
{
	size_t len = (size_t)(p - begin), n = strlen("decltype");

	return bytes_ends(begin, len, "decltype") &&
	       (len == n || !nest_is_word(begin[len - n - 1]));
}

/* Drops parameters, what qualifies them, and the return type before. */
static bool
drop_parameters(struct strip *s, struct nest *n)
{
	const char *p = n->part;
	size_t more;

	if (*p != '(' || p == n->begin || p[-1] == ' ' || s->end == s->begin ||
	    n->begin + strspn(n->begin, "&*") == p || /* `&()` is a type */
	    (p[-1] == '.' && p[1] == '*') || after_decltype(n->begin, p))
		return false;
	if (!s->had_params) {
		memmove(s->begin, s->word, (size_t)(s->end - s->word));
		s->end -= s->word - s->begin;
	}
	s->had_params = true;
	if (nest_starts(n->next, n->end, " requires "))
		n->next = n->end;
	while ((more = qualifier_len(n->next, n->end)) > 0)
		n->next += more;
	return true;
}

/*
 * `int (*f(char))(long)` returns a pointer to a function: where its name begins
 * in the bracket, after a `*`, `&` or `A::*`. NULL if the bracket is another.
 */
static const char *
declared(const struct nest *n)
{
	const char *p = n->part, *close = n->next - 1;

	if (*p != '(' || (p > n->begin && p[-1] != ' ') || close[-1] == '*' ||
	    !(nest_starts(n->next, n->end, "(") ||
		nest_starts(n->next, n->end, "[")))
		return NULL;
	for (p++; nest_is_word(*p) || *p == ':';)
		p++;
	return (*p == '*' || *p == '&') && memchr(p, '(', (size_t)(close - p))
		   ? p + 1
		   : NULL;
}

/* Adds the text without generics. */
static void
strip_generics(struct strip *s, struct nest n)
{
	enum nest_part part;

	while ((part = nest_next(&n)) != NEST_END) {
		if (part == NEST_BRACKET && drop_generics(s, &n))
			continue;
		if (part == NEST_BLANK &&
		    nest_starts(n.part, n.end, " [clone "))
			n.next = n.end;
		add(s, n.part, n.next);
		if (part == NEST_OPERATOR)
			n.next += nest_starts(n.next, n.end, " <");
	}
}

/* Adds the text without parameters. */
static void
strip_parameters(struct strip *s, struct nest n)
{
	bool conversion = false; /* blanks belong to its type */
	const char *inner;
	enum nest_part part;

	while ((part = nest_next(&n)) != NEST_END) {
		if (part == NEST_BRACKET && !conversion && n.unmatched == 0 &&
		    (inner = declared(&n))) {
			n = nest_walk(inner, n.next - 1);
			s->end = s->word = s->begin;
			s->had_params = false;
			continue;
		}
		if (part == NEST_BRACKET && drop_parameters(s, &n)) {
			conversion = false;
			continue;
		}
		if (part == NEST_BLANK &&
		    nest_starts(n.part, n.end, " [clone "))
			n.next = n.end;
		else if (part == NEST_BLANK && !conversion)
			s->word = s->end + 1;
		else if (part == NEST_OPERATOR) {
			conversion = n.next[-1] == ' ';
			n.next += nest_starts(n.next, n.end, " <");
		}
		add(s, n.part, n.next);
	}
}

/* Where the last of a compiler's suffixes at a name's end begins, or len. */
static size_t
suffix_at(const char *p, size_t len)
{
	static const char *const words[] = {
	    "part", "isra", "constprop", "cold", "lto_priv"};
	size_t n = len, at;

	if (p[len - 1] == ']') {
		const char *open = memrchr(p, '[', len);

		return open && open > p && open[-1] == ' ' &&
			       nest_starts(open, p + len, "[clone ")
			   ? (size_t)(open - 1 - p)
			   : len;
	}
	while (
	    n > 0 && ((p[n - 1] >= '0' && p[n - 1] <= '9') || p[n - 1] == '.'))
		n--;
	if (n > 0 && n < len && p[n - 1] == '_') { /* @GLIBC_2.14 */
		for (at = n - 1;
		     at > 0 && p[at - 1] >= 'A' && p[at - 1] <= 'Z';)
			at--;
		if (at < n - 1 && at > 0 && p[at - 1] == '@')
			return at - 1 - (at > 1 && p[at - 2] == '@');
	}
	if (n < len && (p[n] != '.' || n + 1 == len ||
			   memchr(p + n + 1, '.', len - n - 1)))
		return len; /* not `.0` */
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		at = n - strlen(words[i]) - 1;
		if (n > strlen(words[i]) + 1 && p[at] == '.' &&
		    nest_is_word(p[at - 1]) && bytes_ends(p, n, words[i]))
			return at;
	}
	return len;
}

void
name_strip(const char *name, size_t len, enum name_part part, struct buf *out)
{
	struct strip s = {0};
	struct text t;
	size_t left;

	if (len > NAME_MAX_LEN || len == 0)
		return;
	if (part == NAME_SUFFIX) {
		while (len > 1 && (left = suffix_at(name, len)) < len && left)
			len = left;
		buf_add(out, name, len);
		return;
	}
	/* a copy, after it what remains */
	buf_room(out, 2 * len + 1);
	t.p = out->p + out->len;
	t.end = s.begin = s.end = s.word = t.p + len;
	memcpy(t.p, name, len);
	left = prefix_len(t.p, t.end);
	add(&s, t.p, t.p + left);
	s.begin = s.word = s.end;
	t.p += left;
	if (part == NAME_GENERICS) {
		while (open_self(&t))
			;
		strip_generics(&s, nest_walk(t.p, t.end));
	} else {
		strip_parameters(&s, nest_walk(t.p, t.end));
	}
	*s.end = 0;
	s.begin = out->p + out->len + len;
	left = (size_t)(s.end - s.begin);
	/* not blanks; nor a misread bracket that took the name's first part */
	if (strspn(s.begin, " ") < left &&
	    (!bytes_starts(s.begin, left, "::") || name[0] == ':')) {
		memmove(out->p + out->len, s.begin, left);
		out->len += left;
	}
}
