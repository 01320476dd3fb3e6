/* SPDX-License-Identifier: ISC */
/* What came of each capture: to the log, the terminal and the table. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "base/msg.h"
#include "base/xalloc.h"

/* Messages of a capture that are said in full. */
enum { SAY_MAX = 20 };

const char *
path_name(const struct batch *b, const char *path)
{
	size_t len = strlen(b->cwd);

	if (strncmp(path, b->cwd, len) == 0 && path[len] == '/' &&
	    path[len + 1] != 0)
		return path + len + 1;
	return path;
}

const char *
item_name(const struct batch *b, const struct item *i)
{
	return path_name(b, i->path);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* In pieces: what msg_text() cuts is long. */
static void
say_line(const char *m, size_t n)
{
	msg("%s%s%s", msg_text(m, n < 180 ? n : 180),
	    n > 180 ? msg_text(m + 180, n - 180 < 180 ? n - 180 : 180) : "",
	    n > 360 ? msg_text(m + 360, n - 360) : "");
}

/* Of a capture in many parts not each says the same. */
static void
say_messages(struct batch *b, struct item *i, const char *m)
{
	report_clear(b);
	while (*m) {
		size_t n = strcspn(m, "\n");

		if (i == NULL || i->said++ < SAY_MAX)
			say_line(m, n);
		m += n + (m[n] == '\n');
	}
}

static void
log_result(struct batch *b, const struct result *r, const char *name)
{
	static const char *const words[] = {"ok", "broken", "failed"};
	struct buf line = BUF_INIT;
	struct timespec t;

	if (b->joblog == NULL)
		return;
	clock_gettime(CLOCK_REALTIME, &t);
	text_encode(&line, name, strlen(name), false);
	fprintf(b->joblog,
	    "%" PRId64 ".%03ld\t%.3f\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
	    (int64_t)t.tv_sec, t.tv_nsec / 1000000, (double)r->usec / 1e6,
	    *r->host ? r->host : "-", words[r->status], r->bytes, r->folded,
	    buf_str(&line));
	fflush(b->joblog);
	buf_done(&line);
}

static void
record(struct batch *b, const struct record *rec)
{
	if (state_put(b->state, rec) == 0)
		return;
	if (!b->broken)
		msg_errno("%s/.kst-batch/state", msg_str(b->out));
	b->broken = true;
}

static void
add_messages(struct record *rec, const char *m)
{
	struct buf all = BUF_INIT;

	if (rec->messages)
		buf_adds(&all, rec->messages);
	if (all.len < 2000)
		buf_adds(&all, m);
	free(rec->messages);
	rec->messages = xstrdup(buf_str(&all));
	buf_done(&all);
}

/* An item is complete: with all its parts, and the sum of them. */
static void
item_done(struct batch *b, struct item *i)
{
	const char *name = item_name(b, i);

	i->done = true;
	if (i->said > SAY_MAX) {
		report_clear(b);
		msg("%s: and %" PRIu32 " more messages", msg_str(name),
		    i->said - SAY_MAX);
	}
	if (i->failed) {
		b->failed++;
	} else {
		i->rec.rel = i->rel;
		i->rec.key = b->key;
		i->rec.svg_key = b->svg_key;
		b->made++;
		b->faulty += i->rec.faulty;
		record(b, &i->rec);
	}
}

/* What is known of the capture stays, but for its picture. */
static void
take_drawing(struct batch *b, struct item *i, const struct result *r)
{
	i->rec.svg = r->svg;
	i->failed = r->status != RESULT_OK;
	if (i->failed)
		add_messages(&i->rec, r->messages);
	b->bytes_made += r->bytes;
	item_done(b, i);
}

static void
take_item(struct batch *b, struct item *i, const struct result *r)
{
	if (i->draw_only) {
		take_drawing(b, i, r);
		return;
	}
	if (i->parts_done == 0) { /* what was known is out of date */
		free(i->rec.messages);
		memset(&i->rec, 0, sizeof i->rec);
	}
	if (i->parts_done > 0 &&
	    (i->rec.size != r->size || i->rec.mtime != r->mtime) &&
	    r->status != RESULT_FAILED && !i->failed) {
		i->failed = true;
		add_messages(&i->rec, "changed while it was read\n");
	}
	i->rec.size = r->size;
	i->rec.mtime = r->mtime;
	i->rec.folded += r->folded;
	i->rec.svg += r->svg;
	i->rec.captures += r->captures;
	i->rec.stacks += r->stacks;
	i->rec.faulty |= r->status == RESULT_FAULTY;
	i->failed |= r->status == RESULT_FAILED;
	add_messages(&i->rec, r->messages);
	i->parts_done++;
	b->bytes_made += r->bytes;
	if (i->parts == 0 || (i->failed && i->parts_done == i->parts))
		item_done(b, i);
}

static void
take_sum(struct batch *b, struct sum *s, const struct result *r)
{
	struct record rec = {.rel = s->rel,
	    .key = s->key,
	    .svg_key = b->svg_key,
	    .folded = r->folded,
	    .svg = r->svg};
	struct item *i = s->item;

	if (i) {
		i->rec.folded = r->folded;
		i->rec.svg = r->svg;
		if (r->status != RESULT_OK) {
			i->failed = true;
			add_messages(&i->rec, r->messages);
		}
		item_done(b, i);
	} else if (r->status == RESULT_OK) {
		record(b, &rec);
	} else {
		b->broken = true;
	}
}

/* Files that another machine has made: to where they belong. */
static int
fetch(struct batch *b, const struct result *r, const struct unit_ref *u)
{
	struct buf to = BUF_INIT;
	int status = 0;

	if (b->o->steps.step[STEP_SVG].n) {
		buf_printf(&to, "%s/%s.svg", b->out, u->item->rel);
		status =
		    hosts_fetch_unit(b, r->id, u->job, ".svg", buf_str(&to));
	}
	to.len = 0;
	buf_printf(&to, "%s/%s.folded", b->out, u->item->rel);
	if (status == 0)
		status =
		    hosts_fetch_unit(b, r->id, u->job, ".folded", buf_str(&to));
	buf_done(&to);
	return status;
}

void
report_result(struct batch *b, struct result *r)
{
	struct unit_ref *u = &b->units[r->id];
	struct buf text = BUF_INIT;

	u->done = true;
	if (b->remote && b->o->send && r->status != RESULT_FAILED) {
		/* what was sent has its time of sending */
		r->mtime = u->item->mtime;
		if (fetch(b, r, u) != 0) {
			if (b->tries > 0) { /* lost on its way: once more */
				u->done = false;
				return;
			}
			buf_printf(&text, "%s: its output: %s\n",
			    item_name(b, u->item), strerror(errno));
			r->status = RESULT_FAILED;
			r->messages = buf_str(&text);
		}
	}
	if (*r->messages)
		say_messages(b, u->item, r->messages);
	log_result(b, r, u->item ? item_name(b, u->item) : u->sum->folded);
	if (u->item)
		take_item(b, u->item, r);
	else
		take_sum(b, u->sum, r);
	buf_done(&text);
}

static const char *
amount(uint64_t bytes, char *text, size_t size)
{
	static const char units[] = "BkMGTP";
	double v = (double)bytes;
	int u = 0;

	for (; v >= 1000 && u < 5; u++)
		v /= 1000;
	if (u == 0)
		snprintf(text, size, "%.0f B", v);
	else
		snprintf(text, size, "%.1f %cB", v, units[u]);
	return text;
}

void
report_clear(struct batch *b)
{
	if (b->on_terminal && b->shown)
		fputs("\r\033[K", stderr);
	b->shown = false;
}

void
report_progress(struct batch *b, bool last)
{
	double t = now(), spent, left;
	char done[32], rate[32];

	if (b->begin == 0)
		b->begin = b->drawn = t;
	spent = t - b->begin;
	if (last || !b->on_terminal) {
		report_clear(b);
		return;
	}
	if (b->bytes_made == 0 || t - b->drawn < 0.4)
		return;
	b->drawn = t;
	left = spent * ((double)b->bytes_to_make / (double)b->bytes_made - 1);
	if (left < 0)
		left = 0;
	fprintf(stderr,
	    "\r\033[K%" PRIu64 "/%" PRIu64 " captures, %s, %s/s, %d:%02d left",
	    b->made + b->failed, b->to_make,
	    amount(b->bytes_made, done, sizeof done),
	    amount(
		(uint64_t)((double)b->bytes_made / spent), rate, sizeof rate),
	    (int)left / 60, (int)left % 60);
	b->shown = true;
}

/* The first message, without the name before it. */
static const char *
first_message(const struct batch *b, const struct item *i)
{
	const char *m = i->rec.messages ? i->rec.messages : "";
	const char *name = item_name(b, i);
	size_t len = strlen(name);

	if (strncmp(m, name, len) == 0 && m[len] == ':')
		m += len + 1 + (m[len + 1] == ' ');
	return msg_text(m, strcspn(m, "\n"));
}

static void
table(const struct batch *b)
{
	uint64_t n = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];
		const char *name = item_name(b, i);

		if (!i->failed && !i->rec.faulty)
			continue;
		if (n++ == 0)
			fprintf(stderr, "%-8s %-40s %s\n", "STATUS", "CAPTURE",
			    "LINE: WHAT");
		fprintf(stderr, "%-8s %-40s %s\n",
		    i->failed ? "failed" : "broken", msg_str(name),
		    first_message(b, i));
	}
}

int
report_end(struct batch *b)
{
	char done[32], rate[32];
	double spent = b->begin ? now() - b->begin : 0;
	uint64_t faulty = 0, current = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];

		current += i->why == WHY_NOT;
		faulty += !i->failed && i->rec.faulty;
	}
	table(b);
	if (!b->o->quiet)
		msg("%zu capture%s: %" PRIu64 " made, %" PRIu64
		    " up to date, %" PRIu64 " broken, %" PRIu64
		    " failed; %s in %.1f s, %s/s",
		    b->items.n, b->items.n == 1 ? "" : "s", b->made, current,
		    faulty, b->failed, amount(b->bytes_made, done, sizeof done),
		    spent,
		    amount(spent > 0 ? (uint64_t)((double)b->bytes_made / spent)
				     : 0,
			rate, sizeof rate));
	return faulty || b->failed || b->broken || b->items.unreadable
		   ? EXIT_FAILED
		   : EXIT_OK;
}
