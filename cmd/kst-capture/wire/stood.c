/* SPDX-License-Identifier: ISC */
/* The timer has 24 bits at 3.58 MHz of the guest's clock: it wraps at 4.7 s. */
#include "wire/stood.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/clock.h"

enum { TIMER_BITS = 24, TIMER_HZ = 3579545 };

/* Between two looks, at first and later. */
enum { PAUSE_FIRST = 100 * 1000000, PAUSE_MAX = 1000 * 1000000 };

/* ns by which what was lost may be beyond its bounds: clocks are rounded. */
static const double rounding = 1e6;

/*
 * Where stops are between their bounds if nothing tells, as measured by the
 * timer on quiet and on busy machines. The shortest time in which this guest
 * was seen to stop belongs to each stop: it is what the processors take to
 * park.
 */
static const double usual = 0.45;

/* `  0000000000000608-000000000000060b (prio 0, i/o): acpi-tmr` */
void
stood_begin(struct stood *s, const struct monitor *m)
{
	struct buf text = BUF_INIT;
	const char *p = NULL, *line;

	s->share = usual;
	s->pause = PAUSE_FIRST;
	if (m->ask != NULL && m->ask(m->arg, "info mtree -f", &text) == 0)
		p = strstr(buf_str(&text), "acpi-tmr");
	for (line = p; line != NULL && line > text.p && line[-1] != '\n';)
		line--;
	if (line != NULL)
		s->port = (unsigned)strtoul(line, NULL, 16) & 0xffff;
	buf_done(&text);
}

/* `portl[0x0608] = 0x004a8d96`; -1: it does not tell. */
static int
read_timer(const struct stood *s, const struct monitor *m, uint64_t *ticks)
{
	struct buf text = BUF_INIT;
	char command[24];
	const char *p;
	bool told;

	snprintf(command, sizeof command, "i/wx 0x%x", s->port);
	told = m->ask(m->arg, command, &text) == 0 &&
	       (p = strstr(buf_str(&text), "= 0x")) != NULL;
	if (told)
		*ticks = strtoull(p + 4, NULL, 16);
	buf_done(&text);
	return told ? 0 : -1;
}

static void
set_share(struct stood *s, double lost)
{
	const double range = s->most - s->least;
	double share;

	s->by_clock = true;
	if (range <= 0)
		return;
	/* What was said too much or too little is made up for. */
	share = (lost - s->least + s->lost - s->said) / range;
	s->share = share < 0 ? 0 : share > 1 ? 1 : share;
}

void
stood_look(struct stood *s, const struct stop *stop, const struct monitor *m)
{
	const uint64_t half = (stop->stood - stop->asked) / 2;
	const uint64_t now = stop->asked + half;
	const double slack = rounding + (double)(half + s->half);
	const uint64_t mask = (UINT64_C(1) << TIMER_BITS) - 1;
	const double tick = 1e9 / TIMER_HZ, wrap = tick * (double)(mask + 1);
	const double passed = (double)(now - s->since);
	uint64_t ticks;
	double ran;

	if (s->port == 0 || now < s->next)
		return;
	if (read_timer(s, m, &ticks) != 0) {
		s->port = 0;
		return;
	}
	if (s->since != 0) {
		ran = tick * (double)((ticks - s->ticks) & mask);
		while (ran + wrap < passed - s->least + slack)
			ran += wrap;
		/* A clock that counts instructions is another one. */
		if (passed - ran < s->least - slack ||
		    passed - ran > s->most + slack) {
			s->port = 0;
			s->by_clock = false;
			s->share = usual;
			return;
		}
		s->lost += passed - ran;
		set_share(s, passed - ran);
	}
	s->least = s->most = 0;
	s->ticks = ticks;
	s->since = now;
	s->half = half;
	s->next = now + s->pause;
	s->pause = s->pause < PAUSE_MAX / 2 ? 2 * s->pause : PAUSE_MAX;
}

uint64_t
stood_add(struct stood *s, const struct stop *stop)
{
	const uint64_t most = stop->gone - stop->asked;
	const uint64_t park = stop->stood - stop->asked;
	uint64_t least = stop->going - stop->stood, ns;

	if (stop->told > least && stop->told <= most)
		least = stop->told;
	if (park < s->park || s->park == 0)
		s->park = park;
	ns = s->by_clock || stop->told ? least : least + s->park;
	ns += (uint64_t)(s->share * (double)(most - ns));
	if (s->since != 0) {
		s->least += (double)least;
		s->most += (double)most;
		s->said += (double)ns;
	}
	return ns;
}
