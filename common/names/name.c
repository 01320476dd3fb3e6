/* SPDX-License-Identifier: ISC */
/* What gdb prints around a frame's name. */
#include "names/name.h"

#include <ctype.h>
#include <string.h>

#include "names/nest.h"

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
		} else if (*p == '\'') {
			p += nest_char(p, end) - 1;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')' && --depth == 0) {
			return p;
		}
	}
	return NULL;
}

/* What may follow gdb's argument list. */
static bool
ends_frame(const char *p, const char *end)
{
	return p == end || nest_starts(p, end, " at ") ||
	       nest_starts(p, end, " from ") || nest_starts(p, end, " [i]");
}

/* Skips `0x1234 in `, `0x1234 [PAC] in ` and `<unavailable> in `. */
static const char *
skip_address(const char *p, const char *end)
{
	const char *q = p;

	if (nest_starts(p, end, "0x")) {
		/* whatever the digits are */
		while (q < end && q - p < 18 && *q != ' ')
			q++;
		if (nest_starts(q, end, " [PAC]"))
			q += strlen(" [PAC]");
	} else if (nest_starts(p, end, "<unavailable>")) {
		q += strlen("<unavailable>");
	} else {
		return p;
	}
	if (!nest_starts(q, end, " in "))
		return p;
	for (q += 4; q < end && *q == ' ';)
		q++;
	return q < end ? q : p;
}

/*
 * eu-stack writes `0x1234 main`, `0x1234 - 1 main` or `0x1234 main - 1` for a
 * return address, and with -m ` - /lib/libc.so.6` or ` - [vdso: 12]` after it.
 * Cuts all but the name, or all but the address if there is none; false for
 * other text.
 */
static bool
cut_eu_stack(const char **p, const char **end)
{
	size_t address = name_address(*p, (size_t)(*end - *p));
	const char *q = *p + address, *module;

	if (address == 0 || q == *end || nest_starts(q, *end, " in "))
		return false;
	for (module = q; module < *end; module++)
		if (nest_starts(module, *end, " - /") ||
		    nest_starts(module, *end, " - ["))
			*end = module;
	if (nest_starts(q, *end, " - 1") && (q + 4 == *end || q[4] == ' '))
		q += 4;
	while (q < *end && *q == ' ')
		q++;
	if (q == *end) {
		*end = *p + address;
		return true;
	}
	if (*q == '[') /* `[PAC] in` is gdb's */
		return false;
	if (*end - q > 4 && memcmp(*end - 4, " - 1", 4) == 0)
		*end -= 4;
	*p = q;
	return true;
}

/* The next such byte after p, or NULL. */
static const char *
after(const char *p, const char *end, char c)
{
	return memchr(p + 1, c, (size_t)(end - p - 1));
}

/*
 * Whether no list of arguments begins at a ` (` before last: all brackets are
 * pairs, and nothing that ends a frame follows one.
 */
static bool
has_no_arguments(const char *p, const char *last, const char *end)
{
	const char *open = p, *close;
	size_t depth = 0;

	do
		open = after(open, last, '(');
	while (open && open[-1] != ' ');
	if (open == NULL)
		return true;
	if (after(open, last, '"') || after(open, last, '\''))
		return false;
	for (close = after(open, last, ')'); close;
	     close = after(close, last, ')')) {
		for (; open && open < close; open = after(open, last, '('))
			depth++;
		if (depth-- == 0 || ends_frame(close + 1, end))
			return false;
	}
	return depth == 0 && open == NULL;
}

/* Where the ` ()` or ` (...)` with which most texts end begins, or end. */
static const char *
empty_arguments(const char *begin, const char *end)
{
	if (end - begin > 6 && memcmp(end - 6, " (...)", 6) == 0)
		return end - 6;
	return end - begin > 3 && memcmp(end - 3, " ()", 3) == 0 ? end - 3
								 : end;
}

/* Where gdb's argument list begins (its blank), or end. */
static const char *
find_arguments(const char *begin, const char *end)
{
	struct nest n = nest_walk(begin, end);
	const char *first = empty_arguments(begin, end);
	enum nest_part part;

	/* `operator ()` is a name */
	if (first < end && has_no_arguments(begin, first, end) &&
	    !(first - begin >= 8 && memcmp(first - 8, "operator", 8) == 0))
		return first;
	first = end;
	while ((part = nest_next(&n)) != NEST_END) {
		const char *p = n.part, *close;

		if (part != NEST_BLANK || p == begin ||
		    !nest_starts(p, end, " (") || nest_atom(p + 1, end))
			continue;
		close = match_arguments(p + 1, end);
		if (close == NULL)
			return p;
		if (close[-1] == '*') /* of a type: `void (A::*)()` */
			continue;
		if (ends_frame(close + 1, end))
			return p;
		if (first == end && close[1] != '(' && close[1] != '[')
			first = p;
	}
	return first;
}

void
name_of_frame(
    const char *text, size_t len, bool gdb, const char **name, size_t *name_len)
{
	const char *end, *p, *stop;

	*name = text;
	*name_len = len;
	if (len == 0 || /* text may be NULL */
	    (memchr(text, ' ', len) == NULL && text[0] != '\t' &&
		text[len - 1] != '\t'))
		return;
	end = text + len;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (text == end)
		return;
	p = text;
	if (gdb && *p == '0' && cut_eu_stack(&p, &end)) {
		*name = p;
		*name_len = (size_t)(end - p);
		return;
	}
	p = skip_address(text, end);
	stop = end;
	if (gdb && end - p == 2 && p > text && p[-1] == ' ' && p[-2] == ' ' &&
	    p[0] == '(' && p[1] == ')') { /* `0x1 in  ()` */
		*name = "??";
		*name_len = 2;
		return;
	}
	if (gdb && end - p <= NAME_MAX_LEN && !(*p == '<' && end[-1] == '>'))
		stop = find_arguments(p, end);
	else
		stop = empty_arguments(p, end);
	*name = p;
	*name_len = (size_t)(stop - p);
}

size_t
name_address(const char *text, size_t len)
{
	size_t n = 2;

	if (len < 3 || text[0] != '0' || text[1] != 'x')
		return 0;
	while (n < len && n < 18 && isxdigit((unsigned char)text[n]))
		n++;
	return n > 2 && (n == len || text[n] == ' ') ? n : 0;
}

size_t
name_line(const char *text, size_t len)
{
	static const char at[] = " at ", tail[] = " [tail call]";
	const char *end = text + len, *p;

	if (len > sizeof tail && nest_starts(end - strlen(tail), end, tail))
		end -= strlen(tail);
	for (p = end; p > text && isdigit((unsigned char)p[-1]);)
		p--;
	if (p == end || p == text || p[-1] != ':')
		return len;
	for (p -= 2; p > text + strlen(at); p--)
		if (nest_starts(p - strlen(at), end, at))
			return (size_t)(p - text) - strlen(at);
	return len;
}

size_t
name_annotation(const char *name, size_t len)
{
	const char *a = name + len - 4;

	return len > 4 && a[0] == '_' && a[1] == '[' && a[2] &&
		       strchr("kijw", a[2]) && a[3] == ']'
		   ? 4
		   : 0;
}
