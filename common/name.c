/* SPDX-License-Identifier: ISC */
/*
 * The only file that knows how C++ and Rust names nest. All of it works on
 * the bytes; there are no copies but the result.
 */
#include "name.h"

#include <string.h>

#include "buf.h"

enum {
	NEST_MAX = 128,	   /* open brackets */
	SELF_MAX = 8,	   /* `<<<A as B> as C> as D>` */
	UNMATCHED_MAX = 64 /* brackets without partner, then it is text */
};

struct text {
	const char *p, *end;
};

static bool
has_prefix(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

static bool
is_ident(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

/* Parts in brackets that are names, not parameters. */
static size_t
atom_len(const char *p, const char *end)
{
	static const char *const atoms[] = {"(anonymous namespace)",
	    "(anonymous class)", "(anonymous struct)", "(anonymous union)",
	    "(anonymous)", "(anon)"};

	if (!has_prefix(p, end, "(anon"))
		return 0;
	for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
		if (has_prefix(p, end, atoms[i]))
			return strlen(atoms[i]);
	return 0;
}

/*
 * The symbol behind the word `operator`: its length, 0 if there is none (a
 * conversion such as `operator bool`). `operator<<int>` is `<` with `<int>`.
 */
static size_t
operator_symbol(const char *p, const char *end)
{
	static const char *const symbols[] = {"()", "[]", "<=>",
	    "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
	    "||", "++", "--",
	    "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<", ">", "+", "-",
	    "*", "/", "%", "^", "&", "|", "~", "!", "=", ","};

	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		size_t n = strlen(symbols[i]);

		if (!has_prefix(p, end, symbols[i]))
			continue;
		if (n == 2 && symbols[i][0] == '<' && p + n < end &&
		    (is_ident(p[n]) || p[n] == '('))
			continue;
		return n;
	}
	return 0;
}

/* Whether the word `operator` begins at p; begin is where the text begins. */
static bool
at_operator(const char *begin, const char *p, const char *end)
{
	return *p == 'o' && has_prefix(p, end, "operator") &&
	       (p == begin || !is_ident(p[-1])) &&
	       (p + 8 < end && !is_ident(p[8]));
}

/*
 * The byte behind the operator's name at p: its symbol, or for `new`,
 * `delete`, literals and conversions the blank behind `operator`.
 */
static const char *
operator_end(const char *p, const char *end)
{
	static const char *const words[] = {
	    " new[]", " delete[]", " new", " delete", " co_await"};
	size_t n;

	p += 8;
	n = operator_symbol(p, end);
	if (n)
		return p + n;
	if (*p == ' ' && (n = operator_symbol(p + 1, end)) != 0)
		return p + 1 + n;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		n = strlen(words[i]);
		if (has_prefix(p, end, words[i]) &&
		    (p + n == end || !is_ident(p[n])))
			return p + n;
	}
	return *p == ' ' ? p + 1 : p;
}

/* A character literal in a generic, `'('`: its length or 0. */
static size_t
char_literal(const char *p, const char *end)
{
	if (end - p >= 4 && p[1] == '\\' && p[3] == '\'')
		return 4;
	return end - p >= 3 && p[2] == '\'' && p[1] != '\'' ? 3 : 0;
}

static char
partner(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
}

/*
 * The bracket that closes the one at p, or NULL. An angle bracket is closed
 * also by the end of what it stands in: in `(a<b)` it is an operator.
 */
static const char *
match(const char *begin, const char *p, const char *end)
{
	char stack[NEST_MAX];
	size_t n = 0;

	while (p < end) {
		char c = *p;

		if (at_operator(begin, p, end)) {
			p = operator_end(p, end);
			continue;
		}
		if (c == '\'' && char_literal(p, end)) {
			p += char_literal(p, end);
			continue;
		}
		if (c == '-' && p + 1 < end && p[1] == '>') {
			p += 2;
			continue;
		}
		if (c == '<' || c == '(' || c == '[' || c == '{') {
			if (n == NEST_MAX)
				return NULL;
			stack[n++] = partner(c);
		} else if (c == '>') {
			if (stack[n - 1] == '>')
				n--;
		} else if (c == ')' || c == ']' || c == '}') {
			size_t k = n;

			while (k > 0 && stack[k - 1] == '>')
				k--;
			if (k == 0)
				return NULL;
			if (stack[k - 1] == c)
				n = k - 1;
		}
		if (n == 0)
			return p;
		p++;
	}
	return NULL;
}

