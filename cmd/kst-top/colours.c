/* SPDX-License-Identifier: ISC */
/* Names' colours: idle and user as kernel.palette tells them, or kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "names/rx.h"
#include "top.h"

/* A pattern of kernel.palette: of the class [idle] or [user]. */
static const struct {
	const char *class, *pattern;
} rows[] = {
#include "palette-rows.h"
};

enum { ROWS = sizeof rows / sizeof *rows };

struct colours {
	struct rx *rx[ROWS];
};

struct colours *
colours_new(void)
{
	struct colours *c = out_colour() ? xcalloc(1, sizeof *c) : NULL;
	struct buf why = BUF_INIT;

	for (size_t i = 0; c && i < ROWS; i++)
		c->rx[i] =
		    rx_new(rows[i].pattern, strlen(rows[i].pattern), &why);
	buf_done(&why);
	return c;
}

void
colours_free(struct colours *c)
{
	for (size_t i = 0; c && i < ROWS; i++)
		rx_free(c->rx[i]);
	free(c);
}

const char *
colours_of(struct colours *c, const char *name, size_t len)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rx_match(c->rx[i], name, len) == 1)
			return strcmp(rows[i].class, "[idle]") == 0
				   ? "\033[90m"	 /* grey */
				   : "\033[35m"; /* violet */
	return "\033[33m";			 /* orange */
}
