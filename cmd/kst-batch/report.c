/* SPDX-License-Identifier: ISC */
/* Takes what came of each capture to the state, the terminal and the table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/out.h"
#include "base/xalloc.h"
#include "batch.h"

static const char *const status_names[] = {"ok", "broken", "failed"};

const char *
path_name(const struct batch *b, const char *path)
{
	size_t len = strlen(b->cwd);

	if (strncmp(path, b->cwd, len) == 0 && path[len] == '/' &&
	    path[len + 1] != 0)
		return path + len + 1;
	return path;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* `LINE: WHAT (N faults)`, as far as known. */
static void
reason(struct buf *b, const struct record *r)
{
	const char *what = r->what ? r->what : "";
	size_t len = strlen(what);

	b->len = 0;
	if (r->line)
		buf_printf(b, "%" PRIu64 ": ", r->line);
	/* msg_text() takes 200 bytes */
	buf_adds(b, msg_text(what, len < 190 ? len : 190));
	if (len > 190)
		buf_adds(b, msg_text(what + 190, len - 190));
	if (r->faults > 1)
		buf_printf(b, " (%" PRIu64 " faults)", r->faults);
	buf_str(b);
}

static void
say(struct batch *b, const char *path, const struct record *r)
{
	const char *name = path_name(b, path);
	struct buf text = BUF_INIT;

	reason(&text, r);
	report_clear(b);
	msg("%s:%s%s", msg_str(name), r->line ? "" : " ", text.p);
	buf_done(&text);
}

static void
record(struct batch *b, const struct made *made)
{
	if (state_put(b->state, made) == 0)
		return;
	if (!b->unmade)
		msg_errno("%s/.kst-batch/state", msg_str(b->out));
	b->unmade = true;
}

/* The item is complete, with the sum of its parts. */
static void
item_done(struct batch *b, struct item *i)
{
	i->done = true;
	i->failed = i->made.rec.status == STATUS_FAILED;
	if (i->made.rec.status != STATUS_OK)
		say(b, i->path, &i->made.rec);
	if (i->failed) {
		b->failed++;
		return;
	}
	i->made.rel = i->rel;
	i->made.key = b->key;
	i->made.svg_key = b->svg_key;
	b->made++;
	record(b, &i->made);
}

/* Takes over what a unit has said of an item. */
static void
set_record(struct item *i, const struct record *r)
{
	char *what = xstrdup(r->what ? r->what : "");

	free(i->made.rec.what);
	i->made.rec = *r;
	i->made.rec.what = what;
}

/* Only what is known of the picture changes. */
static void
take_drawing(struct item *i, const struct record *r)
{
	if (r->status != STATUS_OK)
		set_record(i, r);
	else
		i->made.rec.svg = r->svg;
}

void
report_parts(struct batch *b, struct item *i, const struct record *r)
{
	set_record(i, r);
	i->failed = r->status == STATUS_FAILED;
	if (i->failed) /* and has no sum */
		item_done(b, i);
}

static void
take_sum(struct batch *b, struct sum *s, const struct record *r)
{
	struct made made = {
	    .rel = s->rel, .key = s->key, .svg_key = b->svg_key, .rec = *r};
	struct item *i = s->item;

	if (i) {
		i->made.rec.folded = r->folded;
		i->made.rec.svg = r->svg;
		if (r->status != STATUS_OK)
			set_record(i, r);
		item_done(b, i);
	} else if (r->status == STATUS_OK) {
		record(b, &made);
	} else {
		say(b, s->folded, r);
		b->unmade = true;
	}
}

/* An output gets its name. */
static void
install(struct record *r, const char *base, const char *suffix, const char *to)
{
	struct buf from = BUF_INIT;

	buf_printf(&from, "%s%s", base, suffix);
	if (r->status != STATUS_FAILED && file_rename(buf_str(&from), to) != 0)
		record_say(r, STATUS_FAILED, "%s", strerror(errno));
	buf_done(&from);
}

static void
install_all(const struct batch *b, const struct unit *u, const char *base,
    struct record *r)
{
	struct buf folded = BUF_INIT, svg = BUF_INIT;

	if (u->sum) {
		buf_adds(&folded, u->sum->folded);
		buf_adds(&svg, u->sum->svg);
	} else {
		buf_printf(&folded, "%s/%s.folded", b->out, u->item->rel);
		buf_printf(&svg, "%s/%s.svg", b->out, u->item->rel);
	}
	if (b->svg_key)
		install(r, base, ".svg", buf_str(&svg));
	if (u->sum || !u->item->draw_only)
		install(r, base, ".folded", buf_str(&folded));
	buf_done(&folded);
	buf_done(&svg);
}