/* The bracket that closes gdb's argument list at p, quotes respected. */
static const char *
match_arguments(const char *p, const char *end)
{
	size_t depth = 0;
	char quote = 0;

	for (; p < end; p++) {
		if (quote) {
			if (*p == '\\' && p + 1 < end)
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"') {
			quote = '"';
		} else if (*p == '\'' && char_literal(p, end)) {
			p += char_literal(p, end) - 1;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')' && --depth == 0) {
			return p;
		}
	}
	return NULL;
}

/* What may stand behind gdb's argument list. */
static bool
ends_frame(const char *p, const char *end)
{
	return p == end || has_prefix(p, end, " at ") ||
	       has_prefix(p, end, " from ") || has_prefix(p, end, " [i]");
}

/* Skips `0x1234 in ` and `<unavailable> in `. */
static const char *
skip_address(const char *p, const char *end)
{
	const char *q = p;

	if (has_prefix(p, end, "0x")) {
		q += 2;
		while (q < end && q - p < 20 &&
		       ((*q >= '0' && *q <= '9') || (*q >= 'a' && *q <= 'f')))
			q++;
	} else if (has_prefix(p, end, "<unavailable>")) {
		q += strlen("<unavailable>");
	} else {
		return p;
	}
	if (!has_prefix(q, end, " in "))
		return p;
	for (q += 4; q < end && *q == ' ';)
		q++;
	return q < end ? q : p;
}

/* Where gdb's argument list begins (its blank), or end. */
static const char *
find_arguments(const char *begin, const char *end)
{
	const char *p = begin, *first = NULL, *close;
	int unmatched = 0;

	/* the usual case: one blank before a bracket, the last one */
	first = memmem(begin, (size_t)(end - begin), " (", 2);
	if (first == NULL)
		return end;
	if (first > begin && end[-1] == ')' &&
	    memchr(first + 2, '(', (size_t)(end - first - 2)) == NULL &&
	    memchr(first + 2, ')', (size_t)(end - first - 2)) == end - 1 &&
	    !atom_len(first + 1, end) &&
	    memmem(begin, (size_t)(first - begin), "operator", 8) == NULL)
		return first;
	first = NULL;
	while (p < end && unmatched < UNMATCHED_MAX) {
		if (at_operator(begin, p, end)) {
			p = operator_end(p, end);
			continue;
		}
		if (*p == ' ' && p > begin && p + 1 < end && p[1] == '(' &&
		    !atom_len(p + 1, end)) {
			close = match_arguments(p + 1, end);
			if (close == NULL || ends_frame(close + 1, end))
				return p;
			if (first == NULL)
				first = p;
		}
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
			close = match(begin, p, end);
			if (close)
				p = close;
			else
				unmatched++;
		}
		p++;
	}
	return first ? first : end;
}

void
name_of_frame(
    const char *text, size_t len, bool gdb, const char **name, size_t *name_len)
{
	const char *end = text + len, *p, *stop;

	*name = text;
	*name_len = len;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (text == end)
		return;
	p = skip_address(text, end);
	stop = end;
	if (gdb && end - p <= NAME_MAX_LEN && !(*p == '<' && end[-1] == '>'))
		stop = find_arguments(p, end);
	else if (end - p > 6 && memcmp(end - 6, " (...)", 6) == 0)
		stop = end - 6;
	else if (end - p > 3 && memcmp(end - 3, " ()", 3) == 0)
		stop = end - 3;
	*name = p;
	*name_len = (size_t)(stop - p);
}

/* The state of stripping one name. */
struct strip {
	struct name_parts parts;
	struct buf *out;
	size_t begin; /* where this name begins in out */
	size_t word;  /* where its last word begins in out */
	bool had_params;
	bool conversion; /* behind `operator `: blanks belong to the type */
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
	    "guard variable for ", "TLS init function for ",
	    "TLS wrapper function for ", "vtable for ", "typeinfo for "};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (!has_prefix(p, end, prefixes[i]))
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
		if (*p == ' ' && has_prefix(p, end, word))
			return p;
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
			const char *close = match(begin, p, end);

			if (close == NULL)
				return NULL;
			p = close;
		}
	}
	return NULL;
}

