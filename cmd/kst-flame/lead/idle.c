/* SPDX-License-Identifier: ISC */
#include "lead/idle.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "flame.h"
#include "facts/again.h"
#include "facts/scan.h"
#include "trace/trace.h"

bool
idle_knows_threads(const struct plan *p)
{
	const int fd = open(p->text, O_RDONLY | O_CLOEXEC);
	char line[8192];
	const char *value;
	size_t len = 0;
	ssize_t n = fd >= 0 ? read(fd, line, sizeof line) : -1;

	if (fd >= 0)
		close(fd);
	while (n > 0 && len < (size_t)n && line[len] != '\n')
		len++;
	return len > 0 && trace_meta_get(line, len, "threads", &value, &len) &&
	       bytes_is(value, len, "known");
}

/* In seconds: how long a piece is, and what is worth a line. */
static const double PIECE = 1;

/* Shares in percent: of a CPU that is idle, and before it was. */
enum { RUNS = 10, IDLE_BEFORE = 50, PART = 20 };

/* How many CPUs of captures [from, to) run, and how many there are. */
static void
count(
    const struct scan *s, size_t from, size_t to, double *running, double *all)
{
	*running = *all = 0;
	for (; from < to; from++) {
		*running += s->capture[from].running;
		*all += s->capture[from].cpus;
	}
}

/*
 * Where the last captures begin in which all CPUs are idle, piece by piece, but
 * for ticks of timers.
 */
static size_t
find_tail(const struct scan *s)
{
	size_t tail = s->n;
	double running, all;

	while (tail > 0) {
		size_t from = tail - 1;

		while (
		    from > 0 &&
		    s->capture[tail - 1].time - s->capture[from].time < PIECE)
			from--;
		count(s, from, tail, &running, &all);
		if (100 * running > RUNS * all)
			return tail;
		tail = from;
	}
	return tail;
}

bool
idle_ended(const struct plan *p, struct buf *lines)
{
	struct scan s = {0};
	double running, all, last, whole;
	size_t tail;
	bool ended = false;

	scan_read(&s, p);
	tail = find_tail(&s);
	if (tail > 0 && tail < s.n) {
		count(&s, 0, tail, &running, &all);
		last = s.capture[s.n - 1].time - s.capture[tail].time;
		whole = s.capture[s.n - 1].time - s.capture[0].time;
		ended = last >= 2 * PIECE && 100 * last >= PART * whole &&
			100 * (all - running) < IDLE_BEFORE * all;
	}
	if (ended) {
		buf_printf(
		    lines, "idle for the last %.0f s of %.0f s", last, whole);
		if (p->argv)
			buf_adds(lines, ": --until 'TEXT' ends the run at a "
					"line of the guest's log");
		buf_addc(lines, '\n');
	}
	scan_done(&s);
	return ended;
}

void
idle_add(const struct plan *p, double share, struct buf *lines)
{
	buf_printf(lines, "idle %.0f %%: the guest waits", share);
	if (idle_knows_threads(p) || (p->argv && again_counts(p)))
		buf_adds(lines, "; in which functions: kst ");
	if (!idle_knows_threads(p) && p->argv && again_counts(p)) {
		buf_adds(lines, "count");
		again_count(p, "--what waiting", "-d 15", lines);
		buf_adds(lines, " | kst top --sort total");
	} else if (idle_knows_threads(p) && p->argv) {
		buf_adds(lines, "flame --waiting");
		again_range(p->o, lines);
		again_boot(p, "--keep w.txt -o w.svg", lines);
	} else if (idle_knows_threads(p)) {
		buf_adds(lines, "threads");
		again_guest(p, lines);
	}
	buf_addc(lines, '\n');
}
