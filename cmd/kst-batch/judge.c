/* SPDX-License-Identifier: ISC */
/* Judges an item by the summaries that its filters wrote. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "batch.h"

/*
 * Who says a line: the filters that may read one after the other, kst-svg, and
 * the script: how the unpacker ended, that the capture is JSON, that parts are
 * put together, and added up.
 */
enum { JSON, SYM, CLEAN, FOLD, SVG, UNPACK, IS_JSON, ADD, WHO };
static const char names[] =
    "kst-json kst-sym kst-clean kst-fold kst-svg unpack json add";

/* Numbers on a line. */
enum key {
	STATUS,
	LINE,
	BYTES,
	LINES,
	CAPTURES,
	STACKS,
	LEFT_OUT,
	FAULTS,
	BEGINS,
	ENDS,
	OPEN,
	KEYS
};
static const char keys[] = "status line bytes lines captures stacks left-out "
			   "faults begins ends open";

/* The sums of one filter's lines, of all parts in order. */
struct tally {
	const char *name; /* NULL: it does not read this item */
	uint64_t n, sum[KEYS];
	uint64_t status, line; /* of the worst one, and of its first fault */
	const char *what;      /* that fault */
	uint64_t open;	       /* where a capture begins that has not ended */
	uint64_t cut;	       /* where the first begins that has no end */
};

/* Takes the backslashes out, up to the closing quote. */
static char *
unquote(char *s)
{
	char *to = s;

	for (const char *p = s; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		*to++ = *p;
	}
	*to = 0;
	return s;
}

/* Adds a line, `command=NAME KEY=NUMBER ... what="TEXT"`, to its tally. */
static void
tally_line(struct tally *t, char *line)
{
	char *what = strstr(line, " what=\""), *word;
	uint64_t now[KEYS] = {0};
	int who;

	if (what)
		*what = 0;
	word = strsep(&line, " ");
	if (strncmp(word, "command=", 8) != 0)
		return;
	who = opt_word(names, word + 8, strlen(word + 8));
	if (who < 0)
		return;
	t += who;
	while ((word = strsep(&line, " "))) {
		size_t len = strcspn(word, "=");
		int key = opt_word(keys, word, len);

		if (key >= 0 && word[len])
			now[key] = strtoull(word + len + 1, NULL, 10);
	}
	t->n++;
	if (now[STATUS] > t->status) {
		t->status = now[STATUS];
		t->line = now[LINE] ? t->sum[LINES] + now[LINE] : 0;
		t->what = what ? unquote(what + 7) : "";
	}
	if (t->cut == 0 && now[BEGINS])
		t->cut = t->open;
	if (now[BEGINS] || now[ENDS])
		t->open = 0;
	if (now[OPEN])
		t->open = t->sum[LINES] + now[OPEN];
	for (int k = 0; k < KEYS; k++)
		t->sum[k] += now[k];
}

/* A filter whose status is not 0; only the first one reads the capture. */
static void
judge_filter(struct outcome *r, const struct tally *t, bool reads_capture)
{
	const char *faults =
	    t->sum[FAULTS] > 1
		? text_of(" (%" PRIu64 " faults)", t->sum[FAULTS])
		: "";

	if (t->status != EXIT_FAILED)
		outcome_fault(r, STATUS_FAILED, 0,
		    "%s ended with status %" PRIu64 "%s%s", t->name, t->status,
		    *t->what ? ": " : "", t->what);
	else if (reads_capture)
		outcome_fault(
		    r, STATUS_BROKEN, t->line, "%s%s", t->what, faults);
	else
		outcome_fault(r, STATUS_BROKEN, 0, "%s: line %" PRIu64 ": %s%s",
		    t->name, t->line, t->what, faults);
}

/* Judges the unpacker of a packed capture. */
static void
judge_unpacker(
    struct outcome *r, const char *name, const struct tally *t, uint64_t lines)
{
	int status = (int)t->status;

	if (t->n == 0)
		outcome_fault(
		    r, STATUS_FAILED, 0, "%s did not get to its end", name);
	else if (status > 128 && status != 128 + SIGPIPE)
		outcome_fault(r, STATUS_FAILED, 0, "%s was killed by signal %d",
		    name, status - 128);
	else if (status != 0 && status < 128)
		outcome_fault(r, STATUS_BROKEN, lines ? lines : 1,
		    "damaged or cut off: %s ended with status %d", name,
		    status);
}

