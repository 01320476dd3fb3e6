/* SPDX-License-Identifier: ISC */
#include "finish.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "coverage.h"
#include "events.h"
#include "io/job.h"
#include "io/out.h"
#include "live/live.h"
#include "naming.h"
#include "opt/words.h"
#include "run.h"
#include "selftest/selftest.h"
#include "text/folded.h"
#include "watch.h"

/*
 * Takes the plugin's lines about the end off the file, which stays whole, to
 * *lines. Of a file without them *lines stays empty. Returns 0, or -1 after a
 * message.
 */
static int
end_take(int file, struct buf *lines)
{
	const off_t size = lseek(file, 0, SEEK_END);
	const off_t at = size > END_BYTES ? size - END_BYTES : 0;
	struct buf b = BUF_INIT;
	const char *from, *last;
	ssize_t n;
	bool good = true;

	buf_room(&b, (size_t)(size - at));
	n = pread(file, b.p, (size_t)(size - at), at);
	b.len = n > 0 ? (size_t)n : 0;
	from = memmem(b.p, b.len, END_MARK, sizeof END_MARK - 1);
	last = b.len > 1 ? memrchr(b.p, '\n', b.len - 1) : NULL;
	if (from != NULL && last != NULL && last > from) {
		const off_t cut = at + (from - b.p);
		const size_t rest = (size_t)(b.p + b.len - (last + 1));

		buf_add(lines, from, (size_t)(last + 1 - from));
		good = pwrite(file, last + 1, rest, cut) == (ssize_t)rest &&
		       ftruncate(file, cut + (off_t)rest) == 0;
	}
	buf_done(&b);
	if (!good)
		msg_errno("a temporary file");
	return good ? 0 : -1;
}

/* Takes the next line off the text, without its mark. */
static bool
next_line(struct piece *text, struct piece *line)
{
	const char *stop = text->len ? memchr(text->p, '\n', text->len) : NULL;
	const size_t mark = sizeof END_MARK - 1;

	if (stop == NULL)
		return false;
	*line = (struct piece){text->p, (size_t)(stop - text->p)};
	if (bytes_starts(line->p, line->len, END_MARK)) {
		line->p += mark;
		line->len -= mark;
	}
	text->len -= line->len + 1 + (size_t)(line->p - text->p);
	text->p = stop + 1;
	return true;
}

/* Bytes of a stack after which no frame begins: a message has few more. */
enum { STACK_BYTES = 1100 };

/* Says `CPU#0: leaf < caller < ...` of a folded stack with a count. */
static void
say_stack(struct piece line)
{
	const char *count = memrchr(line.p, ' ', line.len);
	const char *p = line.p, *end = count ? count : p + line.len, *stop;
	struct piece *frame = NULL;
	struct buf b = BUF_INIT;
	size_t n = 0, cap = 0;

	for (; p < end; p = stop + 1) {
		stop = folded_frame_end(p, end);
		*xpush(frame, n, cap) = (struct piece){p, (size_t)(stop - p)};
	}
	for (size_t i = n; i-- > 1;) {
		buf_adds(&b, i + 1 < n ? " < " : ": ");
		if (b.len > STACK_BYTES) {
			buf_adds(&b, "...");
			break;
		}
		buf_adds(&b, msg_text(frame[i].p, frame[i].len));
	}
	if (n > 1)
		msg("%s%s", msg_text(frame[0].p, frame[0].len), buf_str(&b));
	buf_done(&b);
	free(frame);
}

/* What the plugin's first line about the end says, in its order. */
struct ending {
	int why, begun;
	uint64_t insns, stacks, all, lost;
	int seen; /* the file's code was */
	uint64_t by, judged, differ;
};

static bool
read_ending(const struct buf *lines, struct ending *e)
{
	struct piece all = {lines->p, lines->len}, line;
	char text[256];

	if (!next_line(&all, &line))
		return false;
	snprintf(text, sizeof text, "%.*s", (int)line.len, line.p);
	return sscanf(text,
		   "%d %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %d %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &e->why, &e->begun, &e->insns, &e->stacks, &e->all, &e->lost,
		   &e->seen, &e->by, &e->judged, &e->differ) >= 8;
}

