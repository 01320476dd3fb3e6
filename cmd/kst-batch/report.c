/* SPDX-License-Identifier: ISC */
/* Takes what came of each item to the state, the terminal and the table. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* `LINE: WHAT`, as far as known. */
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
	buf_str(b);
}

static void
say(const struct batch *b, const struct item *i)
{
	const char *name = msg_str(path_name(b, i->path));
	struct buf text = BUF_INIT;

	reason(&text, &i->made);
	if (b->bar)
		fputs("\r\033[K", stderr);
	msg("%s:%s%s", name, i->made.line ? "" : " ", text.p);
	buf_done(&text);
}

/* An output gets its name. */
static void
install(
    const struct batch *b, struct item *i, const char *base, const char *suffix)
{
	if (i->made.status != STATUS_FAILED &&
	    file_rename(
		path_of("%s%s", base, suffix), item_output(b, i, suffix)) != 0)
		record_say(&i->made, STATUS_FAILED, "%s", strerror(errno));
}

void
item_begin(struct item *i)
{
	if (i->draw_only)
		return;
	free(i->made.what);
	i->made =
	    (struct record){.key = i->key, .size = i->size, .mtime = i->mtime};
}

void
report_result(struct batch *b, struct item *i, const char *base)
{
	bool failed;

	i->done = true;
	if (b->svg_key)
		install(b, i, base, ".svg");
	if (!i->draw_only)
		install(b, i, base, ".folded");
	if (i->made.status != STATUS_OK)
		say(b, i);
	failed = i->made.status == STATUS_FAILED;
	if (i->sum == NULL) {
		b->bytes_made += i->draw_only ? 0 : i->size;
		b->failed += failed;
		b->made += !failed;
	} else {
		b->unmade |= failed;
	}
	if (failed)
		return;
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
	record_say(&i->made, STATUS_FAILED, "%s", why);
	report_result(b, i, NULL);
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

		if (i->made.status == STATUS_OK)
			continue;
		if (n++ == 0)
			fprintf(stderr, "%-8s %-40s %s\n", "STATUS", "CAPTURE",
			    "LINE: WHAT");
		broken += i->made.status == STATUS_BROKEN;
		reason(&why, &i->made);
		fprintf(stderr, "%-8s %-40s %s\n", status_names[i->made.status],
		    msg_str(name), why.p);
	}
	buf_done(&why);
	return broken;
}

int
report_end(struct batch *b)
{
	double spent = batch_now() - b->begin, mb = (double)b->bytes_made / 1e6;
	uint64_t broken = table(b), current = 0;

	for (size_t k = 0; k < b->items.n; k++)
		current += b->items.v[k].why == WHY_NOT;
	if (!b->o->quiet)
		msg("%zu capture%s: %" PRIu64 " made, %" PRIu64
		    " up to date, %" PRIu64 " broken, %" PRIu64
		    " failed; %.1f MB in %.1f s, %.1f MB/s",
		    b->items.n, b->items.n == 1 ? "" : "s", b->made, current,
		    broken, b->failed, mb, spent, mb / spent);
	if (b->failed || b->unmade)
		return EXIT_SYSTEM;
	return broken || b->unreadable ? EXIT_FAILED : EXIT_OK;
}

/* A row of --list; control characters in names are encoded. */
static void
put_row(const char *why, const char *status, const char *name, const char *to)
{
	const char *const fields[] = {why, status, name, to};
	struct buf line = BUF_INIT;

	for (size_t k = 0; k < 4; k++) {
		text_encode(&line, fields[k], strlen(fields[k]));
		buf_addc(&line, k < 3 ? '\t' : '\n');
	}
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
			    i->known ? status_names[i->made.status] : "-",
			    path_name(b, i->path),
			    path_of("%s.folded", i->rel));
	}
	for (size_t k = 0; k < b->sums.n; k++)
		if (b->sums.v[k].why != WHY_NOT)
			put_row(
			    "sum", "-", "-", path_name(b, b->sums.v[k].path));
}
