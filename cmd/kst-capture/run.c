/* SPDX-License-Identifier: ISC */
/* Sample by sample: waiting, taking, writing, and what is said at the end. */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest/backend.h"
#include "wire/clock.h"
#include "base/msg.h"
#include "io/out.h"
#include "base/summary.h"
#include "elf/elfsym.h"

enum { BAR_WIDTH = 30, BAR_PERIOD = 100000000 /* ns */ };

/* So few may all be of a boot loader. */
enum { FRAMES_MIN = 20 };

struct run {
	const struct run_options *o;
	const struct target *t;
	struct sample sample;
	struct stats stops;
	struct pace pace;
	struct budget budget;
	uint64_t limited; /* samples left out to keep to that */
	uint64_t taken, failed, n[COUNTS];
	enum sampled last;
	bool bar;	 /* one is wanted on the terminal, */
	uint64_t redraw; /* not 0: it is there; when next, ns since the start */
	bool was_up;	 /* a CPU was outside of the firmware */
	bool by_clock;	 /* a clock of the guest told how long stops are */
};

/* Writes what is in the buffer; the guest runs meanwhile. */
static bool
write_out(void)
{
	signals_free();
	out_flush();
	signals_hold();
	return out.err == 0;
}

static bool
write_sample(struct run *r)
{
	const struct sample *s = &r->sample;

	out_printf("[kst-capture seq=%" PRIu64 " time=%" PRIu64 ".%09" PRIu64
		   " stop-ns=%" PRIu64,
	    r->taken, s->time / NS_PER_S, s->time % NS_PER_S, s->stop_ns);
	if (s->slide != 0)
		out_printf(" slide=0x%" PRIx64, s->slide);
	out_puts("]\n");
	out_put(s->text.p, s->text.len);
	return write_out();
}

static bool
is_done(const struct run *r, uint64_t due)
{
	const struct run_options *o = r->o;

	return signals_caught > 0 ||
	       (o->samples && r->taken + r->failed >= o->samples) ||
	       (o->duration && due - r->pace.start >= o->duration);
}

/* Whether a guest that had left its firmware is back in it, and all ends. */
static bool
has_rebooted(struct run *r)
{
	/* Firmware moves about: a kernel, with names, tells of its end. */
	if (r->t->start && r->t->n_image == 0)
		return false;
	r->n[COUNT_REBOOTS] += r->sample.rebooted && r->was_up;
	r->was_up &= !r->sample.rebooted;
	if (!sample_is_boot(&r->sample)) {
		r->was_up |= r->t->check || r->sample.n[COUNT_NAMED] > 0;
		return false;
	}
	if (!r->was_up)
		return false;
	r->was_up = false;
	if (r->t->check) {
		msg("the guest has rebooted: all its CPUs are in the firmware");
		r->last = SAMPLE_REBOOTED;
	}
	r->n[COUNT_REBOOTS] += !r->t->check;
	return r->t->check;
}

/* Returns false when there is nothing more to sample or to write to. */
static bool
take_one(struct run *r, void *state)
{
	uint64_t time = clock_wall();

	r->last = r->o->backend->sample(state, &r->sample);
	switch (r->last) {
	case SAMPLE_OK:
		if (has_rebooted(r))
			return false;
		r->taken++;
		for (int k = 0; k < COUNTS; k++)
			r->n[k] += r->sample.n[k];
		stats_add(&r->stops, r->sample.stop_ns);
		r->by_clock = r->sample.by_clock;
		return write_sample(r);
	case SAMPLE_FAILED:
		r->failed++;
		out_printf("[kst-failed time=%" PRIu64 ".%09" PRIu64 "]\n",
		    time / NS_PER_S, time % NS_PER_S);
		return write_out();
	default:
		return false;
	}
}

/* The larger of the two shares, samples and time, 0 to 1. */
static double
share_done(const struct run_options *o, uint64_t samples, uint64_t elapsed)
{
	double a = o->samples ? (double)samples / (double)o->samples : 0;
	double b = o->duration ? (double)elapsed / (double)o->duration : 0;
	double share = a > b ? a : b;

	return share < 1 ? share : 1;
}

/* At most ten times a second. */
static void
show_bar(struct run *r)
{
	uint64_t samples = r->taken + r->failed;
	uint64_t elapsed = clock_now() - r->pace.start;
	double share = share_done(r->o, samples, elapsed);
	double seconds = (double)elapsed / 1e9;
	char bar[BAR_WIDTH + 1] = "";

	if (!r->bar || elapsed < r->redraw)
		return;
	r->redraw = elapsed + BAR_PERIOD;
	memset(bar, '.', BAR_WIDTH);
	memset(bar, '#', (size_t)(share * BAR_WIDTH));
	fprintf(stderr, "\r[%s] %3.0f %%  %" PRIu64 " samples  %.1f/s  ", bar,
	    share * 100, samples, seconds > 0 ? (double)samples / seconds : 0);
	if (share > 0)
		fprintf(stderr, "%.0f s left", seconds / share - seconds);
	fprintf(stderr, "\033[K");
	fflush(stderr);
}