static void
judge_picture(struct outcome *r, const struct tally *t)
{
	uint64_t status = t->n ? t->status : EXIT_SYSTEM;

	if (status == EXIT_FAILED)
		outcome_fault(
		    r, STATUS_BROKEN, 0, "there is little or nothing to draw");
	else if (status != EXIT_OK)
		outcome_fault(r, STATUS_FAILED, 0,
		    "kst-svg ended with status %" PRIu64, status);
}

/* A summary is missing: perhaps the disk was full. */
static void
judge_silence(struct outcome *r, const char *base, const char *who)
{
	static const char some[4096];
	const char *path = text_of("%s.test", base);

	if (file_write(path, some, sizeof some) != 0)
		outcome_fault(r, STATUS_FAILED, 0,
		    "below the output folder: %s", strerror(errno));
	(void)unlink(path);
	outcome_fault(r, STATUS_FAILED, 0,
	    "%s was killed, or ended without a result", who);
}

static void
judge_filters(const struct batch *b, const struct item *i, const char *base,
    struct tally *t, struct outcome *r)
{
	const struct words *steps = b->o->steps;
	const struct tally *first = t, *fold = &t[FOLD];
	uint64_t want = i->is_sum ? i->work : i->size;

	t[JSON].name = t[IS_JSON].n ? "kst-json" : NULL;
	t[SYM].name = !i->is_sum && steps[STEP_SYM].n ? "kst-sym" : NULL;
	t[CLEAN].name = !i->is_sum && steps[STEP_CLEAN].n ? "kst-clean" : NULL;
	t[FOLD].name = "kst-fold";
	while (first->name == NULL)
		first++;
	/* those before the last missing one may have died of SIGPIPE */
	for (const struct tally *f = fold; f >= first; f--)
		if (f->name && (f->n == 0 || f->n != first->n)) {
			judge_silence(r, base, f->name);
			return;
		}
	r->captures = fold->sum[CAPTURES];
	for (const struct tally *f = first; f <= fold; f++)
		if (f->name && f->status > EXIT_FAILED)
			judge_filter(r, f, false);
	if (i->unpacker)
		judge_unpacker(r, i->unpacker, &t[UNPACK], first->sum[LINES]);
	else if (first->sum[BYTES] < want)
		outcome_fault(r, STATUS_FAILED, 0,
		    "only %" PRIu64 " of %" PRIu64 " bytes could be read",
		    first->sum[BYTES], want);
	else if (i->splits && t[ADD].n < 2)
		outcome_fault(
		    r, STATUS_FAILED, 0, "the parts were not added up");
	if (first->cut || first->open)
		outcome_fault(r, STATUS_BROKEN,
		    first->cut ? first->cut : first->open,
		    "the capture that begins here is incomplete: its end is "
		    "missing");
	for (const struct tally *f = first; f <= fold; f++)
		if (f->name && f->status != EXIT_OK)
			judge_filter(r, f, f == first);
	if (!i->is_sum && fold->sum[STACKS] + fold->sum[LEFT_OUT] == 0)
		outcome_fault(r, STATUS_BROKEN, 1, "no stack is in this file");
}

void
judge(const struct batch *b, struct item *i, const char *base)
{
	struct tally t[WHO] = {{.n = 0}};
	struct buf text = BUF_INIT;
	struct outcome *r = &i->made;
	bool silent = file_read(text_of("%s.sum", base), &text) != 0;
	char *line, *rest = buf_str(&text);

	item_begin(i);
	/* what has no newline was not written to its end */
	while ((line = strsep(&rest, "\n")) && rest)
		tally_line(t, line);
	if (silent)
		judge_silence(r, base, "its worker");
	else if (strcmp(i->kind, "foreign") == 0)
		outcome_fault(
		    r, STATUS_BROKEN, 1, "packed, and not by gzip, zstd or xz");
	else if (!i->draw_only)
		judge_filters(b, i, base, t, r);
	if (b->svg_key && r->status != STATUS_FAILED)
		judge_picture(r, &t[SVG]);
	/* filters wrote a sum's input: damage there is our failure */
	if (i->is_sum && r->status == STATUS_BROKEN)
		r->status = STATUS_FAILED;
	if (!i->draw_only)
		r->folded = file_size(text_of("%s.folded", base));
	r->svg = b->svg_key ? file_size(text_of("%s.svg", base)) : 0;
	buf_done(&text);
}
