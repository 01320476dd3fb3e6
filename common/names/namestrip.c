/* SPDX-License-Identifier: ISC */
/* Removes generics and parameters from C++ and Rust names in one pass. */
#include "names/name.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "names/nest.h"

enum {
	PREFIX_MAX = 26,   /* see copy_prefix() */
	SELF_MAX = 8,	   /* `<<<A as B> as C> as D>` */
	UNMATCHED_MAX = 64 /* unmatched brackets; beyond, they are text */
};

struct text {
	const char *p, *end;
};

/* The state of stripping one name. */
struct strip {
	struct name_parts parts;
	struct buf *out;
	size_t begin; /* where this name begins in out */
	size_t word;  /* where its last word begins in out */
	bool had_params;
	bool conversion; /* after `operator `: blanks belong to the type */
	int unmatched;
};

static void
add(struct strip *s, const char *p, const char *end)
{
	buf_add(s->out, p, (size_t)(end - p));
}

/* Words that demanglers put before a whole name. */
static const char *
copy_prefix(struct strip *s, const char *p, const char *end)
{
	static const char *const prefixes[] = {"non-virtual thunk to ",
	    "virtual thunk to ", "covariant return thunk to ",
	    "transaction clone for ", "non-transaction clone for ",
	    "TLS init function for ", "TLS wrapper function for ",
	    "guard variable for ", "vtable for ", "VTT for ", "typeinfo for ",
	    "typeinfo name for "};
	size_t most =
	    (size_t)(end - p) < PREFIX_MAX ? (size_t)(end - p) : PREFIX_MAX;

	if (most == 0 || memchr(p, ' ', most) == NULL)
		return p;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (!nest_starts(p, end, prefixes[i]))
			continue;
		add(s, p, p + strlen(prefixes[i]));
		s->begin = s->word = s->out->len;
		return p + strlen(prefixes[i]);
	}
	return p;
}

/* Finds ` as ` or ` for ` outside of brackets. */
static const char *
find_word(const char *p, const char *end, const char *word)
{
	const char *begin = p;

	for (; p < end; p++) {
		if (*p == ' ' && nest_starts(p, end, word))
			return p;
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
			const char *close = nest_match(begin, p, end);

			if (close == NULL)
				return NULL;
			p = close;
		}
	}
	return NULL;
}

/*
 * Narrows `A as B` and `impl B for A`, from the angle brackets that begin a
 * Rust name, to A.
 */
static struct text
self_type(const char *p, const char *end)
{
	const char *w;

	if (nest_starts(p, end, "impl ") && (w = find_word(p, end, " for ")))
		return (struct text){w + 5, end};
	if ((w = find_word(p, end, " as ")))
		return (struct text){p, w};
	return (struct text){p, end};
}

/*
 * `<A as B>::f` and `<A>::f`: moves *t to A and returns the rest, `::f`, or
 * NULL when the name does not begin so.
 */
static const char *
open_self(struct text *t)
{
	const char *close;
	struct text a;

	if (t->p == t->end || *t->p != '<')
		return NULL;
	close = nest_match(t->p, t->p, t->end);
	if (close == NULL || *close != '>' ||
	    !nest_starts(close + 1, t->end, "::"))
		return NULL;
	a = self_type(t->p + 1, close);
	if (a.p == a.end)
		return NULL;
	*t = a;
	return close + 1;
}

/* The byte after the `*`, `&` or `A::*` that begins a declarator, or NULL. */
static const char *
declared(const char *p, const char *end)
{
	while (p < end && (nest_is_word(*p) || *p == ':'))
		p++;
	return p < end && (*p == '*' || *p == '&') ? p + 1 : NULL;
}

/*
 * `int (*f(char))(long)` returns a pointer to a function: narrows *t to what
 * stands in the brackets, `f(char)`.
 */
static bool
open_declarator(struct text *t)
{
	const char *p = t->p, *close, *inner;

	while (p < t->end) {
		if (nest_at_operator(t->p, p, t->end)) {
			p = nest_operator(p, t->end);
			if (p[-1] == ' ')
				return false; /* a conversion to such a type */
			continue;
		}
		if (*p != '<' && *p != '(' && *p != '[' && *p != '{') {
			p = nest_skip(p + 1, t->end, NEST_OPEN | NEST_OPERATOR);
			continue;
		}
		close = nest_match(t->p, p, t->end);
		if (close == NULL)
			return false;
		inner = *p == '(' ? declared(p + 1, close) : NULL;
		if (inner && (p == t->p || p[-1] == ' ') && close[-1] != '*' &&
		    close + 1 < t->end &&
		    (close[1] == '(' || close[1] == '[') &&
		    memchr(inner, '(', (size_t)(close - inner))) {
			t->p = inner;
			t->end = close;
			return true;
		}
		p = close + 1;
	}
	return false;
}

/* Drops a `<...>`, and the `::` of `f::<T>` or `a::<impl B>::f`. */
static void
drop_generics(struct strip *s, const char *next, const char *end)
{
	struct buf *o = s->out;

	if (o->len - s->begin >= 2 && memcmp(o->p + o->len - 2, "::", 2) == 0 &&
	    (next == end || !nest_is_word(*next)))
		o->len -= 2;
}

/* After parameters: ` const`, ` &` and the like belong to them. */
static const char *
skip_qualifiers(const char *p, const char *end)
{
	static const char *const words[] = {
	    " const", " volatile", " noexcept", " restrict", " &&", " &"};
	bool again = true;

	if (nest_starts(p, end, " requires "))
		return end;
	while (again) {
		again = false;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			size_t n = strlen(words[i]);

			if (nest_starts(p, end, words[i]) &&
			    (p + n == end || !nest_is_word(p[n]))) {
				p += n;
				again = true;
			}
		}
	}
	return p;
}