/* The time of the next sample, which the guest's time allows. */
static uint64_t
next_due(struct run *r)
{
	const uint64_t now = clock_now();
	const uint64_t allowed = budget_next(
	    &r->budget, now, r->last == SAMPLE_OK ? r->sample.stop_ns : 0);
	uint64_t due = pace_next(&r->pace, now);

	if (r->pace.step == 0)
		return due > allowed ? due : allowed;
	for (; allowed > now && due < allowed; r->limited++)
		due = pace_next(&r->pace, now);
	return due;
}

/* At a signal of the program that has started this one: how it is then. */
static void
take_last(struct run *r, void *state)
{
	if (signals_caught != 1 || !r->t->told || r->taken == 0 ||
	    r->last != SAMPLE_OK)
		return;
	take_one(r, state);
	if (r->last == SAMPLE_GONE)
		r->last = SAMPLE_OK; /* so has the program that was told */
}

static void
sample_all(struct run *r, void *state)
{
	uint64_t due = r->pace.start = clock_now();

	for (;;) {
		if (is_done(r, due))
			return;
		r->last = r->o->backend->idle(state, due);
		if (r->last != SAMPLE_OK || signals_caught > 0)
			return;
		if (!take_one(r, state))
			return;
		show_bar(r);
		due = next_due(r);
	}
}

/* That the rate fell, or that it was kept at more than the usual cost. */
static void
say_limit(const struct run *r, double rate, double share)
{
	const double hz = r->pace.step ? 1e9 / (double)r->pace.step : 0;

	if (r->limited)
		msg("%.0f Hz of %.0f, to stop the guest for at most %g %% of "
		    "the time%s (--max-stop)",
		    rate, hz, 100 * r->budget.share,
		    r->budget.free > 0 ? " after 0.3 s of stops" : "");
	else if (r->budget.share <= 0 && share > 100 * MAX_STOP &&
		 !r->t->paused)
		msg("that rate takes more than %g %% of the guest's time; "
		    "--max-stop limits it",
		    100 * MAX_STOP);
}

/* For people; why: stacks are truncated. */
static void
say_all(const struct run *r, uint64_t wall, uint64_t median, uint64_t p99,
    const char *why)
{
	double seconds = (double)wall / 1e9;
	double rate = seconds > 0 ? (double)r->taken / seconds : 0;
	double share = wall ? 100 * (double)r->stops.sum / (double)wall : 0;
	char m[24], p[24];

	msg("%" PRIu64 " samples taken, %" PRIu64 " failed, in %.2f s: %.1f a "
	    "second",
	    r->taken, r->failed, seconds, rate);
	if (r->pace.missed)
		msg("%" PRIu64 " of %" PRIu64
		    " samples were skipped: the ones before them took too long",
		    r->pace.missed, r->pace.missed + r->taken + r->failed);
	say_limit(r, rate, share);
	ends_say(r->n, r->taken);
	if (r->n[COUNT_TRUNCATED])
		msg("%" PRIu64 " of %" PRIu64 " stacks are truncated: %s",
		    r->n[COUNT_TRUNCATED], r->n[COUNT_STACKS], why);
	if (r->n[COUNT_UNPROVEN])
		msg("%" PRIu64 " of %" PRIu64
		    " stacks look complete, but no rule confirms where they "
		    "end",
		    r->n[COUNT_UNPROVEN], r->n[COUNT_STACKS]);
	if (r->n[COUNT_HANDLER])
		msg("%" PRIu64 " of %" PRIu64 " stacks end at an exception's "
		    "handler: QEMU before 8.1 does not tell the stack of the "
		    "thread that it interrupted (PSP)",
		    r->n[COUNT_HANDLER], r->n[COUNT_STACKS]);
	if (r->taken)
		msg("the guest was stopped for %s per sample (median; 99 %%: "
		    "%s), %.2g %% of the time, %s",
		    stats_duration(median, m), stats_duration(p99, p), share,
		    r->by_clock ? "measured by its own timer"
				: "measured from outside");
}

/* Why the capture has ended, as kst(7) has it. */
static const char *
end_of(const struct run *r)
{
	static const char *const ends[] = {[SAMPLE_LOST] = "lost",
	    [SAMPLE_GONE] = "gone",
	    [SAMPLE_STOPPED] = "stopped",
	    [SAMPLE_REBOOTED] = "rebooted",
	    [SAMPLE_OTHER] = "lost",
	    [SAMPLE_HURRY] = "signal"};

	if (r->last >= SAMPLE_LOST)
		return ends[r->last];
	return out.err ? "output" : signals_caught ? "signal" : "limit";
}

