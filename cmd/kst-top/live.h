/* SPDX-License-Identifier: ISC */
/* What is on the screen while a pipe is read, and what its keys do. */
#ifndef LIVE_H
#define LIVE_H

#include "rank.h"
#include "screen.h"
#include "show.h"

struct fold;
struct in;

struct live {
	struct screen screen;
	struct show *show;
	struct rank_view *view;
	struct rank *rank;
	const struct fold *fold;
	bool has_states; /* the second root frame of each stack is one */
	bool ended;	 /* all input was read */
	bool quit;	 /* the user has ended the command */
	/* private */
	struct rx *filter;
	char typed[64], wrong[80];
	size_t n_typed, skip, page;
	bool typing; /* the filter's pattern */
	uint64_t last_captures;
	int64_t last_time; /* in ms */
	double rate;
};

/* Takes the terminal, if there is one; false if not. */
bool live_begin(struct live *l, struct in *in);
/* Stays until the user ends the command; the terminal is then as it was. */
void live_end(struct live *l);

#endif
