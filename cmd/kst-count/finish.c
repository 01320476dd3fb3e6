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
#include "ending/ending.h"
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
finish(struct options *o, int *file, const struct live *live, bool at_line)
{
	struct buf lines = BUF_INIT, names = BUF_INIT;
	const bool asked = job_asked() > 0,
		   to_file = o->output && strcmp(o->output, "-") != 0;
	const bool reproducible = watch_is_reproducible(o, live);
	struct ending e;
	int worst, status;
	bool empty = false;

	if (end_take(*file, &lines) != 0 ||
	    (!reproducible && say_once_only(*file) != 0))
		return EXIT_SYSTEM;
	o->moved = ending_of(&lines, &e) && e.by != 0;
	if (o->selftest) {
		buf_done(&lines);
		return selftest_judge(
		    o->command[0], &(struct selftest_result){e.insns, e.stacks,
				       e.lost, e.judged, e.differ});
	}
	name_end(o, &lines, &names);
	worst = ending_say(o, &lines, &names, asked, at_line, &empty);
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
