/* SPDX-License-Identifier: ISC */
#include "watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "live/live.h"
#include "run.h"

/*
 * Milliseconds: between looks; of a QEMU that is to end and writes nothing; of
 * a guest that is idle; between lines of progress. Seconds of a guest that does
 * nothing new, and a third of it of no guest, if KST_STALL does not say
 * otherwise.
 */
enum {
	LOOK_MS = 20,
	QUIET_MS = 10000,
	IDLE_MS = 2000,
	LINE_MS = 500,
	STALL_S = 30,
	STALL_MAX_S = 1000000
};

enum { LOG_TAIL = 1 << 16 };

/* What was seen of the guest, and since when it has not changed. */
struct seen {
	uint64_t blocks, stacks;
	off_t log, file;
	int64_t start, ran, new_, line;
	bool said, late, stalled, bar;
};

bool
watch_is_whole(int file)
{
	static const char last[] = ",exact=1\n";
	char end[sizeof last - 1];

	return pread(file, end, sizeof end,
		   lseek(file, 0, SEEK_END) - (off_t)sizeof end) ==
		   (ssize_t)sizeof end &&
	       memcmp(end, last, sizeof end) == 0;
}

/* Whether the guest, or QEMU's monitor, has our terminal. */
static bool
has_terminal(const struct live *v)
{
	return memmem(v->args, v->n_args, "stdio", 5) ||
	       memmem(v->args, v->n_args, "-nographic", 10);
}

/* Once QEMU's command line is known. */
static void
say_outside(const struct watch *w, struct seen *s)
{
	const struct outside x = live_outside(w->live->args, w->live->n_args);

	s->said = true;
	s->bar = isatty(STDERR_FILENO) && !has_terminal(w->live);
	if (x.what)
		msg("-%s: the work of %s ends by the host's clock, so another "
		    "run counts differently (see kst-count(1))",
		    x.option, x.what);
}

/* Whether the log's end has the line that ends the count. */
static bool
log_ends(const struct options *o)
{
	static char tail[LOG_TAIL];
	const char *text = o->until ? o->until + 5 : "";
	int fd = -1;
	ssize_t n;
	off_t size;

	if (o->until && strncmp(o->until, "line:", 5) == 0)
		fd = open(o->serial, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	size = lseek(fd, 0, SEEK_END);
	n = pread(fd, tail, sizeof tail, size > LOG_TAIL ? size - LOG_TAIL : 0);
	close(fd);
	return n > 0 && memmem(tail, (size_t)n, text, strlen(text));
}

static void
show_line(const struct live *v, struct seen *s)
{
	if (!s->bar || job_ms() - s->line < LINE_MS)
		return;
	s->line = job_ms();
	fprintf(stderr,
	    "\r%" PRIu64 " million instructions, %" PRIu64 " stacks\033[K",
	    v->counted / 1000000, v->stacks);
}

/* Ends the line of progress, before a message. */
static void
end_line(struct seen *s)
{
	if (s->line > 0)
		fputs("\r\033[K", stderr);
	s->line = 0;
}

static int
stall_seconds(void)
{
	const char *s = getenv("KST_STALL");
	const long n = s ? strtol(s, NULL, 10) : 0;

	return n > 0 && n <= STALL_MAX_S ? (int)n : STALL_S;
}

/* What the guest has done since the last look. */
static void
look(struct watch *w, struct seen *s)
{
	const struct live *v = w->live;
	struct stat log = {0};
	const int64_t now = job_ms();
	const int stall = stall_seconds();

	if (s->start == 0)
		s->start = now;
	if (__atomic_load_n(&v->n_args, __ATOMIC_ACQUIRE) == 0) {
		if (!s->late && now - s->start >= stall * INT64_C(1000) / 3) {
			s->late = true;
			msg("no QEMU has loaded kst's plugin yet: does the "
			    "script end QEMU's line with \"$@\"?");
		}
		return;
	}
	if (!s->said)
		say_outside(w, s);
	/* what QEMU writes at its end takes its time */
	if (lseek(w->file, 0, SEEK_END) != s->file)
		s->ran = s->new_ = 0;
	s->file = lseek(w->file, 0, SEEK_END);
	if (w->o->serial && stat(w->o->serial, &log) != 0)
		log.st_size = 0;
	if (s->ran == 0 || v->begun != s->blocks)
		s->ran = now;
	if (s->new_ == 0 || v->stacks != s->stacks || log.st_size != s->log)
		s->new_ = now;
	s->blocks = v->begun;
	s->stacks = v->stacks;
	s->log = log.st_size;
	show_line(v, s);
	if (!s->stalled && now - s->new_ >= stall * INT64_C(1000)) {
		s->stalled = true;
		end_line(s);
		msg("for %d s the guest %s: a signal, such as of ^C, ends the "
		    "count and says where; if it did not get on, try -smp 1, "
		    "or --no-icount",
		    stall,
		    now - s->ran >= stall * INT64_C(1000)
			? "has been idle"
			: "has run on known stacks only");
	}
	w->at_line = now - s->ran >= IDLE_MS && log_ends(w->o);
}

bool
watch_is_reproducible(const struct options *o, const struct live *v)
{
	if (live_replays(v->args, v->n_args))
		return true;
	if (!o->icount)
		msg("without -icount, another run counts differently");
	return o->icount && live_outside(v->args, v->n_args).what == NULL;
}

int
watch_end(struct watch *w)
{
	struct seen s = {0};
	int status = 0;
	int64_t heard = job_ms();
	off_t size = 0, now;
	bool ended = false;

	while (job_asked() < 2) {
		bool asked = job_asked() > 0 || w->at_line;

		ended = ended || job_ended(w->command, &status);
		if ((ended || asked) && watch_is_whole(w->file))
			break;
		if (ended && !job_left())
			break;
		if (asked)
			job_ask_all();
		else
			look(w, &s);
		now = lseek(w->file, 0, SEEK_END);
		if (!asked || now != size)
			heard = job_ms();
		else if (job_ms() - heard >= QUIET_MS)
			break;
		size = now;
		poll(NULL, 0, LOOK_MS);
	}
	if (!s.said && w->live->n_args > 0)
		say_outside(w, &s);
	end_line(&s);
	job_end_all();
	return status;
}
