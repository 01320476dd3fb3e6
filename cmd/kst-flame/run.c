/* SPDX-License-Identifier: ISC */
/*
 * The run: QEMU starts, its stub appears, kst-capture samples it, something
 * ends that, and the steps make the output.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "ending.h"
#include "flame.h"
#include "lead/lead.h"
#include "qemu.h"
#include "watch.h"

/*
 * Milliseconds: between looks, until a mute QEMU is spoken of, between looks
 * for a deaf one, for its end, and between tries to sample it.
 */
enum { LOOK_MS = 20, MUTE_MS = 10000, DEAF_MS = 5000, LAST_MS = 3000 };
enum { AGAIN_MS = 100, TRIES = 20 };

/* A process that has been started, or not yet: pid 0. */
struct child {
	pid_t pid;
	bool ended;
	int status; /* as of waitpid() */
};

struct run {
	struct plan *p;
	struct watch watch;
	struct child qemu, capture; /* the first one is the user's command */
	int caught;		    /* wishes that it ends, */
	int told;		    /* and how many of them kst-capture got */
	int said;    /* its messages, while QEMU writes to the terminal; or 0 */
	int summary; /* a file for its summary */
	int looks;   /* how often nothing was there to be sampled, */
	int tries;   /* and how often it was there in vain */
	long deaf;   /* a QEMU that was started without our options, */
	bool is_deaf; /* which is the end */
	struct ending end;
};

static void
look_at(struct child *c)
{
	if (c->pid > 0 && !c->ended)
		c->ended = job_ended(c->pid, &c->status);
}

/* Waits for a moment, or until something has happened. */
static void
look(struct run *r)
{
	struct pollfd p = {
	    .fd = r->watch.relay ? r->watch.fd : -1, .events = POLLIN};

	poll(&p, 1, LOOK_MS);
	r->caught = job_asked();
	look_at(&r->qemu);
	look_at(&r->capture);
	watch_open(&r->watch);
	if (r->watch.fd >= 0 && !watch_read(&r->watch) && r->watch.relay) {
		close(r->watch.fd);
		r->watch.fd = -1;
	}
}

/* Whether the moment has come to sample. */
static bool
may_begin(struct run *r)
{
	if (r->p->argv == NULL || r->p->o->exact)
		return true;
	if (access(r->p->socket, F_OK) != 0) {
		if (++r->looks % (DEAF_MS / LOOK_MS) == 0)
			r->is_deaf = qemu_deaf(r->p->socket, &r->deaf);
		if (r->looks == MUTE_MS / LOOK_MS && !r->is_deaf)
			msg("QEMU has no gdb stub yet: does the command pass "
			    "its last arguments, or $KST_QEMU_ARGS, on to "
			    "QEMU (--qemu-args)?");
		return false;
	}
	return r->watch.from == NULL || r->watch.from_seen;
}

