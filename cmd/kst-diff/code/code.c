/* SPDX-License-Identifier: ISC */
#include "code/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "names/demangle.h"

enum { NAMED = 8 }; /* of those that never ran */

static int
compare(const void *a, const void *b)
{
	return strcmp(((const struct code_name *)a)->name,
	    ((const struct code_name *)b)->name);
}

static void
add_name(struct code *c, const char *name, size_t func)
{
	*xpush(c->names, c->n_names, c->cap_names) =
	    (struct code_name){name, func};
}

/* A readable name becomes what profiles have, which is not longer. */
static void
make_plain(const char *name, char *readable)
{
	struct buf b = BUF_INIT;

	if (demangle_plain(name, strlen(name), &b) && b.len <= strlen(readable))
		strcpy(readable, buf_str(&b));
	buf_done(&b);
}

/* The first of the places, without the folder of its file; NULL: none. */
static const char *
first_place(char *places)
{
	char *end = places ? strstr(places, ", ") : NULL, *file, *slash;

	if (places == NULL)
		return NULL;
	if (end)
		*end = 0;
	file = strstr(places, " at ");
	file = file ? file + strlen(" at ") : places;
	slash = strrchr(file, '/');
	if (slash)
		memmove(file, slash + 1, strlen(slash));
	return places;
}

/* A line of kst-sym: how, the name, perhaps the readable one, and places. */
static void
take(struct code *c, char *line)
{
	const char *how = strsep(&line, "\t"), *name = strsep(&line, "\t");
	char *readable = strsep(&line, "\t");

	if (name == NULL)
		return;
	add_name(c, name, c->n);
	if (readable != NULL && *readable) {
		make_plain(name, readable);
		add_name(c, readable, c->n);
	}
	*xpush(c->v, c->n, c->cap) = (struct code_func){.how = how,
	    .plain = readable && *readable ? readable : name,
	    .place = first_place(line)};
}

int
code_ask(struct code *c, const char *files)
{
	const char *comma = strchr(files, ',');
	char *old = xmemdup0(files, (size_t)(comma - files)), *rest, *line;
	char *argv[] = {(char *)"kst-sym", (char *)"--compare", (char *)"-e",
	    old, (char *)"-e", (char *)(uintptr_t)(comma + 1), NULL};

	c->text = job_output(argv);
	free(old);
	if (c->text == NULL)
		return -1;
	rest = c->text;
	while ((line = strsep(&rest, "\n")) != NULL)
		take(c, line);
	if (c->n_names > 0)
		qsort(c->names, c->n_names, sizeof *c->names, compare);
	return 0;
}

void
code_done(struct code *c)
{
	free(c->text);
	free(c->v);
	free(c->names);
}

struct code_func *
code_find(struct code *c, const char *name)
{
	const struct code_name key = {name, 0}, *found = NULL;

	if (c->n_names > 0)
		found = bsearch(
		    &key, c->names, c->n_names, sizeof *c->names, compare);
	return found ? &c->v[found->func] : NULL;
}

/* Whether it ran, but has no calls. */
static bool
is_jumped(const struct code_func *f)
{
	return !f->ran && count_real(&f->self[0]) + count_real(&f->self[1]) > 0;
}

static bool
is_missed(const struct code_func *f)
{
	return !f->ran && !is_jumped(f);
}

bool
code_is_dearer(const struct code_func *f)
{
	return is_jumped(f) && f->jumped[0] > 0 &&
	       f->jumped[1] > f->jumped[0] * (1 + 1e-12);
}

/* Of those that `is` chooses; with what they ran if there is a unit. */
static void
add_rest(const struct code *c, bool (*is)(const struct code_func *f),
    const char *const words[2], const char *unit, struct buf *b)
{
	size_t n = 0, named = 0;

	for (size_t i = 0; i < c->n; i++)
		n += is(&c->v[i]);
	if (n == 0)
		return;
	buf_printf(b, "%zu function%s whose code differs %s:", n,
	    n == 1 ? "" : "s", words[n != 1]);
	for (size_t i = 0; i < c->n && named < NAMED; i++) {
		const struct code_func *f = &c->v[i];

		if (!is(f))
			continue;
		buf_printf(b, "%s %s", named++ ? "," : "", f->plain);
		if (f->place)
			buf_printf(b, " (%s)", f->place);
		if (unit == NULL)
			continue;
		buf_adds(b, ", ");
		count_commas(&f->self[1], b);
		buf_printf(b, " %s (", unit);
		count_commas(&f->self[0], b);
		buf_adds(b, " before)");
	}
	if (n > named)
		buf_printf(b, " and %zu more", n - named);
	buf_addc(b, '\n');
}

void
code_rest(const struct code *c, enum code_missed how, struct buf *b)
{
	static const char *const words[][2] = {
	    [CODE_NOT_RUN] = {"never ran", "never ran"},
	    [CODE_NO_SAMPLE] = {"was in no sample", "were in no sample"}};

	add_rest(c, is_missed, words[how], NULL, b);
}

void
code_jumps(const struct code *c, const char *unit, struct buf *b)
{
	static const char *const words[] = {
	    "was entered by jumps only", "were entered by jumps only"};

	add_rest(c, is_jumped, words, unit, b);
}
