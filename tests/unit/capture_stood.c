/* SPDX-License-Identifier: ISC */
/*
 * A guest whose clock stands for a known part of each stop, and its timer: what
 * is said of the stops is their sum, and a clock of another kind is not
 * believed.
 */
#include "wire/stood.h"

#include <inttypes.h>

#include "unit.h"

enum { US = 1000, STOPS = 3000, EACH = 10000 * US };

static double guest; /* ns of its clock */
static double speed; /* of another clock: instructions */
static bool mute;
static unsigned asked;

static int
ask(void *arg, const char *command, struct buf *text)
{
	(void)arg;
	if (strcmp(command, "info mtree -f") == 0)
		buf_adds(text,
		    "  000000000000b008-000000000000b00b (prio 0, i/o): "
		    "acpi-tmr\r\n  0000000000000cf8-0000000000000cfb x\r\n");
	else if (strcmp(command, "i/wx 0xb008") == 0 && !mute)
		buf_printf(text, "portl[0xb008] = 0x%08x\r\n",
		    (unsigned)((uint64_t)(guest * speed * 3579545e-9) &
			       0xffffff));
	asked++;
	return 0;
}

static const struct monitor monitor = {ask, NULL}, none = {NULL, NULL};

/*
 * Stops of 100 us of which the clock stands for `lost`; the host's other work
 * makes some longer. Returns what is said over what was lost.
 */
static double
sample(struct stood *s, const struct monitor *m, double lost, uint64_t each)
{
	uint64_t now = 1000 * (uint64_t)EACH;
	double said = 0, sum = 0;

	stood_begin(s, m);
	guest = 0;
	for (uint64_t i = 0; i < STOPS; i++) {
		const uint64_t long_one = i % 7 == 0 ? 20 : 1;
		const uint64_t begin = now + i * each;
		const struct stop stop = {.asked = begin,
		    .stood = begin + 60 * US * long_one,
		    .going = begin + 70 * US * long_one,
		    .gone = begin + 100 * US * long_one};
		const double stands = lost * 100 * US * (double)long_one;

		stood_look(s, &stop, m);
		said += (double)stood_add(s, &stop);
		sum += stands;
		guest += (double)each - stands;
	}
	return said / sum;
}

static bool
near(double ratio, double off)
{
	return ratio > 1 - off && ratio < 1 + off;
}

int
main(void)
{
	struct stood s = {0};

	speed = 1;
	for (int i = 2; i <= 9; i++) {
		s = (struct stood){0};
		CHECK(near(sample(&s, &monitor, i / 10.0, EACH), .02));
		CHECK(s.by_clock);
	}
	/* rarely: the timer wraps in between, at times twice */
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .8, UINT64_C(11) * 1000000 * US), .02));
	CHECK(s.by_clock);
	/* it is asked once a second */
	s = (struct stood){0};
	asked = 0;
	sample(&s, &monitor, .8, EACH);
	CHECK(asked > 10 && asked < STOPS / 80);
	/* instructions; no timer; a monitor that says nothing: as usual */
	speed = 1.5;
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .594, EACH), .02) && !s.by_clock);
	speed = .5;
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .594, EACH), .02) && !s.by_clock);
	speed = 1;
	s = (struct stood){0};
	CHECK(near(sample(&s, &none, .594, EACH), .02) && !s.by_clock);
	mute = true;
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .594, EACH), .02) && !s.by_clock);
	return unit_end();
}