static int
begin(struct run *r)
{
	bool exact = r->p->o->exact; /* the guest speaks, too */
	struct job j = {
	    .err = exact ? 0 : r->said, .keep = r->summary, .terminal = exact};
	struct words w = {0};

	j.out =
	    open(r->p->text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (j.out < 0) {
		msg_errno("%s", msg_str(r->p->text));
		return -1;
	}
	plan_kernel(r->p);
	plan_capture(r->p, r->summary, &w);
	j.argv = w.v;
	r->capture.pid = job_start(&j);
	words_done(&w);
	close(j.out);
	return r->capture.pid > 0 ? 0 : -1;
}

/* Hands on what asks for the end; kst-capture takes two of them. */
static void
tell(struct run *r)
{
	for (; r->told < r->caught + r->watch.until_seen; r->told++)
		kill(r->capture.pid, SIGTERM);
}

/*
 * QEMU has a socket shortly before it listens to it, and one that ends at once
 * has it, too.
 */
static bool
may_try_again(struct run *r)
{
	r->end = ending_read(r->summary);
	if (!r->end.unreached || r->end.other_kernel || r->qemu.pid == 0 ||
	    r->caught > 0 || ++r->tries == TRIES)
		return false;
	for (int ms = 0; ms < AGAIN_MS; ms += LOOK_MS)
		look(r);
	if (r->qemu.ended)
		return false;
	r->capture = (struct child){0};
	return ftruncate(r->said, 0) == 0 && lseek(r->said, 0, SEEK_SET) == 0 &&
	       ftruncate(r->summary, 0) == 0 &&
	       lseek(r->summary, 0, SEEK_SET) == 0;
}

/* Until the capture has ended. Returns false if there is none. */
static bool
sample(struct run *r)
{
	do {
		while (r->capture.pid == 0) {
			if (r->caught > 0 || r->qemu.ended || r->is_deaf)
				return false;
			if (may_begin(r) && begin(r) != 0)
				return false;
			look(r);
		}
		while (!r->capture.ended) {
			tell(r);
			look(r);
		}
	} while (may_try_again(r));
	return true;
}

/* Starts the command, if there is one. */
static int
start(struct run *r)
{
	const struct plan *p = r->p;
	struct words command = {0};
	struct job j = {.foreign = true, .terminal = true};
	/* messages stand below what the guest says, not in its last line */
	bool below = !isatty(STDOUT_FILENO) && watch_is_shared();
	int pipe[2];

	if (p->argv == NULL || p->o->exact)
		return 0;
	if ((r->watch.from || r->watch.until || below) &&
	    p->o->serial == NULL) {
		if (pipe2(pipe, O_CLOEXEC) != 0) {
			msg_errno("pipe");
			return -1;
		}
		fcntl(pipe[0], F_SETFL, O_NONBLOCK);
		j.out = pipe[1];
		r->watch.fd = pipe[0];
		r->watch.relay = true;
	}
	plan_qemu(p, &command);
	j.argv = command.v;
	r->qemu.pid = job_start(&j);
	if (j.out > 0)
		close(j.out);
	words_done(&command);
	return r->qemu.pid > 0 ? 0 : -1;
}

/*
 * A guest that ended the capture may still have something to say, and QEMU
 * stops one that switches itself off before it ends.
 */
static void
last_words(struct run *r)
{
	struct ending *e = &r->end;

	for (int ms = 0; (e->gone || e->stopped) && r->qemu.pid > 0 &&
			 !r->qemu.ended && r->caught == 0 && ms < LAST_MS;
	     ms += LOOK_MS)
		look(r);
	watch_end(&r->watch, r->qemu.pid > 0);
	e->gone |= e->stopped && r->qemu.ended;
	if (e->stopped && !e->gone)
		msg("the guest was stopped by a monitor or a breakpoint and "
		    "stays stopped");
}

/* A capture that was ended at its start, and a count, may have none. */
static bool
has_text(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

/* Whether kst-capture was ended by our signal before it could handle that. */
static bool
was_early(const struct run *r)
{
	return r->told > 0 && WIFSIGNALED(r->capture.status) &&
	       WTERMSIG(r->capture.status) == SIGTERM;
}

/* Whether it came when QEMU had ended. */
static bool
was_late(const struct run *r)
{
	return r->qemu.ended && r->end.unreached && !r->end.other_kernel;
}

/* Why there is no capture, unless the command's status has been said. */
static void
say_none(const struct run *r, int theirs)
{
	if (r->caught > 0)
		msg("interrupted before anything was sampled");
	else if (theirs == 0 && r->watch.from && !r->watch.from_seen)
		msg("the command has ended, and no line of its serial log "
		    "matched --from");
	else if (theirs == 0 && msg_status(0) == 0)
		msg("the command has ended, and no QEMU that it started was "
		    "sampled");
	else if (theirs != 0 && strstr(r->p->argv[0], "qemu") == NULL &&
		 access(r->p->path, F_OK) != 0)
		msg("a script hands kst's options on to QEMU by \"$@\"");
}

/* What has ended the capture, for people; NULL: its own limit, or a fault. */
static const char *
event(const struct run *r)
{
	return r->watch.until_seen ? "ended by --until"
	       : r->caught > 0	   ? "interrupted"
	       : r->end.rebooted   ? "the guest rebooted"
	       : r->end.gone	   ? "the guest ended"
				   : NULL;
}

/* What was sampled becomes the output. */
static int
make_output(const struct run *r, int own, int theirs)
{
	bool killed = WIFSIGNALED(r->capture.status);
	struct buf lines = BUF_INIT;
	char *line, *rest;
	int made;

	lead_find(r->p, &lines);
	made = steps_make(r->p, own, r->told > 0 || killed);

	rest = (char *)buf_str(&lines);
	while (made == 0 && (line = strsep(&rest, "\n")) && *line)
		msg("%s", line); /* whole, of names and the user's words */
	buf_done(&lines);
	if (own == 0 && (r->end.nameless || lead_lacks_threads(r->p)))
		own = EXIT_FAILED;
	if (made < EXIT_USAGE && theirs != 0)
		return theirs;
	return made > own ? made : own;
}

/* The exit status, with the reason for a wrong one, and the output. */
static int
conclude(struct run *r, bool captured)
{
	bool sampled = captured && !r->end.empty && has_text(r->p->text);
	bool none = !captured || was_late(r) || (!sampled && was_early(r));
	int own = ending_status(&r->end, r->capture.status, r->told > 0),
	    theirs = 0;

	if (r->qemu.ended)
		theirs = ending_command(r->p->argv[0], r->qemu.status);
	if (r->said > 0 && !was_late(r) && (sampled || theirs == 0))
		steps_said(r->said);
	if (none && !r->is_deaf)
		say_none(r, theirs);
	else if (!none && WIFSIGNALED(r->capture.status))
		job_status("kst-capture", r->capture.status);
	if (sampled && event(r) && !r->p->o->exact)
		last_show(r->p, event(r),
		    r->watch.until_seen ? &r->watch.line : NULL);
	if (sampled)
		return make_output(r, own, theirs);
	if (theirs != 0)
		return theirs;
	return own && !none ? own : msg_status(EXIT_FAILED);
}

static int
work(void *arg)
{
	struct run *r = arg;
	bool captured;
	int status;

	if (plan_folder(r->p) != 0)
		return EXIT_SYSTEM;
	captured = start(r) == 0 && sample(r);
	last_words(r);
	job_end_all();
	watch_end(&r->watch, r->qemu.pid > 0); /* it wrote until then */
	status = conclude(r, captured);
	plan_remove(r->p);
	watch_done(&r->watch);
	return status;
}

/* Somebody has killed the process that worked. */
static int
take_over(struct run *r, int status)
{
	msg("a process of kst-flame was ended by signal %d", WTERMSIG(status));
	r->end = ending_read(r->summary);
	r->capture.status = status;
	status = conclude(r, true);
	plan_remove(r->p);
	return status > EXIT_SYSTEM ? status : EXIT_SYSTEM;
}

/* Has the desktop show a file; that may outlive this process. */
static void
show(const char *path)
{
	if (fork() != 0)
		return;
	job_signals();
	setsid();
	execlp("xdg-open", "xdg-open", path, (char *)NULL);
	msg_errno("xdg-open");
	_exit(127);
}

/* Which file that is; 0: none. */
static ino_t
file_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

int
run(struct plan *p)
{
	struct run r = {.p = p,
	    .watch = {.fd = -1, .path = p->o->exact ? NULL : p->o->serial}};
	ino_t before = file_of(p->o->output);
	int status;

	if (!p->o->exact &&
	    (watch_for(&r.watch.from, "from", p->o->from) != 0 ||
		watch_for(&r.watch.until, "until", p->o->until) != 0))
		return EXIT_USAGE;
	if ((status = steps_check(p)) != 0)
		return status;
	r.summary = port_temp_file();
	if (p->argv)
		r.said = port_temp_file();
	plan_files(p);
	status = job_own(work, &r);
	status =
	    WIFEXITED(status) ? WEXITSTATUS(status) : take_over(&r, status);
	watch_done(&r.watch);
	if (p->o->open && file_of(p->o->output) != before)
		show(p->o->output);
	return status;
}
