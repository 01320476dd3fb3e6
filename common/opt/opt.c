/* SPDX-License-Identifier: ISC */
#include "opt/opt.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "opt/opt_help.h"
#include "opt/opt_table.h"
#include "io/out.h"
#include "base/xalloc.h"

static const struct opt for_all[] = {
    {'h', "help", NULL, "print this help", .kind = OPT_KIND_HELP},
    {'V', "version", NULL, "print the version", .kind = OPT_KIND_VERSION}, {0}};

static const struct {
	int (*parse)(const char *s, size_t len, uint64_t *val);
	const char *what;
} numbers[] = {
    [OPT_KIND_NUMBER] = {num_u64, "a whole number"},
    [OPT_KIND_SECONDS] = {num_seconds, "a number of seconds"},
    [OPT_KIND_SIZE] = {num_size, "a size such as 64k or 2G"},
    [OPT_KIND_ADDRESS] = {num_address, "an address such as 0xffff8000"},
};

void
opt_usage(void)
{
	msg_die(EXIT_USAGE, "try '%s --help'", msg_prog);
}

void
opt_list_done(struct opt_list *l)
{
	free(l->use);
	*l = (struct opt_list){0};
}

static int
has_arg(const struct opt *r)
{
	if (r->kind == OPT_KIND_HELP)
		return optional_argument;
	if (r->arg == NULL)
		return no_argument;
	return r->arg[0] == '[' ? optional_argument : required_argument;
}

static void
table_add(struct opt_table *t, const struct opt *rows)
{
	struct option *l = t->longs;
	char *s = t->shorts + strlen(t->shorts);

	while (l->name)
		l++;
	for (const struct opt *r = rows; r->name || r->help; r++) {
		assert(t->n < OPT_ROWS_MAX);
		if (r->name)
			*l++ = (struct option){r->name, has_arg(r), NULL,
			    OPT_FIRST_LONG + (int)t->n};
		if (r->letter) {
			*s++ = (char)r->letter;
			if (r->arg)
				*s++ = ':';
			if (r->arg && has_arg(r) == optional_argument)
				*s++ = ':';
		}
		t->row[t->n++] = r;
	}
}

/* The row of what getopt_long() returned, or -1. */
static int
table_row(const struct opt_table *t, int c)
{
	if (c >= OPT_FIRST_LONG)
		return c - OPT_FIRST_LONG;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i]->letter && t->row[i]->letter == c)
			return (int)i;
	return -1;
}

/* Reports what getopt_long() rejects: `c` is ':' or '?'. */
static _Noreturn void
refuse(const struct opt_table *t, int c, char **argv)
{
	int at = table_row(t, optopt);
	const struct opt *r = at < 0 ? NULL : t->row[at];
	const char *word = argv[optind - 1], letter = (char)optopt;
	size_t len = strcspn(word, "=");
	struct buf names = BUF_INIT;

	if (r && c == ':')
		opt_wrong("--%s needs an argument: %s", r->name, r->arg);
	if (r)
		opt_wrong("--%s takes no argument", r->name);
	if (optopt)
		opt_wrong("unknown option '-%s'", msg_text(&letter, 1));
	for (const struct option *l = t->longs; l->name; l++)
		if (strncmp(l->name, word + 2, len - 2) == 0)
			buf_printf(
			    &names, "%s--%s", names.len ? ", " : "", l->name);
	if (names.len)
		opt_wrong("'%s' is ambiguous: %s", msg_text(word, len),
		    buf_str(&names));
	for (const struct option *l = t->longs; l->name; l++)
		if (opt_near(word + 2, len - 2, l->name))
			buf_printf(&names, "%s--%s",
			    names.len ? ", " : "; did you mean ", l->name);
	opt_wrong("unknown option '%s'%s%s", msg_text(word, len),
	    buf_str(&names), names.len ? "?" : "");
}

static _Noreturn void
wrong_value(const struct opt *r, const char *arg, const char *what)
{
	opt_wrong("--%s: '%s' %s", r->name, msg_str(arg), what);
}

/* Ends the command: the value is below min or above max. */
static _Noreturn void
out_of_range(const struct opt *r, bool low)
{
	struct buf b = BUF_INIT;

	if (low && r->min == 1)
		opt_wrong("--%s must be greater than 0", r->name);
	opt_put_number(&b, r->kind, low ? r->min : r->max);
	opt_wrong("--%s must be at %s %s", r->name, low ? "least" : "most",
	    buf_str(&b));
}

static uint64_t
number_of(const struct opt *r, const char *arg)
{
	struct buf b = BUF_INIT;
	uint64_t v;

	if (numbers[r->kind].parse(arg, strlen(arg), &v) != 0) {
		buf_printf(&b, "is not %s", numbers[r->kind].what);
		wrong_value(r, arg, buf_str(&b));
	}
	if (v < r->min || v > r->max)
		out_of_range(r, v < r->min);
	return v;
}

static double
real_of(const struct opt *r, const char *arg)
{
	double v;

	if (num_real(arg, strlen(arg), &v) != 0)
		wrong_value(r, arg, "is not a number");
	if (v < (double)r->min || v > (double)r->max)
		out_of_range(r, v < (double)r->min);
	return v;
}

