/* SPDX-License-Identifier: ISC */
/* The table of functions: for people, CSV, JSON. */
#ifndef SHOW_H
#define SHOW_H

#include "rank.h"

struct show {
	const struct rank *rank;
	const char *unit;
	uint64_t stops; /* captures; 0: not known */
	size_t width;	/* of the terminal; 0: names are not cut */
	/* a part of the lines: from `skip` on, at most `lines` */
	size_t skip, lines;
	const char *eol; /* after each line */
};

void show_text(const struct show *s);
void show_csv(const struct show *s);
void show_json(const struct show *s);

/* How many lines show_text() could write. */
size_t show_lines(const struct show *s);

#endif
