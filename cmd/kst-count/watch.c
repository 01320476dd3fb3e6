/* SPDX-License-Identifier: ISC */
#include "watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "opt/opt.h"
#include "opt/qemupath.h"
#include "live/live.h"
#include "naming.h"
#include "plugin/request.h"
#include "run.h"

/*
 * Milliseconds: between looks; of a QEMU that is to end and writes nothing; of
 * a guest that is idle; between lines of progress; that a command has after its
 * QEMU.
 */
enum {
	LOOK_MS = 20,
	QUIET_MS = 10000,
	IDLE_MS = 2000,
	LINE_MS = 500,
	AFTER_MS = 3000
};

enum { LOG_TAIL = 1 << 16 };

/* What was seen of the guest, and since when it has not changed. */
struct seen {
	uint64_t blocks, stacks;
	off_t log, file;
	int64_t start, ran, new_, line;
	bool said, late, stalled, waits, bar;
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

static struct outside
outside_of(const struct live *v)
{
	return live_outside(v->args, v->n_args, v->card);
}

/* Ends the line of progress, or one of the guest's, before a message. */
static void
end_line(struct watch *w, struct seen *s)
{
	if (s->line > 0)
		fputs("\r\033[K", stderr);
	if (w->cut)
		fputc('\n', stderr);
	s->line = 0;
	w->cut = false;
}

/* Once QEMU's command line is known. */
static void
say_outside(struct watch *w, struct seen *s)
{
	const struct outside x = outside_of(w->live);

	s->said = true;
	if (w->console >= 0 && !has_terminal(w->live)) {
		end_line(w, s);
		msg("QEMU has neither -nographic nor -serial stdio, and a line "
		    "of the guest's log is looked for in what the command "
		    "prints: --serial names QEMU's file for it");
	}
	s->bar = isatty(STDERR_FILENO) && !has_terminal(w->live);
	if (x.what)
		end_line(w, s);
	if (x.what && x.option == NULL)
		msg("QEMU adds a network card to this machine: its work ends "
		    "by the host's clock, so another run may count "
		    "differently; if the guest needs no network, give QEMU "
		    "-nic none");
	else if (x.what)
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

	if (naming_is_line(o->until))
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

/* That the range has not begun, while the guest runs on. */
static void
say_waits(struct watch *w, struct seen *s, int64_t now)
{
	const struct options *o = w->o;
	const int stall = opt_stall();

	if (s->waits || !(o->from || o->in) || w->live->counted > 0 ||
	    now - s->start < stall * INT64_C(1000))
		return;
	s->waits = true;
	end_line(w, s);
	msg("%s: %s has not come in %d s%s", o->from ? "--from" : "--in",
	    msg_str(o->from ? o->from : o->in), stall,
	    o->icount ? "; what waits for a time comes sooner with --no-icount"
		      : "");
}

/* What the guest has done since the last look. */
static void
look(struct watch *w, struct seen *s)
{
	const struct live *v = w->live;
	struct stat log = {0};
	const int64_t now = job_ms();
	const int stall = opt_stall();

	if (s->start == 0)
		s->start = now;
	if (__atomic_load_n(&v->n_args, __ATOMIC_ACQUIRE) == 0) {
		if (!s->late && now - s->start >= stall * INT64_C(1000) / 3) {
			s->late = true;
			end_line(w, s);
			msg("no QEMU has loaded kst's plugin yet: does the "
			    "command find it in $PATH? Otherwise, end its line "
			    "in the script with \"$@\"");
		}
		return;
	}
	if (!s->said) {
		if (w->begun)
			w->failed = w->begun(w->arg);
		say_outside(w, s);
	}
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
	say_waits(w, s, now);
	if (!s->stalled && now - s->new_ >= stall * INT64_C(1000)) {
		s->stalled = true;
		end_line(w, s);
		msg("for %d s the guest %s: a signal, such as of ^C, ends the "
		    "count and says where; if it did not get on, try -smp 1%s",
		    stall,
		    now - s->ran >= stall * INT64_C(1000)
			? "has executed nothing"
			: "has run on known stacks only",
		    w->o->icount ? ", or --no-icount" : "");
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
	return o->icount && outside_of(v).what == NULL;
}

/* What the guest has written since the last time. */
static void
pass_on(struct watch *w)
{
	char block[4096];
	ssize_t n;

	while (w->console >= 0 &&
	       (n = pread(w->console, block, sizeof block, w->passed)) > 0) {
		if (write(STDERR_FILENO, block, (size_t)n) != n)
			return; /* the rest comes the next time */
		w->passed += n;
		w->cut = block[n - 1] != '\n';
	}
}

int
watch_end(struct watch *w)
{
	struct seen s = {0};
	int status = 0;
	int64_t heard = job_ms(), alone = 0; /* the latter without its QEMU */
	const int64_t begun = heard;
	off_t size = 0, now;
	bool ended = false, whole;

	while (job_asked() < 2 && !w->failed) {
		bool asked = job_asked() > 0 || w->at_line || w->over;

		ended = ended || job_ended(w->command, &status);
		whole = watch_is_whole(w->file);
		if (!whole || alone == 0)
			alone = whole ? job_ms() : 0;
		if (whole && (ended || asked || job_ms() - alone >= AFTER_MS))
			break;
		if (ended && !job_left())
			break;
		if (asked)
			job_ask_all();
		else
			look(w, &s);
		w->over = w->over || (w->o->duration > 0 && !ended &&
					 (uint64_t)(job_ms() - begun) >=
					     w->o->duration / 1000000);
		now = lseek(w->file, 0, SEEK_END);
		if (!asked || now != size)
			heard = job_ms();
		else if (job_ms() - heard >= QUIET_MS)
			break;
		size = now;
		pass_on(w);
		poll(NULL, 0, LOOK_MS);
	}
	job_end_all();
	pass_on(w);
	end_line(w, &s);
	if (!s.said && w->live->n_args > 0)
		say_outside(w, &s);
	return status;
}

/* Whether QEMU was to run the guest under KVM, as far as it can be seen. */
static bool
is_kvm(const struct watch *w)
{
	bool found = live_is_kvm(w->live->args, w->live->n_args);

	for (char **a = w->o->command; *a; a++)
		found |= live_is_kvm(*a, strlen(*a) + 1);
	return found;
}

int
watch_nothing(const struct watch *w, int status)
{
	/* The plugin empties the file first. */
	bool begun =
	    lseek(w->file, 0, SEEK_END) < (off_t)sizeof(struct request);

	if (job_asked() > 0) {
		msg("interrupted before anything was counted");
		return EXIT_FAILED;
	}
	if (qemupath_refused()) /* --base says more */
		return EXIT_FAILED;
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && !is_kvm(w)) {
		msg("nothing was counted: %s ended with status %d%s",
		    msg_str(w->o->command[0]), WEXITSTATUS(status),
		    begun ? "" : " before a QEMU ran with kst's plugin");
		return EXIT_FAILED;
	}
	msg("nothing was counted: %s %s", msg_str(w->o->command[0]),
	    WIFSIGNALED(status) ? "was killed"
	    : is_kvm(w) ? "uses KVM, under which nothing can be counted: leave "
			  "out -enable-kvm, or sample by kst-capture"
	    : begun	? "has executed nothing in QEMU's emulation (TCG)"
			: "did not pass its last arguments to a QEMU that runs "
			  "with TCG and plugins");
	return WIFSIGNALED(status) ? EXIT_SYSTEM : EXIT_FAILED;
}