void
report_result(struct batch *b, size_t unit, const char *base, struct record *r)
{
	struct unit *u = &b->units[unit];

	u->done = true;
	install_all(b, u, base, r);
	if (u->sum) {
		take_sum(b, u->sum, r);
		return;
	}
	b->bytes_made += r->bytes;
	if (u->item->draw_only)
		take_drawing(u->item, r);
	else
		set_record(u->item, r);
	item_done(b, u->item);
}

static const char *
amount(double bytes, char *text, size_t size)
{
	static const char units[] = "BkMGTP";
	int u = 0;

	for (; bytes >= 1000 && u < 5; u++)
		bytes /= 1000;
	if (u == 0)
		snprintf(text, size, "%.0f B", bytes);
	else
		snprintf(text, size, "%.1f %cB", bytes, units[u]);
	return text;
}

void
report_clear(struct batch *b)
{
	if (b->shown)
		fputs("\r\033[K", stderr);
	b->shown = false;
}

void
report_progress(struct batch *b)
{
	double t = now(), spent, left;
	char done[32], rate[32];

	if (b->begin == 0)
		b->begin = b->drawn = t;
	spent = t - b->begin;
	if (b->o->quiet || b->bytes_made == 0 || t - b->drawn < 0.4 ||
	    !isatty(STDERR_FILENO))
		return;
	b->drawn = t;
	left = spent * ((double)b->bytes_to_make / (double)b->bytes_made - 1);
	if (left < 0)
		left = 0;
	fprintf(stderr,
	    "\r\033[K%" PRIu64 "/%" PRIu64 " captures, %s, %s/s, %d:%02d left",
	    b->made + b->failed, b->to_make,
	    amount((double)b->bytes_made, done, sizeof done),
	    amount((double)b->bytes_made / spent, rate, sizeof rate),
	    (int)left / 60, (int)left % 60);
	b->shown = true;
}

/* Prints the damaged captures; returns how many are broken. */
static uint64_t
table(const struct batch *b)
{
	struct buf why = BUF_INIT;
	uint64_t broken = 0, n = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];
		const char *name = path_name(b, i->path);

		if (i->made.rec.status == STATUS_OK)
			continue;
		if (n++ == 0)
			fprintf(stderr, "%-8s %-40s %s\n", "STATUS", "CAPTURE",
			    "LINE: WHAT");
		broken += !i->failed;
		reason(&why, &i->made.rec);
		fprintf(stderr, "%-8s %-40s %s\n",
		    status_names[i->made.rec.status], msg_str(name), why.p);
	}
	buf_done(&why);
	return broken;
}

int
report_end(struct batch *b)
{
	double spent = b->begin ? now() - b->begin : 0;
	uint64_t broken = table(b), current = 0;
	char done[32], rate[32];

	for (size_t k = 0; k < b->items.n; k++)
		current += b->items.v[k].why == WHY_NOT;
	if (!b->o->quiet)
		msg("%zu capture%s: %" PRIu64 " made, %" PRIu64
		    " up to date, %" PRIu64 " broken, %" PRIu64
		    " failed; %s in %.1f s, %s/s",
		    b->items.n, b->items.n == 1 ? "" : "s", b->made, current,
		    broken, b->failed,
		    amount((double)b->bytes_made, done, sizeof done), spent,
		    amount(spent > 0 ? (double)b->bytes_made / spent : 0, rate,
			sizeof rate));
	if (b->failed || b->unmade)
		return EXIT_SYSTEM;
	return broken || b->items.unreadable ? EXIT_FAILED : EXIT_OK;
}

/* A row of --list; control characters in names are encoded. */
static void
put_row(const char *why, const char *status, const char *name, const char *rel)
{
	struct buf line = BUF_INIT;

	buf_printf(&line, "%s\t%s\t", why, status);
	text_encode(&line, name, strlen(name), false);
	if (rel) {
		buf_addc(&line, '\t');
		text_encode(&line, rel, strlen(rel), false);
		buf_adds(&line, ".folded");
	}
	buf_addc(&line, '\n');
	out_put(line.p, line.len);
	buf_done(&line);
}

void
report_list(const struct batch *b)
{
	static const char *const whys[] = {
	    "current", "new", "changed", "options", "missing", "forced"};

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];

		if (b->o->list || i->why != WHY_NOT)
			put_row(whys[i->why],
			    i->made.rel ? status_names[i->made.rec.status]
					: "-",
			    path_name(b, i->path), i->rel);
	}
	for (size_t k = 0; b->o->dry_run && k < b->sums.n; k++)
		put_row("sum", "-\t-", path_name(b, b->sums.v[k].folded), NULL);
}
