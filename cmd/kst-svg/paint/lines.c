/* SPDX-License-Identifier: ISC */
/*
 * Where a frame itself was most: the frames right above it that are lines of
 * source, such as `lines.c:79`, as `kst-clean --lines` and `kst-count --lines`
 * write them.
 */
#include "base/bytes.h"
#include "set/intern.h"
#include "paint/number.h"
#include "io/out.h"
#include "paint/paint.h"
#include "paint/text.h"
#include "read/read.h"
#include "frames/tree.h"

enum { LINES_SHOWN = 3, ENDING_MAX = 5 };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* FILE.ENDING:LINE, as the script's details.js takes it. */
static bool
is_line(struct piece name)
{
	size_t colon = name.len, dot;

	while (colon > 0 && is_digit(name.p[colon - 1]))
		colon--;
	if (colon == name.len || colon-- == 0 || name.p[colon] != ':')
		return false;
	for (dot = colon; dot > 0 && name.p[dot - 1] != '.'; dot--)
		if (!is_letter(name.p[dot - 1]) && name.p[dot - 1] != '_' &&
		    !is_digit(name.p[dot - 1]))
			return false;
	if (dot < 2 || colon - dot > ENDING_MAX || !is_letter(name.p[dot]))
		return false;
	for (size_t i = 0; i < dot; i++)
		if (memchr(" ()@[]:\t", name.p[i], 8) != NULL)
			return false;
	return true;
}

/* The heaviest first; of equal ones the one that comes first. */
static size_t
find_lines(const struct tree *t, uint32_t i, uint32_t *line)
{
	size_t n = 0;

	for (uint32_t c = i + 1; c < t->nodes[i].end; c = t->nodes[c].end) {
		struct piece name;
		size_t at = n;

		name.p = intern_str(t->names, t->nodes[c].name, &name.len);
		if (!is_line(name))
			continue;
		while (at > 0 &&
		       tree_total(t, line[at - 1], 0) < tree_total(t, c, 0))
			at--;
		if (at == LINES_SHOWN)
			continue;
		n += n < LINES_SHOWN;
		for (size_t k = n - 1; k > at; k--)
			line[k] = line[k - 1];
		line[at] = c;
	}
	return n;
}

void
lines_put(const struct picture *p, uint32_t i)
{
	uint32_t line[LINES_SHOWN];
	size_t n = p->o->flamechart ? 0 : find_lines(p->t, i, line);

	for (size_t k = 0; k < n; k++) {
		size_t len;
		const char *name =
		    intern_str(p->t->names, p->t->nodes[line[k]].name, &len);

		out_puts(k ? ", " : "; ");
		text_put_isolated(name, len);
		out_putc(' ');
		number_put_hundredths(number_percent(
		    (double)tree_total(p->t, line[k], 0), p->scale));
		out_putc('%');
	}
}
