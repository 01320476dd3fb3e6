/* SPDX-License-Identifier: ISC */
/* Takes each item's outcome to the state, the terminal and the table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "io/out.h"
#include "batch.h"

static const char *const status_names[] = {"ok", "broken", "failed"};

/* `LINE: WHAT`, as far as known; msg_text() takes 200 bytes at a time. */
static const char *
reason(const struct outcome *r)
{
	const char *what = r->what ? r->what : "";
	size_t len = strlen(what), first = len < 190 ? len : 190;

	return text_of("%s%s%s",
	    r->line ? text_of("%" PRIu64 ": ", r->line) : "",
	    msg_text(what, first), msg_text(what + first, len - first));
}

static void
say(const struct batch *b, const struct item *i)
{
	if (b->bar)
		fputs("\r\033[K", stderr);
	msg("%s:%s%s", msg_str(path_name(b, i->path)), i->made.line ? "" : " ",
	    reason(&i->made));
}

/* An output gets its name. */
static void
install(
    const struct batch *b, struct item *i, const char *base, const char *suffix)
{
	if (b->tag == NULL && i->made.status != STATUS_FAILED &&
	    file_rename(
		text_of("%s%s", base, suffix), item_output(b, i, suffix)) != 0)
		outcome_fault(
		    &i->made, STATUS_FAILED, 0, "%s", strerror(errno));
}

/* On a host: when nobody reads that any more, it ends. */
static void
tell(struct batch *b, const struct item *i)
{
	if (b->o->send)
		(void)unlink(i->path);
	out_printf("%s %s %s\n", i->rel, b->tag, outcome_text(&i->made));
	b->gone |= out_flush() != 0;
}

void
report_result(struct batch *b, struct item *i, const char *base)
{
	i->done = true;
	if (b->svg_key)
		install(b, i, base, ".svg");
	if (!i->draw_only)
		install(b, i, base, ".folded");
	if (i->made.status != STATUS_OK && b->tag == NULL)
		say(b, i);
	i->made.svg_key = b->svg_key;
	if (b->tag) {
		tell(b, i);
		return;
	}
	if (i->made.status == STATUS_FAILED) {
		b->unmade |= i->is_sum;
		return;
	}
	if (state_put(b->state, i->rel, &i->made) != 0) {
		if (!b->unmade)
			msg_errno("%s/.kst-batch/state", msg_str(b->out));
		b->unmade = true;
	}
}

void
report_failed(struct batch *b, struct item *i, const char *why)
{
	item_begin(i);
	outcome_fault(&i->made, STATUS_FAILED, 0, "%s", why);
	report_result(b, i, NULL);
}

double
batch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The damaged captures. */
static void
table(const struct batch *b)
{
	bool begun = false;

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];

		if (i->made.status == STATUS_OK)
			continue;
		if (!begun)
			fprintf(stderr, "%-8s %-40s %s\n", "STATUS", "CAPTURE",
			    "LINE: WHAT");
		fprintf(stderr, "%-8s %-40s %s\n", status_names[i->made.status],
		    msg_str(path_name(b, i->path)), reason(&i->made));
		begun = true;
	}
}

int
report_end(const struct batch *b)
{
	double spent = batch_now() - b->begin, mb = 0;
	uint64_t done = 0, current = 0, n[] = {0, 0, 0}; /* of each status */

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];

		n[i->made.status]++;
		done += i->done;
		current += i->why == WHY_NOT;
		mb += i->done && !i->draw_only ? (double)i->size / 1e6 : 0;
	}
	table(b);
	if (!b->o->quiet)
		msg("%zu capture%s: %" PRIu64 " made, %" PRIu64
		    " up to date, %" PRIu64 " broken, %" PRIu64
		    " failed; %.1f MB in %.1f s, %.1f MB/s",
		    b->items.n, b->items.n == 1 ? "" : "s",
		    done - n[STATUS_FAILED], current, n[STATUS_BROKEN],
		    n[STATUS_FAILED], mb, spent, mb / spent);
	if (job_asked() > 0)
		msg("interrupted: the same command continues from here");
	if (n[STATUS_FAILED] || b->unmade || job_asked() > 0)
		return EXIT_SYSTEM;
	return n[STATUS_BROKEN] || b->unreadable ? EXIT_FAILED : EXIT_OK;
}