/*
 * Narrows `A as B` and `impl B for A`, what stands in the angle brackets that
 * begin a Rust name, to A.
 */
static struct text
self_type(const char *p, const char *end)
{
	const char *w;

	if (has_prefix(p, end, "impl ") && (w = find_word(p, end, " for ")))
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
	close = match(t->p, t->p, t->end);
	if (close == NULL || *close != '>' ||
	    !has_prefix(close + 1, t->end, "::"))
		return NULL;
	a = self_type(t->p + 1, close);
	if (a.p == a.end)
		return NULL;
	*t = a;
	return close + 1;
}

/* Drops a `<...>`, and the `::` of `f::<T>` or `a::<impl B>::f`. */
static void
drop_generics(struct strip *s, const char *next, const char *end)
{
	struct buf *o = s->out;

	if (o->len - s->begin >= 2 && memcmp(o->p + o->len - 2, "::", 2) == 0 &&
	    (next == end || !is_ident(*next)))
		o->len -= 2;
}

/* Behind parameters: ` const`, ` &` and the like belong to them. */
static const char *
skip_qualifiers(const char *p, const char *end)
{
	static const char *const words[] = {
	    " const", " volatile", " noexcept", " restrict", " &&", " &"};
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			size_t n = strlen(words[i]);

			if (has_prefix(p, end, words[i]) &&
			    (p + n == end || !is_ident(p[n]))) {
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

/*
 * A bracket at p: takes it off, or copies it. Returns the byte behind what
 * was handled.
 */
static const char *
strip_bracket(
    struct strip *s, const char *begin, const char *p, const char *end)
{
	const char *close = NULL;
	size_t atom = *p == '(' ? atom_len(p, end) : 0;
	bool params;

	if (atom) {
		add(s, p, p + atom);
		return p + atom;
	}
	if (s->unmatched < UNMATCHED_MAX)
		close = match(begin, p, end);
	if (close == NULL) {
		s->unmatched++;
		add(s, p, p + 1);
		return p + 1;
	}
	params = *p == '(' && p > begin && p[-1] != ' ' &&
		 s->out->len > s->begin && !(p[-1] == '.' && p[1] == '*');
	if (params && s->parts.parameters)
		return drop_parameters(s, close, end);
	if (*p == '<' && s->parts.generics) {
		drop_generics(s, close + 1, end);
		return close + 1;
	}
	add(s, p, close + 1);
	return close + 1;
}

/* Copies the byte at p and those behind it that mean nothing here. */
static const char *
copy_plain(struct strip *s, const char *p, const char *end)
{
	const char *from = p++;

	while (p < end && *p != '<' && *p != '(' && *p != '[' && *p != '{' &&
	       *p != ' ' && *p != 'o')
		p++;
	add(s, from, p);
	return p;
}

/* The text from p on, up to end, without the parts. */
static void
strip_path(struct strip *s, const char *p, const char *end)
{
	const char *begin = p;

	while (p < end) {
		if (at_operator(begin, p, end)) {
			const char *e = operator_end(p, end);

			add(s, p, e);
			s->conversion = e[-1] == ' ';
			p = e;
			if (s->parts.generics && has_prefix(p, end, " <"))
				p++; /* `operator<< <int>` */
			continue;
		}
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
			p = strip_bracket(s, begin, p, end);
			continue;
		}
		if (*p == ' ' && has_prefix(p, end, " [clone ")) {
			add(s, p, end);
			return;
		}
		if (*p == ' ' && !s->conversion && !s->had_params)
			s->word = s->out->len + 1;
		p = copy_plain(s, p, end);
	}
}

void
name_strip(
    const char *name, size_t len, struct name_parts parts, struct buf *out)
{
	struct strip s = {.parts = parts, .out = out, .begin = out->len};
	const char *rests[SELF_MAX], *rest, *end = name + len;
	const char *ends[SELF_MAX];
	struct text t;
	size_t n = 0;

	s.word = s.begin;
	if (len > NAME_MAX_LEN || len == 0)
		return;
	if (name[0] == '<' && match(name, name, end) == end - 1)
		return; /* `<signal handler called>` */
	t.p = copy_prefix(&s, name, end);
	t.end = end;
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
}
