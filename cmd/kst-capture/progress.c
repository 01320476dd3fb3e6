/* SPDX-License-Identifier: ISC */
/* Draws on the terminal. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 30, PERIOD_NS = 100000000 };

void
progress_init(
    struct progress *p, bool quiet, uint64_t samples, uint64_t duration)
{
	memset(p, 0, sizeof *p);
	p->on = !quiet && isatty(STDERR_FILENO);
	p->samples = samples;
	p->duration = duration;
}

/* The larger of the two shares, samples and time, 0 to 1. */
static double
share_done(const struct progress *p, uint64_t samples, uint64_t elapsed)
{
	double a = p->samples ? (double)samples / (double)p->samples : 0;
	double b = p->duration ? (double)elapsed / (double)p->duration : 0;
	double share = a > b ? a : b;

	return share < 1 ? share : 1;
}

void
progress_show(struct progress *p, uint64_t samples, uint64_t elapsed)
{
	double share, seconds = (double)elapsed / 1e9;
	char bar[WIDTH + 1];
	int n;

	if (!p->on || (p->shown && elapsed - p->last < PERIOD_NS))
		return;
	p->shown = true;
	p->last = elapsed;
	share = share_done(p, samples, elapsed);
	n = (int)(share * WIDTH);
	memset(bar, '.', WIDTH);
	memset(bar, '#', (size_t)n);
	bar[WIDTH] = 0;
	fprintf(stderr, "\r[%s] %3.0f %%  %" PRIu64 " samples  %.1f/s  ", bar,
	    share * 100, samples, seconds > 0 ? (double)samples / seconds : 0);
	if (share > 0)
		fprintf(stderr, "%.0f s left", seconds / share - seconds);
	fprintf(stderr, "\033[K");
	fflush(stderr);
}

void
progress_done(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	fflush(stderr);
}