static void
say_summary(const struct run *r, uint64_t wall)
{
	uint64_t median = stats_quantile(&r->stops, 0.5);
	uint64_t p99 = stats_quantile(&r->stops, 0.99);
	struct buf b = BUF_INIT;

	if (r->limited)
		buf_printf(&b, " max-stop=%g", 100 * r->budget.share);
	if (r->n[COUNT_HANDLER])
		buf_printf(&b, " handlers=%" PRIu64, r->n[COUNT_HANDLER]);
	ends_put(r->n, &b);
	out_printf("[kst-capture-summary taken=%" PRIu64 " failed=%" PRIu64
		   " missed=%" PRIu64 " limited=%" PRIu64 " wall-ns=%" PRIu64
		   " stop-median-ns=%" PRIu64 " stop-p99-ns=%" PRIu64
		   " stop-sum-ns=%" PRIu64 " stacks=%" PRIu64 " user=%" PRIu64
		   " unproven=%" PRIu64 "%s stop-by=%s end=%s]\n",
	    r->taken, r->failed, r->pace.missed, r->limited, wall, median, p99,
	    r->stops.sum, r->n[COUNT_STACKS], r->n[COUNT_USER],
	    r->n[COUNT_UNPROVEN], buf_str(&b),
	    r->by_clock ? "timer" : "outside", end_of(r));
	b.len = 0;
	ends_words(r->n, &b);
	if (!r->o->quiet)
		say_all(r, wall, median, p99, buf_str(&b));
	buf_done(&b);
}

/* Where hardly any frame has a name: what gives names. */
static void
say_names(const struct run *r)
{
	const struct target *t = r->t;
	struct buf from = BUF_INIT;
	struct elfsym_func any;

	if (r->n[COUNT_FRAMES] < FRAMES_MIN ||
	    r->n[COUNT_NAMED] * 10 >= r->n[COUNT_FRAMES])
		return;
	if (t->n_image == 0)
		buf_adds(&from,
		    "give the kernel with -e, as an ELF file with symbols or, "
		    "for Linux, as vmlinuz (on Debian, install "
		    "linux-image-VERSION-dbg for symbols)");
	else if (!elfsym_nth(t->image[0].sym, 0, &any))
		buf_printf(&from, ELFSYM_NO_SYMBOLS,
		    msg_str(elfsym_path(t->image[0].sym)));
	else
		buf_adds(&from,
		    "the rest is code of none of the given files; add programs "
		    "and libraries with -e");
	if (r->n[COUNT_NAMED] == 0)
		msg("no frame has a name: %s", buf_str(&from));
	else
		msg("only %" PRIu64 " of %" PRIu64 " frames have names: %s",
		    r->n[COUNT_NAMED], r->n[COUNT_FRAMES], buf_str(&from));
	buf_done(&from);
}

/* For the program that has started this one. */
static void
summarize(const struct run *r, const char *end)
{
	summary_count("taken", r->taken);
	summary_count("failed", r->failed);
	summary_count("missed", r->pace.missed);
	summary_count("stacks", r->n[COUNT_STACKS]);
	summary_count("truncated", r->n[COUNT_TRUNCATED]);
	summary_count("unproven", r->n[COUNT_UNPROVEN]);
	if (r->n[COUNT_FRAMES] >= FRAMES_MIN && r->n[COUNT_NAMED] == 0)
		summary_word("names", "none");
	summary_word("end", end);
}

int
run(const struct run_options *o, const struct target *t)
{
	struct run r = {.o = o,
	    .t = t,
	    .pace = o->pace,
	    .budget.share = t->paused ? 0 : o->max_stop,
	    .budget.free = o->free_stop,
	    .bar = !o->quiet && isatty(STDERR_FILENO)};
	bool hurry, lost, unresumed;
	void *state = o->backend->open(t);

	if (state == NULL) {
		summarize(&r, "unreached");
		return EXIT_FAILED;
	}
	out_put(o->info.p, o->info.len);
	if (write_out()) {
		sample_all(&r, state);
		take_last(&r, state);
	}
	if (t->raw)
		r.n[COUNT_FRAMES] = 0; /* nobody wants names */
	if (r.redraw != 0)
		fprintf(stderr, "\r\033[K");
	hurry = r.last == SAMPLE_HURRY;
	lost = r.last >= SAMPLE_LOST && !hurry;
	unresumed = o->backend->close(state, hurry) != 0;
	if (out.err == EPIPE)
		signals_die_of_pipe();
	if (r.pace.start)
		say_summary(&r, clock_now() - r.pace.start);
	say_names(&r);
	if (!write_out() && out.err == EPIPE)
		signals_die_of_pipe();
	summarize(&r, end_of(&r));
	buf_done(&r.sample.text);
	if (r.taken == 0 && r.failed > 0)
		msg("none of %" PRIu64 " samples could be taken", r.failed);
	if (r.taken > 0 && r.n[COUNT_STACKS] == 0)
		msg("no sample has a CPU in %s (if the kernel begins "
		    "elsewhere, give --kernel-base)",
		    t->no_user ? "the kernel" : "user mode");
	return lost || unresumed || (r.taken > 0 && r.n[COUNT_STACKS] == 0) ||
		       (r.taken == 0 && signals_caught == 0)
		   ? EXIT_FAILED
		   : EXIT_OK;
}
