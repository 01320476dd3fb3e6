/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "cover/lcov.h"
#include "coverage.h"
#include "elf/elfsym.h"
#include "events.h"
#include "finish.h"
#include "io/job.h"
#include "live/files.h"
#include "live/given.h"
#include "live/live.h"
#include "live/pass.h"
#include "modules/serve.h"
#include "linux/modules.h"
#include "naming.h"
#include "opt/qemupath.h"
#include "opt/words.h"
#include "rights/rights.h"
#include "selftest/selftest.h"
#include "text/folded.h"
#include "watch.h"

/* What is to be known of the ELF file. */
struct found {
	uint64_t low, high, from, until, in;
	uint64_t top;  /* of the functions, or 0 */
	uint64_t code; /* bytes of code from `low` on */
	bool named;    /* it has functions */
	bool modules;  /* Linux' modules can be found by it */
	struct program program[PROGRAMS_MAX];
	struct trace_ask trace; /* functions of --only */
};

/*
 * Writes what is found, and then the code, to a pipe. Returns 0, or an exit
 * status after a message.
 */
static int
look_up(const struct options *o, struct found *f, int pipe)
{
	struct elfsym *s = NULL, **programs;
	struct elfsym_func first;
	struct buf err = BUF_INIT;
	uint64_t size;
	const unsigned char *data = NULL;
	const char *damage;
	const size_t n = o->elf.n;
	int status = 0;

	if (o->elf.n > 0 &&
	    (s = elfsym_load(o->elf.use[0].arg, 0, &err)) == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return msg_status(EXIT_FAILED);
	}
	*f = (struct found){.high = UINT64_MAX};
	if (s && elfsym_section(s, ".text", &f->low, &size, &data)) {
		f->high = f->low + size - 1;
		f->top = files_top(s, f->low);
		f->code = data ? size : 0;
	}
	f->named = s && elfsym_nth(s, 0, &first);
	f->modules = f->code > 0 && modules_readable(s);
	programs = files_load(&o->elf, f->program);
	*programs = s;
	if (o->from && !naming_is_line(o->from) && !o->later)
		f->from = naming_address(
		    programs, n, f->program, f->modules, "from", o->from);
	if (o->until && !naming_is_line(o->until) && !o->later)
		f->until = naming_address(
		    programs, n, f->program, f->modules, "until", o->until);
	if (o->in && !o->later)
		f->in = naming_address(
		    programs, n, f->program, f->modules, "in", o->in);
	if (o->only.n > 0 && !o->later)
		events_only(s, &o->only, f->modules, &f->trace);
	if (pass_bytes(pipe, f, sizeof *f) != 0 ||
	    pass_bytes(pipe, data, f->code) != 0 ||
	    files_pass(programs, f->program, pipe) != 0) {
		msg_errno("the process that reads ELF files");
		status = EXIT_SYSTEM;
	}
	damage = s ? elfsym_damage(s) : NULL; /* else kst-sym says so */
	if (damage && msg_status(EXIT_OK) == EXIT_SYSTEM) {
		msg("%s: %s", msg_str(o->elf.use[0].arg), damage);
		status = EXIT_SYSTEM;
	}
	files_free(programs, n);
	elfsym_free(s);
	return status;
}

/*
 * The same in a process that may read files, and has no other right but its
 * pipe, since the file may be hostile. `code` is a file for the code.
 */
