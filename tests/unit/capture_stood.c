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
static bool mute, riscv, raspi;
static bool sleepy;  /* that the guest goes is seen late, at times */
static unsigned off; /* of the last stops, those not told to 40 % */
static unsigned asked;

static int
ask(void *arg, const char *command, struct buf *text)
{
	(void)arg;
	if (strcmp(command, "info mtree -f") == 0 && raspi)
		buf_adds(text,
		    " AS \"dwc2\", root: bcm2835-gpu\r\n"
		    "  000000007e003000-000000007e00301f (prio 0, i/o): "
		    "bcm2835-sys-timer\r\n"
		    " AS \"memory\", root: system\r\n"
		    "  000000003f003000-000000003f00301f (prio 0, i/o): "
		    "bcm2835-sys-timer\r\n");
	else if (strcmp(command, "xp/wx 0x3f003004") == 0)
		buf_printf(text, "000000003f003004: 0x%08x\r\n",
		    (unsigned)(uint64_t)(guest * speed * 1e-3));
	else if (strcmp(command, "info mtree -f") == 0 && riscv)
		buf_adds(text,
		    " AS \"memory\", root: system\r\n"
		    "  0000000002000000-0000000002003fff (prio 0, i/o): "
		    "riscv.aclint.swi\r\n"
		    "  0000000002004000-000000000200bfff (prio 0, i/o): "
		    "riscv.aclint.mtimer\r\n");
	else if (strcmp(command, "xp/gx 0x200bff8") == 0)
		buf_printf(text, "000000000200bff8: 0x%016" PRIx64 "\r\n",
		    (uint64_t)(guest * speed * 1e-2));
	else if (strcmp(command, "info mtree -f") == 0)
		buf_adds(text,
		    " AS \"I/O\", root: io\r\n"
		    "  000000000000b008-000000000000b00b (prio 0, i/o): "
		    "acpi-tmr\r\n  0000000000000cf8-0000000000000cfb x\r\n");
	else if (strcmp(command, "i/wx 0xb008") == 0 && !mute)
		buf_printf(text, "portl[0xb008] = 0x%08x\r\n",
		    (unsigned)((uint64_t)(guest * speed * 3579545e-9) &
			       0xffffff));
	asked++;
	return 0;
}

/* As by a PC whose firmware is not yet done: the timer appears after 1 s. */
static int
ask_late(void *arg, const char *command, struct buf *text)
{
	if (guest < 1e9 && strcmp(command, "info mtree -f") == 0)
		return 0;
	return ask(arg, command, text);
}

static const struct monitor boots = {ask_late, NULL};
static const struct monitor monitor = {ask, NULL}, none = {NULL, NULL};

static bool
near(double ratio, double by)
{
	return ratio > 1 - by && ratio < 1 + by;
}

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
		    .gone = begin + 100 * US * long_one +
			    (sleepy && i % 3 == 0 ? 2000 * US : 0)};
		const double stands = lost * 100 * US * (double)long_one;
		double told;

		stood_look(s, &stop, m);
		told = (double)stood_add(s, &stop);
		off += i > STOPS / 2 && !near(told / stands, .4);
		said += told;
		sum += stands;
		guest += (double)each - stands;
	}
	return said / sum;
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
	/* processors wake a little after they were seen to go */
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, 1.1, EACH), .02));
	CHECK(s.by_clock);
	/* each stop, though we sleep when the guest goes on */
	s = (struct stood){0};
	sleepy = true;
	off = 0;
	CHECK(near(sample(&s, &monitor, .8, EACH), .02));
	CHECK(s.by_clock && off == 0);
	sleepy = false;
	/* rarely: the timer wraps in between, at times twice */
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .8, UINT64_C(11) * 1000000 * US), .02));
	CHECK(s.by_clock);
	/* of riscv64; one that counts at another rate is not believed */
	riscv = true;
	for (int i = 2; i <= 9; i++) {
		s = (struct stood){0};
		CHECK(near(sample(&s, &monitor, i / 10.0, EACH), .02));
		CHECK(s.by_clock);
	}
	speed = .1;
	s = (struct stood){0};
	CHECK(near(sample(&s, &monitor, .594, EACH), .02) && !s.by_clock);
	speed = 1;
	riscv = false;
	/* of the Raspberry Pi, which is elsewhere for the video processor */
	raspi = true;
	for (int i = 2; i <= 9; i++) {
		s = (struct stood){0};
		CHECK(near(sample(&s, &monitor, i / 10.0, EACH), .02));
		CHECK(s.by_clock);
	}
	raspi = false;
	/* a timer that is there later */
	s = (struct stood){0};
	CHECK(near(sample(&s, &boots, .8, EACH), .03));
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
