/* SPDX-License-Identifier: ISC */
/* Judges an item by the summaries that its filters wrote. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "batch.h"

enum { FILTERS = 4 }; /* of kst-json, kst-sym, kst-clean and kst-fold */

/* What the summaries of one filter say together: of all parts, in order. */
struct tally {
	const char *name;
	uint64_t n, status, bytes, lines, captures, stacks, left_out, faults;
	uint64_t line;	 /* of the worst one's first fault */
	uint64_t open;	 /* where a capture begins whose end has not come */
	uint64_t cut;	 /* where the first begins that has none */
	struct buf what; /* that fault */
};

/* The line after p that begins with `word`: what follows it, or NULL. */
static const char *
line_of(const char *p, const char *word)
{
	size_t len = strlen(word);

	for (; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, word, len) == 0 && strchr(" \n", p[len]))
			return p + len;
	}
	return NULL;
}

/* What follows ` key=` before the message and the line's end, or NULL. */
static const char *
value(const char *s, const char *key)
{
	size_t len = strlen(key);

	for (; *s && *s != '\n'; s += 1 + strcspn(s + 1, " \n"))
		if (strncmp(s + 1, key, len) == 0 && s[1 + len] == '=')
			return s + 2 + len;
		else if (strncmp(s + 1, "what=", 5) == 0)
			break;
	return NULL;
}

static uint64_t
number(const char *s, const char *key)
{
	s = value(s, key);
	return s ? strtoull(s, NULL, 10) : 0;
}

static void
set_what(struct buf *what, const char *s)
{
	s = value(s, "what");
	what->len = 0;
	for (s = s && *s == '"' ? s + 1 : ""; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		buf_addc(what, *s);
	}
}

static void
tally(struct tally *t, const char *text, const char *name)
{
	char word[40];

	memset(t, 0, sizeof *t);
	t->name = name;
	snprintf(word, sizeof word, "command=%s", name);
	for (const char *s = text; (s = line_of(s, word)); t->n++) {
		uint64_t status = number(s, "status"), line = number(s, "line");

		if (status > t->status) {
			t->status = status;
			t->line = line ? t->lines + line : 0;
			set_what(&t->what, s);
		}
		if (t->cut == 0 && number(s, "begins"))
			t->cut = t->open;
		if (number(s, "begins") || number(s, "ends"))
			t->open = 0;
		if (number(s, "open"))
			t->open = t->lines + number(s, "open");
		t->bytes += number(s, "bytes");
		t->lines += number(s, "lines");
		t->captures += number(s, "captures");
		t->stacks += number(s, "stacks");
		t->left_out += number(s, "left-out");
		t->faults += number(s, "faults");
	}
}

/* A filter whose status is not 0; only the first one reads the capture. */
static void
judge_filter(struct record *r, struct tally *t, bool reads_capture)
{
	const char *what = buf_str(&t->what);
	char faults[40] = "";

	if (t->faults > 1)
		snprintf(
		    faults, sizeof faults, " (%" PRIu64 " faults)", t->faults);
	if (t->status != EXIT_FAILED)
		record_say(r, STATUS_FAILED,
		    "%s ended with status %" PRIu64 "%s%s", t->name, t->status,
		    *what ? ": " : "", what);
	else if (!reads_capture)
		record_say(r, STATUS_BROKEN, "%s: line %" PRIu64 ": %s%s",
		    t->name, t->line, what, faults);
	else if (r->status == STATUS_OK) {
		record_say(r, STATUS_BROKEN, "%s%s", what, faults);
		r->line = t->line;
	}
}

/* What comes before the filters of a packed capture. */
static void
judge_unpacker(
    struct record *r, const struct item *i, const char *text, uint64_t lines)
{
	const char *name = i->kind, *s;
	uint64_t status;
	char word[20];

	snprintf(word, sizeof word, "unpack=%s", name);
	s = line_of(text, word);
	status = s ? number(s, "status") : 0;
	if (s == NULL)
		record_say(r, STATUS_FAILED, "%s did not get to its end", name);
	else if (status > 128 && status != 128 + SIGPIPE)
		record_say(r, STATUS_FAILED, "%s was killed by signal %d", name,
		    (int)status - 128);
	else if (status != 0 && status < 128) {
		record_say(r, STATUS_BROKEN,
		    "damaged or cut off: %s ended with status %d", name,
		    (int)status);
		r->line = lines ? lines : 1;
	}
}

