/* SPDX-License-Identifier: ISC */
/* Knows the words of gdb, and of the backends without it. */
#include "guest/ends.h"

#include <inttypes.h>

#include "base/bytes.h"

static const char mark[] = "Backtrace stopped: ";

static const struct {
	const char *key, *words, *begin; /* begin: of the line after the mark */
} kinds[ENDS_KINDS] = {
    {"loop", "a frame that is its own caller", "previous frame identical"},
    {"inner", "a stack that goes backwards", "previous frame inner"},
    {"memory", "memory that cannot be read", "Cannot access memory"},
    {"window", "more than was read", "the stack goes on"},
    {"unsaved", "a caller that nothing tells", "frame did not save"},
    {"firmware", "firmware with an unknown caller", "in the firmware"},
    {"rule", "tables that make no sense", "call frame information"},
    {"other", "other reasons", ""},
};

void
ends_note(struct ends *e, const char *line, size_t len)
{
	size_t skip = bytes_starts(line, len, mark) ? sizeof mark - 1 : 0;
	int k = 0;

	while (!bytes_starts(line + skip, len - skip, kinds[k].begin))
		k++;
	e->n[k]++;
	e->all++;
}

void
ends_add(struct ends *to, const struct ends *e)
{
	for (int k = 0; k < ENDS_KINDS; k++)
		to->n[k] += e->n[k];
	to->all += e->all;
}

void
ends_put(const struct ends *e, struct buf *b)
{
	buf_printf(b, " truncated=%" PRIu64, e->all);
	for (int k = 0; k < ENDS_KINDS; k++)
		if (e->n[k] > 0)
			buf_printf(
			    b, " truncated-%s=%" PRIu64, kinds[k].key, e->n[k]);
}

void
ends_words(const struct ends *e, struct buf *b)
{
	const char *comma = "";

	for (int k = 0; k < ENDS_KINDS; k++) {
		if (e->n[k] == 0)
			continue;
		buf_printf(
		    b, "%s%" PRIu64 " %s", comma, e->n[k], kinds[k].words);
		comma = ", ";
	}
}