/* Why the count ended, and what it has. */
static void
say_ending(
    const struct options *o, const struct ending *e, bool asked, bool at_line)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "ended ");
	if (asked)
		buf_adds(&b, "by a signal ");
	else if (e->why == END_UNTIL || at_line)
		buf_printf(&b, "at %s%s ", msg_str(o->until),
		    at_line ? ", the guest being idle," : "");
	else if (e->why == END_EXIT)
		buf_adds(&b, "with QEMU ");
	buf_printf(&b, "after %" PRIu64 " instructions%s", e->insns,
	    e->insns == 0 && (o->from || o->in) ? " of the range" : "");
	if (!o->request.trace.on) /* which adds up no stacks */
		buf_printf(&b, ", in %" PRIu64 " stack%s", e->stacks,
		    e->stacks == 1 ? "" : "s");
	if (e->lost > 0)
		buf_printf(&b, ", %.1f %% of the %s [lost]",
		    100 * (double)e->lost / (double)e->all, o->what);
	msg("%s", buf_str(&b));
	buf_done(&b);
}

/*
 * Says why the count ended, how much it was, and on which stack each CPU was;
 * `names` is as the lines, but named. `asked`: by a signal. *empty: the range
 * that was asked for never came. Returns EXIT_OK or EXIT_FAILED.
 */
static int
end_say(const struct options *o, const struct buf *lines,
    const struct buf *names, bool asked, bool at_line, bool *empty)
{
	struct piece named = {names->p, names->len}, line;
	struct ending e = {0};
	const char *never;

	if (!read_ending(lines, &e))
		return EXIT_OK;
	never = !e.begun ? "--from" : o->in && e.insns == 0 ? "--in" : NULL;
	*empty = never != NULL;
	if (never)
		msg("%s: %s never came%s", never,
		    msg_str(e.begun ? o->in : o->from),
		    o->icount ? "; what waits for a time comes sooner with "
				"--no-icount"
			      : "");
	say_ending(o, &e, asked, at_line);
	while (next_line(&named, &line))
		say_stack(line);
	if (o->elf.n > 0 && e.by != 0)
		msg("%s runs at its addresses + 0x%" PRIx64,
		    msg_str(o->elf.use[0].arg), e.by);
	if (o->elf.n > 0 && !e.seen)
		msg("none of the code of %s was executed: is it another "
		    "kernel's file?",
		    msg_str(o->elf.use[0].arg));
	/* a signal may come early; a file that was found was not asked for */
	if (never || (o->elf.n > 0 && !e.seen && !asked && !o->found))
		return EXIT_FAILED;
	return EXIT_OK;
}

/* The stacks at the end with names as kst-flame has them, as folded text. */
static void
name_end(const struct options *o, const struct buf *lines, struct buf *names)
{
	const char *p = lines->p ? memchr(lines->p, '\n', lines->len) : NULL;
	int file = p ? naming_file() : -1, clean = -1;
	struct words w = {0};
	struct buf b = BUF_INIT;
	off_t size;

	while (file >= 0 && ++p < lines->p + lines->len) {
		const char *stop =
		    memchr(p, '\n', (size_t)(lines->p + lines->len - p));

		p += sizeof END_MARK - 1;
		buf_add(&b, p, (size_t)(stop - p));
		buf_adds(&b, " 1\n");
		p = stop;
	}
	words_add(&w, "kst-clean");
	if (b.len > 0 && write(file, b.p, b.len) == (ssize_t)b.len &&
	    naming_run(o, &file, (const char *[]){NULL}) <= EXIT_FAILED &&
	    (clean = naming_file()) >= 0 &&
	    naming_filter(&w, file, clean) <= EXIT_FAILED &&
	    (size = lseek(clean, 0, SEEK_END)) > 0) {
		buf_room(names, (size_t)size);
		if (pread(clean, names->p, (size_t)size, 0) == size)
			names->len = (size_t)size;
	}
	buf_done(&b);
	words_done(&w);
	close(clean);
	close(file);
}

/*
 * Adds to the trailer that another run counts differently. The file ends with
 * the trailer. Returns 0, or -1 after a message.
 */
static int
say_once_only(int file)
{
	static const char end[] = "exact=1\n",
			  more[] = "reproducible=0,exact=1\n";
	const off_t at = lseek(file, 0, SEEK_END) - (off_t)(sizeof end - 1);
	const size_t len = sizeof more - 1;

	if (pwrite(file, more, len, at) == (ssize_t)len)
		return 0;
	msg_errno("a temporary file");
	return -1;
}

/* What a file of --output has if kst wrote it. */
static const char *
mark_of(const struct options *o)
{
	return !o->request.trace.on	     ? "\n" FOLDED_TRAILER
	       : strcmp(o->by, "stack") == 0 ? "\tstack#"
					     : "\tCPU#";
}

int
finish_check(const struct options *o)
{
	return o->output ? naming_check(o->output, mark_of(o), o->force, true)
			 : EXIT_OK;
}