static void
judge_picture(struct record *r, const char *text)
{
	const char *s = line_of(text, "command=kst-svg");
	uint64_t status = s ? number(s, "status") : EXIT_SYSTEM;

	if (status == EXIT_FAILED)
		record_say(
		    r, STATUS_BROKEN, "there is little or nothing to draw");
	else if (status != EXIT_OK)
		record_say(r, STATUS_FAILED,
		    "kst-svg ended with status %" PRIu64, status);
}

/* A summary is missing: perhaps the disk was full. */
static void
judge_silence(struct record *r, const char *base, const char *who)
{
	static const char some[4096];
	struct buf path = BUF_INIT;

	buf_printf(&path, "%s.test", base);
	if (file_write(buf_str(&path), some, sizeof some) != 0)
		record_say(r, STATUS_FAILED, "below the output folder: %s",
		    strerror(errno));
	(void)unlink(path.p);
	record_say(
	    r, STATUS_FAILED, "%s was killed, or ended without a result", who);
	buf_done(&path);
}

/* What the filters say that read one after the other. */
static size_t
tally_all(const struct batch *b, const struct item *i, const char *text,
    struct tally *t)
{
	const struct steps *s = &b->o->steps;
	size_t n = 0;

	if (strncmp(text, "json\n", 5) == 0)
		tally(&t[n++], text, "kst-json");
	for (int k = STEP_SYM; k < STEP_FOLD && i->sum == NULL; k++)
		if (s->step[k].len)
			tally(&t[n++], text, s->step[k].p);
	tally(&t[n++], text, "kst-fold");
	return n;
}

static void
judge_filters(const struct item *i, const char *base, const char *text,
    struct tally *t, size_t n, struct record *r)
{
	static const char packed[] = "gzip xz zstd";
	uint64_t want = i->sum ? i->work : i->size;

	/* those before the last missing one may have died of SIGPIPE */
	for (size_t k = n; k-- > 0;)
		if (t[k].n == 0 || t[k].n != t[0].n) {
			judge_silence(r, base, t[k].name);
			return;
		}
	r->captures = t[n - 1].captures;
	if (opt_word(packed, i->kind, strlen(i->kind)) >= 0)
		judge_unpacker(r, i, text, t[0].lines);
	else if (t[0].bytes < want)
		record_say(r, STATUS_FAILED,
		    "only %" PRIu64 " of %" PRIu64 " bytes could be read",
		    t[0].bytes, want);
	else if (plan_splits(i) &&
		 !(line_of(text, "joined") && line_of(text, "added")))
		record_say(r, STATUS_FAILED, "the parts were not added up");
	if (t[0].cut || t[0].open) {
		record_say(r, STATUS_BROKEN,
		    "the capture that begins here is cut: it has no end");
		r->line = t[0].cut ? t[0].cut : t[0].open;
	}
	for (size_t k = 0; k < n; k++)
		if (t[k].status != EXIT_OK)
			judge_filter(r, &t[k], k == 0);
	if (r->status == STATUS_OK && i->sum == NULL &&
	    t[n - 1].stacks + t[n - 1].left_out == 0) {
		record_say(r, STATUS_BROKEN, "no stack is in this file");
		r->line = 1;
	}
}

static uint64_t
size_of(const char *base, const char *suffix)
{
	struct buf path = BUF_INIT;
	struct stat st;
	bool there;

	buf_printf(&path, "%s%s", base, suffix);
	there = stat(buf_str(&path), &st) == 0;
	buf_done(&path);
	return there ? (uint64_t)st.st_size : 0;
}

void
judge(const struct batch *b, const struct item *i, const char *base,
    struct record *r)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	struct tally t[FILTERS];
	size_t n = 0;

	memset(r, 0, sizeof *r);
	buf_printf(&path, "%s.sum", base);
	if (file_read(buf_str(&path), &text) != 0) {
		judge_silence(r, base, "its worker");
	} else if (strcmp(i->kind, "foreign") == 0) {
		record_say(
		    r, STATUS_BROKEN, "packed, and not by gzip, zstd or xz");
		r->line = 1;
	} else if (!i->draw_only) {
		n = tally_all(b, i, text.p, t);
		judge_filters(i, base, text.p, t, n, r);
	}
	if (b->svg_key && r->status != STATUS_FAILED)
		judge_picture(r, text.p);
	/* filters wrote a sum's input: damage there is our failure */
	if (i->sum && r->status == STATUS_BROKEN)
		r->status = STATUS_FAILED;
	r->size = i->size;
	r->mtime = i->mtime;
	r->folded = size_of(base, ".folded");
	r->svg = size_of(base, ".svg");
	while (n > 0)
		buf_done(&t[--n].what);
	buf_done(&path);
	buf_done(&text);
}
