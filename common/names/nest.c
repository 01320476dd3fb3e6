/* SPDX-License-Identifier: ISC */
#include "names/nest.h"

#include <string.h>

enum { NEST_MAX = 128 }; /* open brackets */

const unsigned char nest_means[256] = {[' '] = NEST_BLANK,
    ['o'] = NEST_OPERATOR,
    ['"'] = NEST_ROUND,
    ['\''] = NEST_CLOSE | NEST_ROUND,
    ['-'] = NEST_CLOSE | NEST_SYMBOL,
    ['<'] = NEST_OPEN | NEST_SYMBOL,
    ['>'] = NEST_CLOSE | NEST_SYMBOL,
    ['('] = NEST_OPEN | NEST_ROUND,
    [')'] = NEST_CLOSE | NEST_ROUND,
    ['['] = NEST_OPEN,
    [']'] = NEST_CLOSE,
    ['{'] = NEST_OPEN,
    ['}'] = NEST_CLOSE,
    ['+'] = NEST_SYMBOL,
    ['*'] = NEST_SYMBOL,
    ['/'] = NEST_SYMBOL,
    ['%'] = NEST_SYMBOL,
    ['^'] = NEST_SYMBOL,
    ['&'] = NEST_SYMBOL,
    ['|'] = NEST_SYMBOL,
    ['~'] = NEST_SYMBOL,
    ['!'] = NEST_SYMBOL,
    ['='] = NEST_SYMBOL,
    [','] = NEST_SYMBOL};

enum { NO_BLANK = NEST_OPEN | NEST_CLOSE | NEST_OPERATOR };

/* Parts in brackets that are names, not parameters. */
size_t
nest_atom_of(const char *p, const char *end)
{
	static const char *const atoms[] = {"(anonymous namespace)",
	    "(anonymous class)", "(anonymous struct)", "(anonymous union)",
	    "(anonymous)", "(anon)"};

	for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
		if (nest_starts(p, end, atoms[i]))
			return strlen(atoms[i]);
	return 0;
}

static char
partner(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
}

/*
 * The length of the symbol after the word `operator`, 0 for a conversion such
 * as `operator bool`. `operator<<int>` is `<` with `<int>`.
 */
static size_t
operator_symbol(const char *p, const char *end)
{
	char c = p < end ? p[0] : 0, d = end - p > 1 ? p[1] : 0;
	char e = end - p > 2 ? p[2] : 0;

	if (c == '(' || c == '[')
		return d == partner(c) ? 2 : 0;
	if (!(nest_means[(unsigned char)c] & NEST_SYMBOL))
		return 0;
	if ((c == '<' && d == '=' && e == '>') ||
	    ((c == '<' || c == '>') && d == c && e == '=') ||
	    (c == '-' && d == '>' && e == '*'))
		return 3;
	if ((d == '=' && c != '~' && c != ',') || (c == '-' && d == '>') ||
	    (d == c && strchr("<>+-&|", c)))
		return c == '<' && (nest_is_word(e) || e == '(') ? 1 : 2;
	return 1;
}

const char *
nest_operator(const char *p, const char *end)
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
		if (nest_starts(p, end, words[i]) &&
		    (p + n == end || !nest_is_word(p[n])))
			return p + n;
	}
	return *p == ' ' ? p + 1 : p;
}

size_t
nest_char(const char *p, const char *end)
{
	if (end - p >= 4 && p[1] == '\\' && p[3] == '\'')
		return 4;
	return end - p >= 3 && p[2] == '\'' && p[1] != '\'' ? 3 : 0;
}

/* nest_match() of a bracket with more in it than words. */
static __attribute__((noinline)) const char *
match_deep(const char *begin, const char *p, const char *end)
{
	char stack[NEST_MAX];
	size_t n = 0;

	while (p < end) {
		char c = *p;

		if (nest_at_operator(begin, p, end)) {
			p = nest_operator(p, end);
			continue;
		}
		if (c == '\'' && nest_char(p, end)) {
			p += nest_char(p, end);
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
		p = nest_skip(p + 1, end, NO_BLANK);
	}
	return NULL;
}

const char *
nest_match(const char *begin, const char *p, const char *end)
{
	const char *q = nest_skip(p + 1, end, NO_BLANK);

	return q < end && *q == partner(*p) ? q : match_deep(begin, p, end);
}