int
opt_word(const char *words, const char *s, size_t len)
{
	int i = 0;

	for (const char *p = words; *p; i++) {
		size_t n = strcspn(p, " ");

		if (bytes_same(p, n, s, len))
			return i;
		p += n + (p[n] != 0);
	}
	return -1;
}

/* The number of the word, from 0. */
static unsigned
word_of(const struct opt *r, const char *arg)
{
	int i = opt_word(r->words, arg, strlen(arg));
	struct buf b = BUF_INIT;

	if (i < 0) {
		buf_adds(&b, "is not ");
		opt_put_words(&b, "", r->words);
		wrong_value(r, arg, buf_str(&b));
	}
	return (unsigned)i;
}

static void
call(const struct opt *r, void *field, const char *arg)
{
	struct buf err = BUF_INIT;

	if (r->call(field, arg, &err) != 0)
		wrong_value(r, arg, buf_str(&err));
	buf_done(&err);
}

static void
list_add(struct opt_list *l, const char *name, const char *arg)
{
	*xpush(l->use, l->n, l->cap) = (struct opt_use){name, arg};
}

static void
set(const struct opt *r, void *options, const char *arg)
{
	void *field = (char *)options + r->at;

	if (arg == NULL)
		arg = "";
	if (r->given)
		((bool *)options)[r->given - 1] = true;
	switch (r->kind) {
	case OPT_KIND_FLAG:
		*(bool *)field = r->min;
		break;
	case OPT_KIND_SET:
		*(unsigned *)field = (unsigned)r->min;
		break;
	case OPT_KIND_CHOICE:
		*(unsigned *)field = (unsigned)r->min + word_of(r, arg);
		break;
	case OPT_KIND_TEXT:
		if (r->words)
			word_of(r, arg);
		*(const char **)field = arg;
		break;
	case OPT_KIND_REAL:
		*(double *)field = real_of(r, arg);
		break;
	case OPT_KIND_LIST:
		list_add(field, r->name, arg);
		break;
	case OPT_KIND_CALL:
		call(r, field, arg);
		break;
	default:
		*(uint64_t *)field = number_of(r, arg);
	}
}

/* Takes one option; the first round only looks for --help and --version. */
static void
take(struct opt_table *t, int row, void *options, int round)
{
	const struct opt *r = t->row[row];

	switch (r->kind) {
	case OPT_KIND_HELP:
		if (optarg == NULL)
			opt_put_help(t, options);
		else if (strcmp(optarg, "rows") == 0)
			opt_put_rows(t->page->rows);
		else
			wrong_value(r, optarg, "is not rows");
		break;
	case OPT_KIND_VERSION:
		out_printf("%s %s\n", msg_prog, KST_VERSION);
		break;
	default:
		if (round > 0)
			set(r, options, optarg);
		t->given[row] = true;
		return;
	}
	exit(out_close() == 0 ? EXIT_OK : EXIT_SYSTEM);
}

void
opt_conflict(const char *a, const char *b)
{
	opt_wrong("--%s and --%s are mutually exclusive", a, b);
}

void
opt_requires(const char *name, const char *others)
{
	struct buf b = BUF_INIT;

	opt_put_words(&b, "--", others);
	opt_wrong("--%s requires %s", name, buf_str(&b));
}

/* The first of these options that is given, or NULL. */
static const char *
given_of(const struct opt_table *t, const char *names)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->row[i]->name;

		if (t->given[i] && opt_word(names, name, strlen(name)) >= 0)
			return name;
	}
	return NULL;
}

static void
check_together(const struct opt_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *r = t->row[i];
		const char *other;

		if (!t->given[i])
			continue;
		if (r->conflicts && (other = given_of(t, r->conflicts)))
			opt_conflict(r->name, other);
		if (r->requires && given_of(t, r->requires) == NULL)
			opt_requires(r->name, r->requires);
	}
}

char **
opt_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			if (i + 1 == *argc)
				opt_wrong("give a command after --");
			argv[i] = NULL;
			*argc = i;
			return argv + i + 1;
		}
	return NULL;
}

int
opt_read(const struct opt_page *page, void *options, int argc, char **argv)
{
	struct opt_table t = {.page = page, .shorts = ":"};
	int c;

	if (page->no_operands)
		memcpy(t.shorts, "+:", 3);
	table_add(&t, page->rows);
	table_add(&t, for_all);
	opterr = 0;
	/* --help shows the defaults, so nothing is set before it is seen. */
	for (int round = 0; round < 2; round++) {
		optind = 0;
		while ((c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) !=
		       -1) {
			int row = table_row(&t, c);

			if (row < 0)
				refuse(&t, c, argv);
			take(&t, row, options, round);
		}
	}
	check_together(&t);
	return optind;
}

int
opt_stall(void)
{
	const char *s = getenv("KST_STALL");
	const long n = s ? strtol(s, NULL, 10) : 0;

	return n > 0 && n <= 1000000 ? (int)n : 30;
}
