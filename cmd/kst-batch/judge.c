/* SPDX-License-Identifier: ISC */
/* Judges a unit by the summaries that its filters wrote. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

enum { FILTERS = 4 }; /* of kst-json, kst-sym, kst-clean and kst-fold */

static bool
is_word(const char *s, const char *words)
{
	return opt_word(words, s, strlen(s)) >= 0;
}

/* The rest of the line that begins with `word` and a blank, or NULL. */
static const char *
line_of(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, word, len) == 0 && p[len] == ' ')
			return p + len;
	}
	return NULL;
}

static const char *
summary_of(const char *text, const char *filter)
{
	char word[40];

	snprintf(word, sizeof word, "command=%s", filter);
	return line_of(text, word);
}

/* What follows ` key=` before the message and the line's end, or NULL. */
static const char *
value(const char *summary, const char *key)
{
	size_t len = strlen(key);
	const char *s = summary;

	for (; s && *s && *s != '\n'; s += 1 + strcspn(s + 1, " \n"))
		if (strncmp(s + 1, key, len) == 0 && s[1 + len] == '=')
			return s + 2 + len;
		else if (strncmp(s + 1, "what=", 5) == 0)
			break;
	return NULL;
}

static uint64_t
number(const char *summary, const char *key)
{
	const char *s = value(summary, key);

	return s ? strtoull(s, NULL, 10) : 0;
}

/* The text of the first fault; to be freed. */
static char *
what_of(const char *summary)
{
	const char *s = value(summary, "what");
	struct buf what = BUF_INIT;

	for (s = s && *s == '"' ? s + 1 : ""; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		buf_addc(&what, *s);
	}
	buf_str(&what);
	return what.p;
}

/* A filter whose status is not 0; only the first one reads the capture. */
static void
judge_filter(
    struct record *r, const char *name, const char *summary, bool reads_capture)
{
	uint64_t status = number(summary, "status"),
		 line = number(summary, "line");
	char *what = what_of(summary);

	if (status != EXIT_FAILED)
		record_say(r, STATUS_FAILED,
		    "%s ended with status %" PRIu64 "%s%s", name, status,
		    *what ? ": " : "", what);
	else if (reads_capture)
		record_say(r, STATUS_BROKEN, "%s", what);
	else
		record_say(r, STATUS_BROKEN, "%s: line %" PRIu64 ": %s", name,
		    line, what);
	if (r->faults == 0 && r->status == STATUS_BROKEN) {
		r->faults = number(summary, "faults");
		r->line = reads_capture ? line : 0;
	}
	free(what);
}

/* What comes before the filters of a packed capture. */
static void
judge_unpacker(struct record *r, const char *name, const char *text)
{
	char word[20];
	const char *s;
	uint64_t status;

	snprintf(word, sizeof word, "unpack=%s", name);
	s = line_of(text, word);
	status = number(s, "status");
	if (s == NULL)
		record_say(r, STATUS_FAILED, "%s did not get to its end", name);
	else if (status > 128 && status != 128 + SIGPIPE)
		record_say(r, STATUS_FAILED, "%s was killed by signal %d", name,
		    (int)status - 128);
	else if (status != 0 && status < 128) {
		record_say(r, STATUS_BROKEN,
		    "damaged or cut off: %s ended with status %d", name,
		    (int)status);
		r->faults++;
		r->line = r->lines ? r->lines : 1;
	}
}

static void
judge_picture(struct record *r, const char *text)
{
	const char *s = summary_of(text, "kst-svg");
	uint64_t status = number(s, "status");

	if (s == NULL)
		record_say(r, STATUS_FAILED, "kst-svg did not end");
	else if (status == EXIT_FAILED)
		record_say(
		    r, STATUS_BROKEN, "there is little or nothing to draw");
	else if (status != EXIT_OK)
		record_say(r, STATUS_FAILED,
		    "kst-svg ended with status %" PRIu64, status);
}

/* The names of the filters that read the unit one after the other. */
static size_t
filters_of(const struct batch *b, const struct unit *u, const char *text,
    const char **names)
{
	const struct steps *s = &b->o->steps;
	size_t n = 0;

	if (strncmp(text, "json\n", 5) == 0)
		names[n++] = "kst-json";
	for (int i = STEP_SYM; i < STEP_FOLD && u->item; i++)
		if (s->step[i].n)
			names[n++] = s->step[i].v[0];
	names[n++] = "kst-fold";
	return n;
}

/* How many bytes of text the unit has; UINT64_MAX: nobody knows. */
static uint64_t
bytes_of(const struct unit *u)
{
	if (u->sum)
		return u->sum->size;
	return is_word(u->kind, "small text json") ? u->item->size : UINT64_MAX;
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

static void
judge_filters(const struct batch *b, const struct unit *u, const char *base,
    const char *text, struct record *r)
{
	const char *names[FILTERS], *s[FILTERS];
	size_t n = filters_of(b, u, text, names);
	uint64_t want = bytes_of(u);

	/* those before the last missing one may have died of SIGPIPE */
	for (size_t i = n; i-- > 0;) {
		s[i] = summary_of(text, names[i]);
		if (s[i] == NULL) {
			judge_silence(r, base, names[i]);
			return;
		}
	}
	r->bytes = number(s[0], "bytes");
	r->lines = number(s[0], "lines");
	r->captures = number(s[n - 1], "captures");
	r->stacks = number(s[n - 1], "stacks");
	if (is_word(u->kind, "gzip xz zstd"))
		judge_unpacker(r, u->kind, text);
	for (size_t i = 0; i < n; i++)
		if (number(s[i], "status") != EXIT_OK)
			judge_filter(r, names[i], s[i], i == 0);
	if (r->bytes < want && want != UINT64_MAX)
		record_say(r, STATUS_FAILED,
		    "only %" PRIu64 " of %" PRIu64 " bytes could be read",
		    r->bytes, want);
	if (r->status == STATUS_OK && u->item && !is_word(u->kind, "part") &&
	    r->stacks + number(s[n - 1], "left-out") == 0) {
		record_say(r, STATUS_BROKEN, "no stack is in this file");
		r->line = r->faults = 1;
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
judge(const struct batch *b, const struct unit *u, const char *base,
    struct record *r)
{
	struct buf path = BUF_INIT, text = BUF_INIT;

	memset(r, 0, sizeof *r);
	buf_printf(&path, "%s.sum", base);
	if (file_read(buf_str(&path), &text) != 0) {
		judge_silence(r, base, "its worker");
	} else {
		if (is_word(u->kind, "foreign")) {
			record_say(r, STATUS_BROKEN,
			    "packed, and not by gzip, zstd or xz");
			r->line = r->faults = 1;
		} else if (!is_word(u->kind, "draw"))
			judge_filters(b, u, base, text.p, r);
		if (b->svg_key && !is_word(u->kind, "part") &&
		    r->status != STATUS_FAILED)
			judge_picture(r, text.p);
	}
	/* filters wrote a sum's input: damage there is our failure */
	if (u->item == NULL && r->status == STATUS_BROKEN)
		r->status = STATUS_FAILED;
	if (u->item && !is_word(u->kind, "part")) {
		r->size = r->bytes = u->item->size;
		r->mtime = u->item->mtime;
	}
	r->folded = size_of(base, ".folded");
	r->svg = size_of(base, ".svg");
	buf_done(&path);
	buf_done(&text);
}
