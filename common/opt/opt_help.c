/* SPDX-License-Identifier: ISC */
#include "opt/opt_help.h"
#include "opt/opt_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "io/share.h"

enum { WIDTH = 80, LEFT_MAX = 24 };

void
opt_put_number(struct buf *b, enum opt_kind kind, uint64_t v)
{
	static const char units[] = "kMGT";
	unsigned u = 0;

	if (kind == OPT_KIND_SECONDS) {
		buf_printf(b, "%g", (double)v / 1e9);
		return;
	}
	while (kind == OPT_KIND_SIZE && u < 4 && v && v % 1024 == 0) {
		v /= 1024;
		u++;
	}
	buf_printf(b, kind == OPT_KIND_ADDRESS ? "0x%" PRIx64 : "%" PRIu64, v);
	if (u)
		buf_addc(b, units[u - 1]);
}

void
opt_put_words(struct buf *b, const char *prefix, const char *words)
{
	for (const char *p = words; *p;) {
		size_t len = strcspn(p, " ");

		if (p != words)
			buf_adds(b, p[len] ? ", " : " or ");
		buf_adds(b, prefix);
		buf_add(b, p, len);
		p += len + (p[len] != 0);
	}
}

/* The field's default; nothing for 0. */
static void
put_default(struct buf *b, const struct opt *r, const void *options)
{
	const void *field = (const char *)options + r->at;
	const char *const *text = field, *p = r->words;

	if (r->kind == OPT_KIND_TEXT && *text) {
		buf_adds(b, *text);
	} else if (r->kind == OPT_KIND_CHOICE) {
		unsigned i = *(const unsigned *)field;

		for (; i > r->min; i--)
			p += strcspn(p, " ") + 1;
		if (i == r->min)
			buf_add(b, p, strcspn(p, " "));
	} else if (r->kind == OPT_KIND_REAL && *(const double *)field > 0) {
		buf_printf(b, "%g", *(const double *)field);
	} else if (r->kind >= OPT_KIND_NUMBER && r->kind <= OPT_KIND_ADDRESS &&
		   *(const uint64_t *)field &&
		   *(const uint64_t *)field != UINT64_MAX) { /* no limit */
		opt_put_number(b, r->kind, *(const uint64_t *)field);
	}
}

/* Words, wrapped, from a column on; the line has `at` bytes so far. */
static void
put_wrapped(const char *text, size_t column, size_t at)
{
	for (size_t n; *text; text += n + (text[n] != 0)) {
		n = strcspn(text, " ");
		if (at > column && at + 1 + n > WIDTH) {
			out_putc('\n');
			at = 0;
		}
		if (at > column) {
			out_putc(' ');
			at++;
		}
		for (; at < column; at++)
			out_putc(' ');
		out_put(text, n);
		at += n;
	}
	out_putc('\n');
}

/* `  -c, --cpus SET` */
static void
put_left(struct buf *b, const struct opt *r)
{
	if (r->letter)
		buf_printf(b, "  -%c, --%s", r->letter, r->name);
	else
		buf_printf(b, "      --%s", r->name);
	if (r->arg && r->arg[0] == '[')
		buf_printf(b, "[=%s", r->arg + 1);
	else if (r->arg)
		buf_printf(b, " %s", r->arg);
}

static void
help_row(const struct opt *r, const void *options, size_t column)
{
	struct buf left = BUF_INIT, text = BUF_INIT, value = BUF_INIT;

	put_left(&left, r);
	out_put(left.p, left.len);
	if (left.len + 2 > column) {
		out_putc('\n');
		left.len = 0;
	}
	buf_adds(&text, r->help);
	if (r->words && !(r->arg && strstr(r->arg, "FILE"))) {
		buf_adds(&text, ": ");
		opt_put_words(&text, "", r->words);
	}
	put_default(&value, r, options);
	if (value.len)
		buf_printf(&text, " [%s]", buf_str(&value));
	put_wrapped(buf_str(&text), column, left.len);
	buf_done(&left);
	buf_done(&text);
	buf_done(&value);
}

/* The column of the help texts: after the longest name of usual length. */
static size_t
help_column(const struct opt_table *t)
{
	size_t column = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct buf b = BUF_INIT;

		if (t->row[i]->name && t->row[i]->help)
			put_left(&b, t->row[i]);
		if (b.len <= LEFT_MAX && b.len + 2 > column)
			column = b.len + 2;
		buf_done(&b);
	}
	return column;
}

void
opt_put_help(const struct opt_table *t, const void *options)
{
	const struct opt_page *page = t->page;
	size_t column = help_column(t);

	out_printf("usage: %s %s\n", msg_prog, page->synopsis);
	put_wrapped(page->about, 0, 0);
	if (t->row[0]->name)
		out_putc('\n');
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *r = t->row[i];

		if (r->name == NULL)
			out_printf("\n%s:\n", r->help);
		else if (r->help)
			help_row(r, options, column);
	}
	if (page->examples)
		out_puts("\nExamples:\n");
	for (const char *p = page->examples; p && *p;) {
		int n = (int)strcspn(p, "\n");

		out_printf("  %.*s\n", n, p);
		p += n + (p[n] != 0);
	}
}

/* Appends the name of a data file without its suffix; for share_each(). */
static bool
add_data_name(void *words, const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	if (((struct buf *)words)->len)
		buf_addc(words, ' ');
	buf_add(words, name, (size_t)(strrchr(name, '.') - name));
	return true;
}

void
opt_put_rows(const struct opt *rows)
{
	struct buf words = BUF_INIT;

	for (const struct opt *r = rows; r->name || r->help; r++) {
		if (!r->name || !r->help)
			continue;
		words.len = 0;
		if (r->data)
			share_each(r->data,
			    strcmp(r->data, "os") == 0 ? ".os" : ".rules",
			    add_data_name, &words);
		out_printf("%c\t%s\t%s\t%s\t%s\n", r->letter ? r->letter : '-',
		    r->name, r->arg ? r->arg : "",
		    r->words ? r->words : buf_str(&words), r->help);
	}
	buf_done(&words);
}

enum { NEAR_MAX = 32 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The letters that are missing, too many, wrong, or have changed places with
 * the next: the optimal string alignment distance.
 */
static size_t
distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t d[NEAR_MAX + 1][NEAR_MAX + 1];

	for (size_t i = 0; i <= n; i++)
		for (size_t k = 0; k <= m; k++) {
			if (i == 0 || k == 0) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
			    d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[n][m];
}

bool
opt_near(const char *word, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len <= NEAR_MAX && n <= NEAR_MAX &&
	       distance(word, len, name, n) <= (n + 1) / 3;
}
