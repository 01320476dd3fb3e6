/* SPDX-License-Identifier: ISC */
#include "facts/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"

double
rows_samples(const struct row *t)
{
	return t->share > 0 ? t->self / t->share : 0;
}

bool
rows_read(const char *row, struct row *t)
{
	const size_t n = strcspn(row, ",\n");
	char *end;

	if (n == 0 || n >= sizeof t->name || row[n] != ',' || *row == '"')
		return false;
	memcpy(t->name, row, n);
	t->name[n] = 0;
	t->self = strtod(row + n + 1, &end);
	end = *end == ',' ? strchr(end + 1, ',') : NULL;
	t->share = end ? strtod(end + 1, &end) : 0;
	t->total = end && *end == ',' ? strtod(end + 1, NULL) : 0;
	return true;
}

bool
rows_first(
    const struct plan *p, const char *how, const char *name, struct row *t)
{
	struct words w = {0};
	char *text, *row;
	bool has;

	words_add(&w, "kst-top");
	words_add(&w, "--csv");
	words_add(&w, "--rows=1");
	words_addf(&w, "--%s=^%s$", how, name);
	text = steps_output(p, &w, false);
	row = text ? strchr(text, '\n') : NULL;
	has = row != NULL && rows_read(row + 1, t);
	free(text);
	return has;
}

char *
rows_table(const struct plan *p, const char *by, const char *state,
    const char *sort, int rows)
{
	struct words w = {0};

	words_add(&w, "kst-top");
	words_add(&w, "--csv");
	words_addf(&w, "--by=%s", by);
	if (state)
		words_addf(&w, "--state=%s", state);
	words_addf(&w, "--sort=%s", sort);
	words_addf(&w, "--rows=%d", rows);
	return steps_output(p, &w, false);
}

size_t
rows_cpus(const struct plan *p)
{
	char *text = rows_table(p, "cpu", NULL, "self", 1);
	size_t n = 0;

	for (const char *row = text; row && (row = strchr(row, '\n')) != NULL;
	     row++)
		n += strncmp(row + 1, "CPU#", 4) == 0;
	free(text);
	return n;
}

bool
rows_plain(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_' || *name == ':')
		name++;
	return *name == 0;
}
