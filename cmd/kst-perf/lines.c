/* SPDX-License-Identifier: ISC */
#include "perf.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

enum { COMM_MAX = 15 }; /* bytes of a command's name, in Linux */

/* Takes the next word off the line. */
static struct piece
next_word(struct piece *line)
{
	struct piece w;

	w.len = bytes_take_word(&line->p, &line->len, &w.p);
	return w;
}

static bool
is_digits(struct piece w, char or_this)
{
	for (size_t i = 0; i < w.len; i++)
		if ((w.p[i] < '0' || w.p[i] > '9') && w.p[i] != or_this)
			return false;
	return w.len > 0;
}

/* `123`, or `123/124` */
static bool
take_thread(struct piece w, struct sample_line *s)
{
	const char *slash = memchr(w.p, '/', w.len);
	size_t n = slash ? (size_t)(slash + 1 - w.p) : 0;

	if (n == 1 || n == w.len || !is_digits(w, '/'))
		return false;
	s->pid = (struct piece){w.p, n ? n - 1 : 0};
	s->tid = (struct piece){w.p + n, w.len - n};
	return true;
}

/* `[001]`, or `5123.456789:` */
static bool
take_cpu_or_time(struct piece w, struct sample_line *s)
{
	char last = w.len > 2 ? w.p[w.len - 1] : 0;
	struct piece cpu = {w.p + 1, w.len - 2}, time = {w.p, w.len - 1};

	if (last == ']' && *w.p == '[' && is_digits(cpu, '0'))
		s->cpu = cpu;
	else if (last == ':' && memchr(w.p, '.', w.len) && is_digits(time, '.'))
		s->time = time;
	else
		return false;
	return true;
}

/* What follows the thread: `[001] d..1. 5123.456789: 250000 cycles: REST` */
static bool
take_fields(struct sample_line *s, struct piece line)
{
	struct piece w, after = line;
	uint64_t v;

	for (int i = 0; i < 4 && s->time.len == 0; i++) {
		w = next_word(&after);
		if (take_cpu_or_time(w, s))
			line = after;
		else if (is_digits(w, '0'))
			break; /* others are flags */
	}
	s->rest = line;
	w = next_word(&line);
	if (num_u64(w.p, w.len, &s->period) == 0)
		w = next_word(&line);
	if (w.len > 1 && w.p[w.len - 1] == ':' && *w.p != '[')
		s->event = (struct piece){w.p, w.len - 1};
	if (w.len == 0 || s->event.len)
		s->rest = line;
	else
		s->period = 0; /* it is an address */
	if (s->time.len && s->tid.len)
		return true;
	w = next_word(&line);
	return s->event.len &&
	       (w.len == 0 || (w.len >= 5 && num_hex(w.p, w.len, &v) == 0));
}

/*
 * A command's name may have blanks and numbers, and look like fields: it ends
 * before the last thread after which the line goes on as it should.
 */
bool
line_sample(const char *p, size_t len, struct sample_line *s)
{
	struct piece line = {p, len}, w, comm;
	bool found = false;

	line.len = bytes_trim(&line.p, len);
	comm = (struct piece){line.p, 0};
	while (comm.len <= COMM_MAX || !found) {
		struct sample_line now = {.comm = comm};

		w = next_word(&line);
		if (w.len == 0)
			break;
		if ((take_thread(w, &now) ||
			(!found && take_cpu_or_time(w, &now))) &&
		    take_fields(&now, line) && (!found || now.time.len)) {
			*s = now;
			found = true;
		}
		comm.len = (size_t)(line.p - comm.p);
	}
	return found;
}