static int
ask(const struct options *o, struct found *f, int code)
{
	int p[2], status = 0;
	bool failed;
	int64_t n;
	pid_t pid = pipe2(p, O_CLOEXEC) == 0 ? fork() : -1;

	if (pid < 0) {
		msg_errno("cannot start the process that reads ELF files");
		return EXIT_SYSTEM;
	}
	if (pid == 0) {
		rights_keep(&(struct rights){.reads = rights_all,
		    .n_reads = 1,
		    .also = RIGHTS_NAMES | RIGHTS_MEMORY});
		_exit(look_up(o, f, p[1]));
	}
	close(p[1]);
	n = pass_take(p[0], f, sizeof *f);
	failed = n < 0 || pass_rest(p[0], code) != 0;
	if (failed)
		msg_errno("the process that reads ELF files");
	close(p[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		msg("the process that reads ELF files was ended by signal %d",
		    WTERMSIG(status));
	return WIFEXITED(status) &&
		       (status || (!failed && n == (int64_t)sizeof *f))
		   ? WEXITSTATUS(status)
		   : EXIT_SYSTEM;
}

/* Returns 0, or an exit status after a message. */
static int
make_request(struct options *o, struct request *r, int code)
{
	struct found f = {0};
	int status = ask(o, &f, code);

	if (o->found && o->elf.n > 0 && (status != 0 || !f.named)) {
		o->elf.n = 0;
		f = (struct found){.high = UINT64_MAX};
		status = status == EXIT_FAILED ? 0 : status;
	}
	if (status != 0)
		return status;
	r->size = sizeof *r;
	r->what =
	    (enum count_what)opt_word(COUNT_UNITS, o->what, strlen(o->what));
	snprintf(r->unit, sizeof r->unit, "%s", o->what);
	r->whats |= 1U << r->what;
	if (o->serial && snprintf(r->serial, sizeof r->serial, "%s",
			     o->serial) >= (int)sizeof r->serial)
		opt_wrong("--serial: too long");
	r->low = f.low, r->high = f.high, r->top = f.top;
	if (o->elf.n > 0)
		naming_path(r->code, code);
	r->code_size = f.code;
	r->modules = o->request.modules = f.modules;
	r->apart = o->elf.n > 0 || o->addresses;
	memcpy(r->program, f.program, sizeof f.program);
	for (unsigned i = 0; i < PROGRAMS_MAX; i++)
		o->told |= (uint64_t)(f.program[i].size > 0) << i;
	r->from = naming_place("from", o->from, o->serial, f.from);
	r->until = naming_place("until", o->until, o->serial, f.until);
	r->in = f.in;
	r->trace.only_given = f.trace.only_given;
	r->trace.n_only = f.trace.n_only;
	memcpy(r->trace.only, f.trace.only, sizeof f.trace.only);
	return 0;
}

struct counting {
	struct options *o;
	struct request *request;
	int code, later; /* files; -1: the request is complete */
	struct serve modules;
	const char *dir; /* of this command */
	int file;	 /* which the plugin fills */
	int console;	 /* a file for QEMU's standard output; -1: none */
	struct live *live;
	char *path; /* a folder for $PATH; it may not be there */
};

/* The command that starts QEMU with the plugin. */
static void
command_words(struct words *w, const struct counting *c)
{
	static const char *const more[] = {"-icount", "shift=0,sleep=off",
	    "-rtc", LIVE_RTC, "-seed", "1", "-accel", "tcg,thread=single",
	    "-plugin", NULL};
	const struct options *o = c->o;
	struct words built = {0}, options = {0};

	words_addf(&built, "%s/kst-count.so", c->dir); /* or installed */
	words_addv(&options, more + (o->icount ? 0 : 6));
	words_addf(&options, "%s/%skst-count.so,result=/proc/%ld/fd/%d", c->dir,
	    access(*built.v, R_OK) == 0 ? "" : "../lib/kst/", (long)getpid(),
	    c->file);
	qemupath_words(w, o->command, &options, c->path, NULL);
	words_done(&options);
	words_done(&built);
}

/* Without -e, the kernel's file is the one that QEMU was given. */
static void
add_given(struct options *o, const struct live *v)
{
	if (o->elf.n > 0 || o->addresses || o->selftest ||
	    !(v ? given_live(v, o->kernel) : given_to(o->command, o->kernel)))
		return;
	o->found = true;
	*xpush(o->elf.use, o->elf.n, o->elf.cap) =
	    (struct opt_use){"elf", o->kernel};
}

/*
 * QEMU's command line is known: the plugin waits for the rest. Returns 0, or an
 * exit status after a message.
 */
static int
complete(void *arg)
{
	struct counting *c = arg;
	struct options *o = c->o;
	const size_t n = sizeof *c->request;
	int status = 0;

	if (c->later < 0)
		return 0;
	o->later = false;
	add_given(o, c->live);
	if (o->elf.n > 0)
		serve_kernel(&c->modules, o->elf.use->arg);
	if (o->elf.n > 0 || o->from || o->until || o->in || o->only.n > 0)
		status = make_request(o, c->request, c->code);
	if (status == 0 && write(c->later, c->request, n) != (ssize_t)n)
		msg_errno("a temporary file");
	__atomic_store_n(&c->live->answered, 1, __ATOMIC_RELEASE);
	return status;
}

/* Runs QEMU with the plugin, which fills the file. Returns an exit status. */
static int
count(void *arg)
{
	struct counting *c = arg;
	struct words w = {0};
	struct watch watch;
	pid_t command;
	int status;

	command_words(&w, c);
	if (c->request->modules)
		serve_kernel(&c->modules, c->o->elf.use[0].arg);
	command = job_start(&(struct job){.argv = w.v,
	    .out = c->console >= 0 ? c->console : STDERR_FILENO,
	    .foreign = true,
	    .terminal = true});
	words_done(&w);
	if (command < 0)
		return EXIT_SYSTEM;
	watch = (struct watch){.o = c->o,
	    .file = c->file,
	    .live = c->live,
	    .command = command,
	    .begun = complete,
	    .arg = c,
	    .console = c->console};
	status = watch_end(&watch);
	qemupath_end(c->path);
	if (watch.failed)
		return watch.failed;
	c->o->over = watch.over;
	if (job_asked() > 1)
		return 128 + SIGTERM;
	if (c->request->modules && serve_end(&c->modules))
		c->o->modules = c->modules.file;
	status = watch_is_whole(c->file)
		     ? finish(c->o, &c->file, c->live, watch.at_line)
		     : watch_nothing(&watch, status);
	return status == EXIT_OK && c->modules.died ? EXIT_SYSTEM : status;
}

/*
 * Refuses files that kst did not write, and makes those that the plugin fills.
 * Returns 0, or an exit status after a message.
 */
static int
open_files(struct options *o, struct request *r)
{
	int status = o->coverage
			 ? naming_check(o->coverage, LCOV_MARK, o->force, true)
			 : 0;

	if (o->also[opt_word(COUNT_UNITS, o->what, strlen(o->what))].arg)
		opt_wrong("--also %s: that is what is written to standard "
			  "output already",
		    o->what);
	for (unsigned w = 0; w < COUNT_WHATS && status == 0; w++) {
		struct also *a = &o->also[w];

		if (a->arg == NULL)
			continue;
		for (unsigned v = 0; v < COUNT_WHATS; v++)
			if ((v < w && o->also[v].arg &&
				strcmp(o->also[v].path, a->path) == 0) ||
			    (o->output && strcmp(o->output, a->path) == 0) ||
			    (o->coverage && strcmp(o->coverage, a->path) == 0))
				opt_wrong("--also: %s is written by another "
					  "option, too",
				    msg_str(a->path));
		status = naming_check(a->path, FOLDED_TRAILER, o->force, false);
		if ((a->file = naming_file()) < 0)
			return EXIT_SYSTEM;
		r->whats |= 1U << w;
		naming_path(r->also[w], a->file);
	}
	return status;
}

/* Somebody has killed the process that counted. */
static int
take_over(struct counting *c, int status)
{
	const struct watch watch = {
	    .o = c->o, .file = c->file, .live = c->live};

	msg("a process of kst-count was ended by signal %d", WTERMSIG(status));
	status = watch_is_whole(c->file)
		     ? finish(c->o, &c->file, c->live, false)
		     : watch_nothing(&watch, 0);
	return status > EXIT_SYSTEM ? status : EXIT_SYSTEM;
}

int
run(struct options *o)
{
	struct request request = o->request;
	const char *dir = port_own_folder();
	struct counting c = {.o = o,
	    .request = &request,
	    .later = -1,
	    .dir = dir ? dir : KST_DATADIR "/../../bin"};
	int status, live;

	if (o->addresses && o->request.trace.on && o->elf.n > 0)
		opt_wrong("--addresses with --trace: without --elf only");
	if ((status = finish_check(o)) != 0 ||
	    (status = open_files(o, &request)) != 0)
		return status;
	if ((c.file = naming_file()) < 0 || (live = naming_file()) < 0 ||
	    (c.code = naming_file()) < 0)
		return EXIT_SYSTEM;
	c.console = naming_console(o);
	add_given(o, NULL);
	o->later = o->elf.n == 0 && !o->found && !o->addresses && !o->selftest;
	if ((status = make_request(o, &request, c.code)) != 0 ||
	    (o->selftest && (status = selftest_prepare(
				 &o->command, naming_file(), &request)) != 0))
		return status;
	if ((request.trace.on && events_open(&request.trace) != 0) ||
	    (o->coverage && coverage_open(request.cover) != 0))
		return EXIT_SYSTEM;
	c.live = live_map(live);
	naming_path(request.live, live);
	if (o->later) {
		if ((c.later = naming_file()) < 0)
			return EXIT_SYSTEM;
		naming_path(request.later, c.later);
	}
	if ((request.modules || c.later >= 0) &&
	    serve_start(&c.modules, o) != 0)
		return EXIT_SYSTEM;
	naming_path(request.modules_to, c.modules.to);
	naming_path(request.modules_from, c.modules.from);
	if (c.live == NULL || write(c.file, &request, sizeof request) !=
				  (ssize_t)sizeof request) {
		msg_errno("a temporary file");
		return EXIT_SYSTEM;
	}
	c.path = port_run_name("kst-count");
	status = job_own(count, &c);
	qemupath_end(c.path);
	free(c.path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : take_over(&c, status);
}
