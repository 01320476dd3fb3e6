/* SPDX-License-Identifier: ISC */
#include "threads.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/in.h"
#include "io/job.h"
#include "opt/guest.h"
#include "opt/words.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "rights/rights.h"
#include "trace/shape.h"

/* What reads them, and what was read. */
struct reading {
	struct fold fold;
	struct capture capture;
	bool no_threads;
	struct in in;
	struct guest guest;
	pid_t sym; /* adds lines; 0: nobody does */
};

/* Why a stack ends without its root, of the line after it. */
static uint32_t
why_it_ends(const struct fold *f)
{
	static const char mark[] = "Backtrace stopped: ";
	static const struct {
		const char *line, *words;
	} known[] = {
	    {"previous frame identical", "here the stack repeats itself"},
	    {"previous frame inner", "here the stack goes backwards"},
	    {"Cannot access memory", "here memory cannot be read"},
	    {"the stack goes on at", "what follows was not read"},
	    {"frame did not save", "who called this is not known"},
	    {"(More stack frames", "more frames follow"},
	    {"Quit", "here gdb was interrupted"},
	    {"[kst-root handler]", "what this interrupted is not known"},
	    {"[kst-root unproven]", ""},
	};
	const char *p = f->in.t.text;
	size_t len = f->in.t.len, n = sizeof mark - 1;

	if (f->in.t.kind != TRACE_STOPPED && !bytes_starts(p, len, "[kst-root"))
		p = f->in.truncated ? "here the capture is cut" : "",
		len = strlen(p);
	if (bytes_starts(p, len, mark))
		p += n, len -= n;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (bytes_starts(p, len, known[i].line))
			p = known[i].words, len = strlen(p);
	return table_name(f->table, p, len);
}

/* Takes a stack; those of an earlier capture are forgotten. */
static void
take(void *arg, const uint32_t *names, size_t n)
{
	struct reading *r = arg;
	struct capture *c = &r->capture;
	bool is_cpu;

	if (r->fold.captures != c->number)
		c->n = c->n_frames = 0;
	c->number = r->fold.captures;
	is_cpu = r->fold.in.has_thread && r->fold.in.thread.has_cpu;
	if (n < 2 || (r->no_threads && !is_cpu)) /* n 0: a capture begins */
		return;
	*xpush(c->v, c->n, c->cap) = (struct thread){.name = names[0],
	    .state = names[1],
	    .why = why_it_ends(&r->fold),
	    .at = c->n_frames,
	    .n = n - 2,
	    .is_cpu = is_cpu,
	    .place = c->n};
	for (size_t i = 2; i < n; i++)
		*xpush(c->frames, c->n_frames, c->frames_cap) = names[i];
}

static bool
read_all(struct reading *r, struct fold_options *fo, struct in *in)
{
	bool good;

	r->capture.table = table_new();
	fold_init(&r->fold, fo, r->capture.table);
	r->fold.sink = take;
	r->fold.sink_arg = r;
	good = shape_read(in, SHAPE_TRACE, fold_trace, fold_folded, &r->fold);
	fold_finish(&r->fold);
	return fold_say_wrong(&r->fold) ? false : good;
}

/*
 * Makes standard input what kst-sym adds lines to: the operands, or what was
 * standard input before. Returns its process, or -1 after a message.
 */
static pid_t
start_sym(const struct options *o, char **operands, int n)
{
	struct words w = {0};
	pid_t pid = -1;
	int fd[2];

	words_add(&w, "kst-sym");
	words_add(&w, "--lines");
	for (size_t i = 0; i < o->elf.n; i++)
		words_addf(&w, "--elf=%s", o->elf.use[i].arg);
	words_add(&w, "--");
	for (int i = 0; i < n; i++)
		words_add(&w, operands[i]);
	if (pipe2(fd, O_CLOEXEC) == 0) {
		pid = job_start(
		    &(struct job){.argv = w.v, .out = fd[1], .stays = true});
		dup2(fd[0], STDIN_FILENO);
		close(fd[0]);
		close(fd[1]);
	} else {
		msg_errno("pipe");
	}
	words_done(&w);
	return pid;
}

static bool
end_sym(pid_t pid)
{
	const int status = job_wait(pid);

	if (WIFSIGNALED(status))
		msg("kst-sym was ended by signal %d", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SYSTEM)
		msg_system();
	return status == 0;
}

/*
 * Whether standard input has a capture. Scripts that have none have /dev/null,
 * a terminal, a socket or nothing there.
 */
static bool
is_fed(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

/* Whether a guest is looked at: --os and --sysroot say nothing of a text. */
static bool
wants_guest(const struct options *o, int n)
{
	return o->remote ||
	       (o->elf.n > 0 && n == 0 && (o->os || o->sysroot || !is_fed()));
}

static bool
start_guest(struct reading *r, const struct options *o)
{
	const char *once[] = {"--one-shot", "--threads=try", NULL, NULL, NULL};
	struct buf sysroot = BUF_INIT, os = BUF_INIT;
	size_t n = 2;
	bool good;

	if (o->sysroot) {
		buf_printf(&sysroot, "--sysroot=%s", o->sysroot);
		once[n++] = buf_str(&sysroot);
	}
	if (o->os) {
		buf_printf(&os, "--os=%s", o->os);
		once[n++] = buf_str(&os);
	}
	good = guest_start(
	    &r->guest, &(struct guest_wish){&o->elf, o->remote, once, false});
	buf_done(&sysroot);
	buf_done(&os);
	return good;
}

/* Opens what is asked for: a guest, lines, or files. False after a message. */
static bool
start(struct reading *r, const struct options *o, bool guest, char **operands,
    int n)
{
	bool good = true;

	if (guest)
		good = start_guest(r, o);
	if (o->lines && o->elf.n > 0)
		good &= (r->sym = start_sym(o, operands, n)) > 0;
	rights_keep(&(struct rights){.reads = operands,
	    .n_reads = r->sym ? 0 : n,
	    .child = r->guest.pid ? r->guest.pid : r->sym});
	in_init(&r->in, operands, r->sym ? 0 : n);
	return good;
}

int
run(const struct options *o, char **operands, int n)
{
	struct fold_options fo = {.by = {BY_THREAD, BY_STATE},
	    .n_by = 2,
	    .state = o->state,
	    .places = o->lines ? "\t" : NULL};
	struct reading r = {.no_threads = o->no_threads};
	const bool guest = wants_guest(o, n);
	bool good;

	if (guest && !guest_open(&r.guest))
		return EXIT_SYSTEM;
	good = start(&r, o, guest, operands, n);
	good &= read_all(&r, &fo, &r.in);
	good &= guest_end(&r.guest, false);
	if (r.sym)
		good &= end_sym(r.sym);
	if (!show(&r.capture, o) && o->lines && !r.sym && r.capture.n > 0) {
		msg("no frame has a line: name the kernel's file by --elf");
		good = false;
	}
	deadlocks(&r.capture);
	if (r.capture.n == 0 && r.fold.left_out > 0)
		msg("the options leave out all %ju stacks",
		    (uintmax_t)r.fold.left_out);
	else if (r.fold.stacks == 0 && good && !in_failed(&r.in)) {
		msg("no capture in %s", n > 0 ? "the files" : "standard input");
		good = false;
	}
	good &= !in_failed(&r.in);
	in_done(&r.in);
	free(r.capture.v);
	free(r.capture.frames);
	fold_done(&r.fold);
	table_free(r.capture.table);
	return good ? EXIT_OK : EXIT_FAILED;
}