/* Drops parameters that end at close, and the return type before the name. */
static const char *
drop_parameters(struct strip *s, const char *close, const char *end)
{
	struct buf *o = s->out;

	if (!s->had_params && s->word > s->begin) {
		memmove(o->p + s->begin, o->p + s->word, o->len - s->word);
		o->len -= s->word - s->begin;
	}
	s->had_params = true;
	s->conversion = false;
	s->word = s->begin;
	return skip_qualifiers(close + 1, end);
}

/* Whether the `(` at p is of a `decltype(nullptr)`: a type, no parameters. */
static bool
after_decltype(const char *begin, const char *p)
{
	size_t len = (size_t)(p - begin), n = strlen("decltype");

	return bytes_ends(begin, len, "decltype") &&
	       (len == n || !nest_is_word(begin[len - n - 1]));
}

/* Removes or copies what the bracket at p opens; returns the byte after it. */
static const char *
strip_bracket(
    struct strip *s, const char *begin, const char *p, const char *end)
{
	const char *close = NULL;
	size_t atom = *p == '(' ? nest_atom(p, end) : 0;
	bool params;

	if (atom) {
		add(s, p, p + atom);
		return p + atom;
	}
	if (s->unmatched < UNMATCHED_MAX)
		close = nest_match(begin, p, end);
	if (close == NULL) {
		s->unmatched++;
		add(s, p, p + 1);
		return p + 1;
	}
	params = *p == '(' && p > begin && p[-1] != ' ' &&
		 s->out->len > s->begin &&
		 begin + strspn(begin, "&*") != p && /* `&()` is a type */
		 !(p[-1] == '.' && p[1] == '*') && !after_decltype(begin, p);
	if (params && s->parts.parameters)
		return drop_parameters(s, close, end);
	/* not Python's `<listcomp> (a.py:3)` */
	if (*p == '<' && s->parts.generics &&
	    (s->out->len > s->begin || nest_starts(close + 1, end, "::"))) {
		drop_generics(s, close + 1, end);
		return close + 1;
	}
	add(s, p, close + 1);
	return close + 1;
}

/* Copies the byte at p and the plain bytes after it. */
static const char *
copy_plain(struct strip *s, const char *p, const char *end)
{
	const char *from = p;

	p = nest_skip(p + 1, end, NEST_OPEN | NEST_BLANK | NEST_OPERATOR);
	add(s, from, p);
	return p;
}

static bool
is_blank(const struct buf *b, size_t from)
{
	while (from < b->len && b->p[from] == ' ')
		from++;
	return from == b->len;
}

/* The text from p on, up to end, without the parts. */
static void
strip_path(struct strip *s, const char *p, const char *end)
{
	const char *begin = p;

	while (p < end) {
		if (nest_at_operator(begin, p, end)) {
			const char *e = nest_operator(p, end);

			add(s, p, e);
			s->conversion = e[-1] == ' ';
			p = e;
			if (!nest_starts(p, end, " <"))
				continue;
			if (!s->parts.generics)
				add(s, p, p + 1);
			p++; /* `operator<< <int>` */
			continue;
		}
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
			p = strip_bracket(s, begin, p, end);
			continue;
		}
		if (*p == ' ' && nest_starts(p, end, " [clone ")) {
			add(s, p, end);
			return;
		}
		if (*p == ' ' && !s->conversion && !s->had_params)
			s->word = s->out->len + 1;
		p = copy_plain(s, p, end);
	}
}

/* Whether a `(` may begin parameters or a declarator: see strip_bracket(). */
static bool
may_have_parameters(const char *name, size_t len)
{
	const char *p = name, *end = name + len;

	if (memchr(name, '*', len) || memchr(name, '&', len))
		return true;
	for (; (p = nest_skip(p, end, NEST_ROUND)) < end; p++)
		if (*p == '(' && p > name && p[-1] != ' ')
			return true;
	return false;
}

void
name_strip(
    const char *name, size_t len, struct name_parts parts, struct buf *out)
{
	struct strip s = {.parts = parts, .out = out, .begin = out->len};
	const char *rests[SELF_MAX], *rest, *end = name + len;
	const char *ends[SELF_MAX];
	struct text t;
	size_t n = 0, begin = out->len;

	s.word = s.begin;
	if (len > NAME_MAX_LEN || len == 0)
		return;
	if (name[0] == '<' && nest_match(name, name, end) == end - 1)
		return; /* `<signal handler called>` */
	if (!parts.generics && !may_have_parameters(name, len)) {
		buf_add(out, name, len);
		return;
	}
	t.p = copy_prefix(&s, name, end);
	t.end = end;
	if (parts.parameters && memchr(t.p, '(', (size_t)(end - t.p)))
		for (int i = 0; i < SELF_MAX && open_declarator(&t); i++)
			;
	while (parts.generics && n < SELF_MAX) {
		ends[n] = t.end;
		rest = open_self(&t);
		if (rest == NULL)
			break;
		rests[n++] = rest;
	}
	strip_path(&s, t.p, t.end);
	while (n-- > 0) {
		s.had_params = false;
		s.word = s.begin;
		strip_path(&s, rests[n], ends[n]);
	}
	/* a misread bracket has taken the name's first part */
	if (out->len - begin >= 2 && memcmp(out->p + begin, "::", 2) == 0 &&
	    name[0] != ':')
		out->len = begin;
	if (is_blank(out, begin))
		out->len = begin;
}