/* Names and folds what the plugin has counted. Returns an exit status. */
static int
fold(const struct options *o, int *file, int to)
{
	const char *const more[] = {o->lines ? "--lines" : NULL, NULL},
			  *const all[] = {"--addresses", *more, NULL};
	struct words w = {0};
	int worst = naming_run(o, file, o->addresses ? all : more), status;

	if (worst > EXIT_FAILED)
		return worst;
	words_add(&w, "kst-fold");
	status = naming_filter(&w, *file, to);
	words_done(&w);
	return status > worst ? status : worst;
}

/* File number k of --also. */
static bool
nth_also(void *arg, uint64_t k, struct out_file *f)
{
	const struct options *o = arg;

	if (k >= COUNT_WHATS || o->also[k].arg == NULL)
		return false;
	*f = (struct out_file){
	    .path = o->also[k].path, .mark = FOLDED_TRAILER, .force = o->force};
	return true;
}

/* Writes what --also asks for. Returns an exit status. */
static int
write_also(
    const struct options *o, unsigned what, uint64_t insns, bool reproducible)
{
	const struct also *a = &o->also[what];
	int from = a->file, done = from, status = EXIT_OK;
	const bool any = lseek(from, 0, SEEK_END) > 0;
	struct out_file f;
	char b[4096];
	ssize_t n;

	char in[48] = "";

	if (what == COUNT_INTERRUPTS)
		snprintf(in, sizeof in, ",instructions=%" PRIu64, insns);
	if (dprintf(from, FOLDED_TRAILER "unit=%.*s%s,exact=1\n",
		(int)strcspn(a->arg, "="), a->arg, in) < 0 ||
	    (!reproducible && say_once_only(from) != 0) ||
	    (any && (done = naming_file()) < 0))
		return EXIT_SYSTEM;
	if (any)
		status = fold(o, &from, done);
	nth_also((void *)(uintptr_t)o, what, &f);
	if (status > EXIT_FAILED)
		return status;
	if (out_open_nth(what, &f) != EXIT_OK)
		return EXIT_FAILED;
	lseek(done, 0, SEEK_SET);
	while ((n = read(done, b, sizeof b)) > 0)
		out_put(b, (size_t)n);
	return out_end(n < 0 ? EXIT_SYSTEM : status);
}

int
finish(
    const struct options *o, int *file, const struct live *live, bool at_line)
{
	struct buf lines = BUF_INIT, names = BUF_INIT;
	const bool asked = job_asked() > 0,
		   to_file = o->output && strcmp(o->output, "-") != 0;
	const bool reproducible = watch_is_reproducible(o, live);
	int worst, status;
	bool empty = false;
	struct ending e = {0};

	if (end_take(*file, &lines) != 0 ||
	    (!reproducible && say_once_only(*file) != 0))
		return EXIT_SYSTEM;
	read_ending(&lines, &e);
	if (o->selftest) {
		buf_done(&lines);
		return selftest_judge(
		    o->command[0], &(struct selftest_result){e.insns, e.stacks,
				       e.lost, e.judged, e.differ});
	}
	name_end(o, &lines, &names);
	worst = end_say(o, &lines, &names, asked, at_line, &empty);
	buf_done(&lines);
	buf_done(&names);
	if (empty)
		return worst;
	status =
	    o->any_also ? out_begin(nth_also, (void *)(uintptr_t)o) : EXIT_OK;
	worst = status > worst ? status : worst;
	for (unsigned w = 0; w < COUNT_WHATS && worst <= EXIT_FAILED; w++) {
		if (o->also[w].arg == NULL)
			continue;
		status = write_also(o, w, e.insns, reproducible);
		worst = status > worst ? status : worst;
	}
	if (worst > EXIT_FAILED)
		return worst;
	status = out_open(&(struct out_file){
	    .path = o->output, .mark = mark_of(o), .force = o->force});
	if (status != EXIT_OK)
		return status;
	if (o->request.trace.on) {
		status = events_write(o);
		return status > worst ? status : worst;
	}
	if (o->coverage) {
		status = coverage_write(o);
		if (status > EXIT_FAILED)
			msg("%s was not written", msg_str(o->coverage));
		worst = status > worst ? status : worst;
	}
	status = fold(o, file, to_file ? out.fd : STDOUT_FILENO);
	worst = status > worst ? status : worst;
	worst = to_file ? out_end(worst) : worst;
	if (to_file && worst > EXIT_FAILED)
		msg("%s was not written", msg_str(o->output));
	return worst;
}
