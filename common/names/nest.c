/* SPDX-License-Identifier: ISC */
#include "names/nest.h"

enum { OPEN_MAX = 128, UNMATCHED_MAX = 64 };

/* Where a byte may mean something; `o` may begin the word `operator`. */
enum { INSIDE = 1, OUTSIDE = 2, BOTH = INSIDE | OUTSIDE };

static const unsigned char stops[256] = {[' '] = OUTSIDE,
    ['o'] = BOTH,
    ['<'] = BOTH,
    ['('] = BOTH,
    ['['] = BOTH,
    ['{'] = BOTH,
    ['>'] = INSIDE,
    [')'] = INSIDE,
    [']'] = INSIDE,
    ['}'] = INSIDE,
    ['\''] = INSIDE,
    ['-'] = INSIDE};

/* The first such byte from p on, or end. */
static inline const char *
skip_plain(const char *p, const char *end, int where)
{
	for (;; p++) {
		while (p < end && !(stops[(unsigned char)*p] & where))
			p++;
		if (p == end || *p != 'o' || (end - p > 8 && p[1] == 'p'))
			return p;
	}
}

size_t
nest_atom(const char *p, const char *end)
{
	static const char *const atoms[] = {"(anonymous namespace)",
	    "(anonymous class)", "(anonymous struct)", "(anonymous union)",
	    "(anonymous)", "(anon)"};

	if (!nest_starts(p, end, "(anon"))
		return 0;
	for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
		if (nest_starts(p, end, atoms[i]))
			return strlen(atoms[i]);
	return 0;
}

size_t
nest_char(const char *p, const char *end)
{
	if (end - p >= 4 && p[1] == '\\' && p[3] == '\'')
		return 4;
	return end - p >= 3 && p[2] == '\'' && p[1] != '\'' ? 3 : 1;
}

/* Whether the word `operator` begins at p; begin is where the text begins. */
static inline bool
is_operator(const char *begin, const char *p, const char *end)
{
	return *p == 'o' && end - p > 8 && memcmp(p, "operator", 8) == 0 &&
	       (p == begin || !nest_is_word(p[-1])) && !nest_is_word(p[8]);
}

/*
 * The byte after the symbol of the operator at p or, for literals and
 * conversions such as `operator bool`, after its blank.
 */
static const char *
skip_operator(const char *p, const char *end)
{
	static const char *const symbols[] = {"()", "[]", "<=>",
	    "<<=", ">>=", "->*", "->", "<<", ">>", "++", "--", "&&", "||",
	    "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "^=", "&=",
	    "|=", "<", ">", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!",
	    "=", ",", "new[]", "delete[]", "new", "delete", "co_await"};

	p += strlen("operator");
	p += *p == ' ';
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		const char *next;
		bool word;

		if (!nest_starts(p, end, symbols[i]))
			continue;
		next = p + strlen(symbols[i]);
		word = next < end && nest_is_word(*next);
		if (word && nest_is_word(next[-1]))
			continue;
		/* `operator<<int>` is `<` with `<int>` */
		if (strcmp(symbols[i], "<<") != 0 ||
		    !(word || nest_starts(next, end, "(")))
			return next;
	}
	return p;
}

/* The bracket that closes the one at p, or NULL. */
static const char *
match(const char *begin, const char *p, const char *end)
{
	char open[OPEN_MAX]; /* the ends of what is open */
	size_t n = 0;

	for (; p < end; p = skip_plain(p, end, INSIDE)) {
		const char c = *p++;
		size_t k = n;

		switch (c) {
		case 'o':
			if (is_operator(begin, p - 1, end))
				p = skip_operator(p - 1, end);
			break;
		case '\'':
			p += nest_char(p - 1, end) - 1;
			break;
		case '-':
			p += p < end && *p == '>';
			break;
		case '<':
		case '(':
		case '[':
		case '{':
			if (n == OPEN_MAX)
				return NULL;
			open[n++] = (char)(c == '(' ? ')' : c + 2);
			break;
		case '>':
			n -= open[n - 1] == '>';
			break;
		case ')':
		case ']':
		case '}':
			while (k > 0 && open[k - 1] == '>')
				k--;
			if (k == 0)
				return NULL;
			if (open[k - 1] == c)
				n = k - 1;
			break;
		}
		if (n == 0)
			return p - 1;
	}
	return NULL;
}

enum nest_part
nest_next(struct nest *n)
{
	const char *p = n->part = n->next, *end = n->end, *close;

	if (p == end)
		return NEST_END;
	n->next = end;
	if (n->unmatched == UNMATCHED_MAX)
		return NEST_TEXT;
	if (is_operator(n->begin, p, end)) {
		n->next = skip_operator(p, end);
		return NEST_OPERATOR;
	}
	if (*p == '(' && nest_atom(p, end)) {
		n->next = p + nest_atom(p, end);
		return NEST_TEXT;
	}
	if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
		close = match(n->begin, p, end);
		if (close) {
			n->next = close + 1;
			return NEST_BRACKET;
		}
		n->unmatched++;
	}
	n->next = skip_plain(p + 1, end, OUTSIDE);
	return *p == ' ' ? NEST_BLANK : NEST_TEXT;
}
