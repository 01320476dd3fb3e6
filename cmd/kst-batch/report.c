/* SPDX-License-Identifier: ISC */
/* Takes each item's outcome to the state, the terminal and the table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/msg.h"
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
	if (i->made.status != STATUS_FAILED &&
	    file_rename(
		text_of("%s%s", base, suffix), item_output(b, i, suffix)) != 0)
		outcome_fault(
		    &i->made, STATUS_FAILED, 0, "%s", strerror(errno));
}

void
report_result(struct batch *b, struct item *i, const char *base)
{
	i->done = true;
	if (b->svg_key)
		install(b, i, base, ".svg");
	if (!i->draw_only)
		install(b, i, base, ".folded");
	if (i->made.status != STATUS_OK)
		say(b, i);
	if (i->made.status == STATUS_FAILED) {
		b->unmade |= i->is_sum;
		return;
	}
	i->made.svg_key = b->svg_key;
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
	if (n[STATUS_FAILED] || b->unmade)
		return EXIT_SYSTEM;
	return n[STATUS_BROKEN] || b->unreadable ? EXIT_FAILED : EXIT_OK;
}

/* Roughly, by what docs/scaling.md has measured. */
void
report_cost(const struct batch *b)
{
	double here = 0, host = b->o->send ? 2 : 1;
	size_t n = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		struct item *i = &b->items.v[k];

		if (i->why == WHY_NOT || plan_kind(b, i) != 0)
			continue;
		n++;
		here += 0.001 + (double)i->work / 7e8;
		host += b->o->send ? 0.001 + (double)i->size / 2e8 : 0.0003;
	}
	if (n)
		msg("%zu capture%s about %.1f s of CPU on this machine, or "
		    "%.1f s if %zu host%s%s",
		    n, n == 1 ? " takes" : "s take", here, host, b->n_hosts,
		    b->n_hosts == 1 ? " folds them" : "s fold them",
		    host > here / 2 ? ": that does not pay" : "");
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
