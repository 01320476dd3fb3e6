/* SPDX-License-Identifier: ISC */
/*
 * Timers by QEMU's monitor: of the PC the one of ACPI, which has 24 bits and
 * wraps at 4.7 s, of riscv64 the one that `time` reads, of the Raspberry Pi the
 * lower half of the system timer.
 */
#include "wire/stood.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/clock.h"

#define MEMORY "AS \"memory\""
#define IO "AS \"I/O\""

static const struct stood_timer timers[] = {
    {"acpi-tmr", IO, "i/wx 0x", "= 0x", 0, UINT32_C(0xffffff), 3579545},
    {"riscv.aclint.mtimer", MEMORY, "xp/gx 0x", ": 0x", 0x7ff8, UINT64_MAX,
	10000000},
    {"bcm2835-sys-timer", MEMORY, "xp/wx 0x", ": 0x", 4, UINT32_MAX, 1000000},
};

enum { TIMERS = sizeof timers / sizeof *timers };

/* Between two looks, at first and later. */
enum { PAUSE_FIRST = 100 * 1000000, PAUSE_MAX = 1000 * 1000000 };

/*
 * By which what was lost may be beyond its bounds: ns, as clocks are rounded,
 * and of the upper bound, as processors wake after QEMU has said that they go.
 */
static const double rounding = 1e6, beyond = 1.25;

/* The timer is sought so often, the last time after some 3 s. */
enum { SEEK_TRIES = 6 };

/*
 * Where stops are between their bounds if nothing tells, as measured by the
 * timer on quiet and on busy machines. The shortest time in which this guest
 * was seen to stop belongs to each stop: it is what the processors take to
 * park.
 *
 * With the timer, what a stop has beyond the least is taken to be in proportion
 * to the time in which the guest was seen to stop and to go. That it goes may
 * be seen late, since we sleep: that time counts for the former at most.
 */
static const double usual = 0.45;

/* `  0000000000000608-000000000000060b (prio 0, i/o): acpi-tmr` */
static bool
find(struct stood *s, const char *text, const struct stood_timer *t)
{
	const char *line = strstr(text, t->view);

	line = line != NULL ? strstr(line, t->name) : NULL;
	while (line != NULL && line > text && line[-1] != '\n')
		line--;
	if (line == NULL)
		return false;
	s->timer = t;
	s->at = strtoull(line, NULL, 16) + t->offset;
	return true;
}

static void
seek(struct stood *s, const struct monitor *m)
{
	struct buf text = BUF_INIT;

	if (m->ask != NULL && m->ask(m->arg, "info mtree -f", &text) == 0)
		for (size_t i = 0; i < TIMERS; i++)
			if (find(s, buf_str(&text), &timers[i]))
				break;
	buf_done(&text);
}

void
stood_begin(struct stood *s, const struct monitor *m)
{
	s->pause = PAUSE_FIRST;
	seek(s, m);
}

/* The firmware of a PC gives the timer its place some time after power-on. */
static void
seek_again(struct stood *s, const struct monitor *m, uint64_t now)
{
	if (s->tries == SEEK_TRIES || now < s->next)
		return;
	if (s->tries++ > 0)
		seek(s, m);
	s->next = now + s->pause;
	s->pause = s->timer ? PAUSE_FIRST : 2 * s->pause;
}

/* `portl[0x0608] = 0x004a8d96`, `000000000200bff8: 0x0000000001046b2a` */
static int
read_timer(const struct stood *s, const struct monitor *m, uint64_t *ticks)
{
	struct buf text = BUF_INIT;
	char command[40];
	const char *p;
	bool told;

	snprintf(command, sizeof command, "%s%" PRIx64, s->timer->read, s->at);
	told = m->ask(m->arg, command, &text) == 0 &&
	       (p = strstr(buf_str(&text), s->timer->before)) != NULL;
	if (told)
		*ticks = strtoull(p + strlen(s->timer->before), NULL, 16);
	buf_done(&text);
	return told ? 0 : -1;
}

/* ns of the guest's clock since the timer was read. */
static double
ran_since(const struct stood *s, uint64_t ticks, double at_least)
{
	const struct stood_timer *t = s->timer;
	const double tick = 1e9 / (double)t->hz;
	double ran = tick * (double)((ticks - s->ticks) & t->mask);

	while (t->mask != UINT64_MAX && ran + tick * (double)t->mask < at_least)
		ran += tick * ((double)t->mask + 1);
	return ran;
}

static void
set_share(struct stood *s, double lost)
{
	double share;

	s->by_clock = true;
	if (s->seen <= 0)
		return;
	/* What was said too much or too little is made up for. */
	share = (lost - s->least + s->lost - s->said) / s->seen;
	s->share = share < 0 ? 0 : share;
}

void
stood_look(struct stood *s, const struct stop *stop, const struct monitor *m)
{
	const uint64_t half = (stop->stood - stop->asked) / 2;
	const uint64_t now = stop->asked + half;
	const double slack = rounding + (double)(half + s->half);
	const double passed = (double)(now - s->since);
	uint64_t ticks;
	double lost;

	if (s->timer == NULL)
		seek_again(s, m, now);
	if (s->timer == NULL || now < s->next)
		return;
	s->tries = SEEK_TRIES;
	if (read_timer(s, m, &ticks) != 0) {
		s->timer = NULL;
		return;
	}
	if (s->since != 0) {
		lost = passed - ran_since(s, ticks, passed - s->least + slack);
		/* A clock that counts instructions is another one. */
		if (lost < s->least - slack ||
		    lost > beyond * s->most + slack) {
			s->timer = NULL;
			s->by_clock = false;
			return;
		}
		s->lost += lost;
		set_share(s, lost);
	}
	s->least = s->most = s->seen = 0;
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
	const uint64_t wake = stop->gone - stop->going;
	const double seen = (double)(park + (wake < park ? wake : park));
	uint64_t least = stop->going - stop->stood;
	double ns;

	if (stop->told > least && stop->told <= most)
		least = stop->told;
	if (park < s->park || s->park == 0)
		s->park = park;
	ns = (double)(stop->told ? least : least + s->park);
	if (s->by_clock)
		ns = (double)least + s->share * seen;
	else
		ns += usual * ((double)most - ns);
	if (ns > (s->by_clock ? beyond : 1) * (double)most)
		ns = (s->by_clock ? beyond : 1) * (double)most;
	if (s->since != 0) {
		s->least += (double)least;
		s->most += (double)most;
		s->seen += seen;
		s->said += ns;
	}
	return (uint64_t)ns;
}
