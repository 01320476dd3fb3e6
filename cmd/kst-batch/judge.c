/* SPDX-License-Identifier: ISC */
/* Judges an item by the summaries of its filters. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "batch.h"

/* Those that may read one after the other. */
enum { WHO_JSON, SYM, CLEAN, FOLDS, WHO };
static const char names[] = "kst-json kst-sym kst-clean kst-fold";

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

/* Judges the unpacker of a packed capture, by its status as a shell gives it.
 */
static void
judge_unpacker(struct outcome *r, const char *name, int status, uint64_t lines)
{
	if (status > 128 && status != 128 + SIGPIPE)
		outcome_fault(r, STATUS_FAILED, 0, "%s was killed by signal %d",
		    name, status - 128);
	else if (status == 126 || status == 127)
		outcome_fault(r, STATUS_FAILED, 0, "%s cannot be run", name);
	else if (status != 0 && status < 128)
		outcome_fault(r, STATUS_BROKEN, lines ? lines : 1,
		    "damaged or cut off: %s ended with status %d", name,
		    status);
}

void
judge_picture(struct outcome *r, int status)
{
	if (status == EXIT_FAILED)
		outcome_fault(
		    r, STATUS_BROKEN, 0, "there is little or nothing to draw");
	else if (status != EXIT_OK)
		outcome_fault(r, STATUS_FAILED, 0,
		    "kst-svg ended with status %d", status);
}

/* A summary is missing: perhaps the disk was full. */
static void
judge_silence(struct outcome *r, const char *base, const char *who)
{
	static const char some[4096];
	const char *path = text_of("%s.test", base);

	if (file_write(path, some, sizeof some) != 0)
		outcome_fault(r, STATUS_FAILED, 0,
		    "cannot write to the output folder: %s", strerror(errno));
	(void)unlink(path);
	outcome_fault(r, STATUS_FAILED, 0,
	    "%s was killed, or ended without a result", who);
}

/* The filters in their order, the first one first. */
static const struct tally *
name_filters(const struct batch *b, const struct task *t, struct tally *y)
{
	const struct words *steps = b->o->steps;

	y[WHO_JSON].name = t->json ? "kst-json" : NULL;
	y[SYM].name = !t->i->is_sum && steps[STEP_SYM].n ? "kst-sym" : NULL;
	y[CLEAN].name =
	    !t->i->is_sum && steps[STEP_CLEAN].n ? "kst-clean" : NULL;
	y[FOLDS].name = "kst-fold";
	while (y->name == NULL)
		y++;
	return y;
}

/* Whether all was read, of the capture and by each filter. */
static void
judge_reading(
    const struct task *t, const struct tally *first, struct outcome *r)
{
	uint64_t want = t->i->is_sum ? t->i->work : t->i->size;

	if (t->unpacker)
		judge_unpacker(r, t->unpacker[0], t->proc[UNPACK].status,
		    first->sum[LINES]);
	else if (first->sum[BYTES] < want)
		outcome_fault(r, STATUS_FAILED, 0,
		    "only %" PRIu64 " of %" PRIu64 " bytes could be read",
		    first->sum[BYTES], want);
	else if (t->n > 1 && t->proc[FOLD].status != EXIT_OK)
		outcome_fault(r, STATUS_FAILED, 0,
		    "the results of its parts could not be added up");
	if (first->cut || first->open)
		outcome_fault(r, STATUS_BROKEN,
		    first->cut ? first->cut : first->open,
		    "the capture that begins here is incomplete: its end is "
		    "missing");
}

static void
judge_filters(const struct batch *b, struct task *t, struct tally *y)
{
	struct outcome *r = &t->i->made;
	const struct tally *first = name_filters(b, t, y), *fold = &y[FOLDS];

	/* those before the last missing one may have died of SIGPIPE */
	for (const struct tally *f = fold; f >= first; f--)
		if (f->name && (f->n == 0 || f->n != first->n)) {
			for (f = first; f < fold; f++)
				if (f->name && f->status > EXIT_FAILED)
					judge_filter(r, f, false);
			judge_silence(r, t->base, f->name);
			return;
		}
	r->captures = fold->sum[CAPTURES];
	for (const struct tally *f = first; f <= fold; f++)
		if (f->name && f->status > EXIT_FAILED)
			judge_filter(r, f, false);
	judge_reading(t, first, r);
	for (const struct tally *f = first; f <= fold; f++)
		if (f->name && f->status != EXIT_OK)
			judge_filter(r, f, f == first);
	t->empty = fold->sum[STACKS] + fold->sum[LEFT_OUT] == 0;
	if (!t->i->is_sum && t->empty)
		outcome_fault(r, STATUS_BROKEN, 1, "no stacks found");
}

static void
tally(struct tally *y, struct buf *said)
{
	char *line, *rest = buf_str(said);

	/* what has no newline was not said to its end */
	while ((line = strsep(&rest, "\n")) && rest)
		tally_line(y, line);
}

void
judge(const struct batch *b, struct task *t)
{
	struct tally y[WHO] = {{.n = 0}};
	struct outcome *r = &t->i->made;

	t->empty = false;
	for (size_t k = 0; k < t->n; k++)
		tally(y, &t->said[k]);
	/* kst-fold of a file in pieces says what is known */
	if (t->n <= 1)
		tally(y, &t->other);
	if (t->foreign)
		outcome_fault(r, STATUS_BROKEN, 1,
		    "compressed, but not with gzip, zstd or xz");
	else
		judge_filters(b, t, y);
	/* filters wrote a sum's input: damage there is our failure */
	if (t->i->is_sum && r->status == STATUS_BROKEN)
		r->status = STATUS_FAILED;
	r->folded = file_size(text_of("%s.folded", t->base));
}