double
batch_cpu(void)
{
	double sum = 0;

	for (int who = 0; who < 2; who++) {
		struct rusage r;

		if (getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &r) == 0)
			sum +=
			    (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
			    (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) /
				1e6;
	}
	return sum;
}

/* The name in the state of what was measured here, or with such hosts. */
static char *
measure_name(bool hosts, bool send)
{
	static char names[3][16] = {"/cpu:here", "/cpu:hosts", "/cpu:send"};

	return names[hosts ? 1 + send : 0];
}

/* A run of fewer bytes, which tells less, does not replace a larger one. */
void
report_measured(struct batch *b, struct item **v, size_t n, double since)
{
	struct item was = {.rel = measure_name(b->remote, b->o->send)};
	struct outcome now = {
	    .folded = (uint64_t)((batch_cpu() - since) * 1e6)};

	for (size_t k = 0; k < n; k++) {
		now.size += v[k]->draw_only ? 0 : v[k]->work;
		now.captures += !v[k]->draw_only && !v[k]->is_sum;
	}
	if (b->state == NULL || now.captures == 0)
		return;
	state_load(b->state, &was);
	if (!was.known || now.size >= was.made.size / 2)
		(void)state_put(b->state, was.rel, &now);
	free(was.made.what);
}

/* Seconds, as measured; below 0: nothing was. */
static double
cost_of(const struct batch *b, uint64_t bytes, uint64_t n, char *name)
{
	struct item was = {.rel = name};
	double by_bytes, by_n, seconds = -1;

	state_load(b->state, &was);
	if (was.known && was.made.size && was.made.captures) {
		seconds = (double)was.made.folded / 1e6;
		by_bytes = (double)bytes / (double)was.made.size;
		by_n = (double)n / (double)was.made.captures;
		seconds *= by_bytes > by_n ? by_bytes : by_n;
	}
	free(was.made.what);
	return seconds;
}

void
report_cost(const struct batch *b)
{
	double here, host = -1;
	uint64_t bytes = 0, n = 0;

	for (size_t k = 0; k < b->items.n; k++)
		if (b->items.v[k].why != WHY_NOT) {
			n++;
			bytes += b->items.v[k].work;
		}
	here = cost_of(b, bytes, n, measure_name(false, false));
	if (b->o->hosts)
		host = cost_of(b, bytes, n, measure_name(true, b->o->send));
	if (n == 0)
		return;
	msg("%" PRIu64 " capture%s%s%s%s%s", n, n == 1 ? "" : "s",
	    here < 0 ? ": no run was measured here yet"
		     : text_of(": about %.1f s of CPU", here),
	    !b->o->hosts ? ""
	    : host < 0	 ? "; no run with these hosts was measured yet"
		       : text_of("; with these hosts about %.1f s here", host),
	    here >= 0 && host > here / 2 ? ", which is not worth it" : "",
	    here < 0 && host < 0 ? "" : ", judged by earlier runs");
}

void
report_list(const struct batch *b)
{
	static const char *const whys[] = {
	    "current", "new", "changed", "options", "missing", "forced"};

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];

		if (b->o->list || i->why != WHY_NOT)
			out_printf("%s\t%s\t%s\t%s.folded\n", whys[i->why],
			    i->known ? status_names[i->made.status] : "-",
			    text_encode(path_name(b, i->path)),
			    text_encode(i->rel));
	}
	for (size_t k = 0; k < b->sums.n; k++)
		if (b->sums.v[k].why != WHY_NOT)
			out_printf("sum\t-\t-\t%s\n",
			    text_encode(path_name(b, b->sums.v[k].path)));
}
