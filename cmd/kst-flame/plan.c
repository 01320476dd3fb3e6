/* SPDX-License-Identifier: ISC */
/* From the options to what is run: files, the guest, the words of the steps. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/folded.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "io/whole.h"
#include "opt/qemupath.h"
#include "flame.h"
#include "qemu.h"

static enum form
form_of(const char *output)
{
	static const char *const endings[] = {
	    ".svg", ".folded", ".txt", ".json"};

	if (strcmp(output, "-") == 0)
		return FORM_PIPE;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (bytes_ends(output, strlen(output), endings[i]))
			return (enum form)i;
	opt_wrong("--output: '%s' does not end in .svg, .folded, .txt or .json",
	    msg_str(output));
}

static void
check_options(struct plan *p)
{
	static const enum step last[] = {/* of each form */
	    STEP_SVG, STEP_FOLD, STEP_CAPTURE, STEP_CLEAN, STEP_CAPTURE};
	const struct options *o = p->o;
	bool watched = o->from || o->until;

	p->form = form_of(o->output);
	for (enum step s = last[p->form] + 1; s <= STEP_SVG; s++)
		if (o->handed[s].n > 0)
			opt_wrong("--%s has no effect on --output %s",
			    o->handed[s].use->name, msg_str(o->output));
	if (o->exact && (p->argv == NULL || p->form > FORM_FOLDED))
		opt_wrong(
		    "--exact and --last need a command after --, and an output "
		    "that ends in .svg or .folded");
	if (o->exact && o->handed[STEP_CAPTURE].n > 0 &&
	    strcmp(o->handed[STEP_CAPTURE].use->name, "samples") == 0)
		opt_wrong("--samples is of captures: --instructions N ends "
			  "what --exact counts");
	if (o->exact && o->handed[STEP_CAPTURE].n > 0)
		opt_conflict("exact", o->handed[STEP_CAPTURE].use->name);
	if (o->lines && p->form > FORM_FOLDED)
		opt_wrong("--lines needs an output that ends in .svg or "
			  ".folded");
	if (o->traced && o->handed[STEP_FOLD].n > 0)
		opt_conflict("last trace", o->handed[STEP_FOLD].use->name);
	if (!o->exact && o->handed[STEP_COUNT].n > 0)
		opt_requires(o->handed[STEP_COUNT].use->name, "exact");
	if (p->form == FORM_PIPE && (p->argv || o->keep || o->open))
		opt_wrong("--output - needs a running guest, and excludes a "
			  "command, --keep and --open");
	if (p->form == FORM_TXT && o->keep)
		opt_wrong("--keep is not needed: the output is the capture");
	if (o->keep && strcmp(o->keep, o->output) == 0)
		opt_wrong("--keep and --output name the same file");
	if (p->argv && o->remote)
		opt_wrong(
		    "--remote cannot be combined with a command: that starts "
		    "its own guest");
	if (!p->argv && (watched || o->qemu_args || o->serial))
		opt_wrong("--from, --until, --serial and --qemu-args need a "
			  "command after --");
	if (o->qemu_args && strcmp(o->qemu_args, "end") != 0 &&
	    strcmp(o->qemu_args, "env") != 0 && !strstr(o->qemu_args, "{}"))
		opt_wrong("--qemu-args: '%s' is not end or env, and has no {}",
		    msg_str(o->qemu_args));
}

/* Whether the kernel's file can be read: QEMU is not started for nothing. */
static int
check_elf(struct plan *p)
{
	const struct opt_list *elf = &p->o->elf;

	for (size_t i = 0; i < elf->n; i++) {
		const char *path = elf->use[i].arg, *at = strrchr(path, '@');
		int len = (int)(at ? (size_t)(at - path) : strlen(path));

		if (access(path, R_OK) != 0 &&
		    access(words_addf(&p->texts, "%.*s", len, path), R_OK)) {
			msg_errno("%s", msg_str(path));
			return EXIT_FAILED;
		}
	}
	return 0;
}

/* Whether a file of that form can be made there. */
static int
check_output(struct plan *p, const char *path, enum form form)
{
	static const char *const marks[] = {[FORM_SVG] = MARK_SVG,
	    [FORM_FOLDED] = "\n" FOLDED_TRAILER,
	    [FORM_TXT] = MARK_CAPTURE,
	    [FORM_JSON] = "{\"stack_traces\":"};
	const char *slash = strrchr(path, '/'), *why;
	const struct opt_list *elf = &p->o->elf;
	struct words inputs = {0};
	int status = EXIT_USAGE;
	struct stat st;

	for (size_t i = 0; i < elf->n; i++)
		words_add(&inputs, elf->use[i].arg);
	if (access(words_addf(&p->texts, "%.*s.",
		       slash ? (int)(slash - path) + 1 : 0, path),
		W_OK | X_OK) != 0) {
		why = strerror(errno);
		status = EXIT_SYSTEM;
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		why = "not a regular file";
	} else {
		why = whole_refuses(
		    path, p->o->force ? NULL : marks[form], inputs.v, inputs.n);
	}
	words_done(&inputs);
	if (why == NULL)
		return 0;
	msg("%s: %s", msg_str(path), why);
	return msg_status(status);
}

/* How to start QEMU, where no guest can be sampled. */
static int
no_guest(const struct qemu_guest *g)
{
	if (g != NULL)
		msg("%s (process %ld) has no gdb stub and no QMP monitor: "
		    "start it with -s",
		    msg_str(g->name), g->pid);
	else
		msg("no QEMU of yours is running on this machine");
	msg("start QEMU with -s, or as: kst flame -e kernel.elf -- "
	    "qemu-system-x86_64 ...");
	return EXIT_FAILED;
}

/* The guest that runs: there must be one. */
static int
find_guest(struct plan *p)
{
	struct qemu_guest *g, *one = NULL;
	size_t n, ways = 0, named = 0;
	int status = 0;

	n = qemu_find(
	    &g, p->o->elf.n > 0 ? p->o->elf.use[0].arg : NULL, &p->texts);
	for (size_t i = 0; i < n; i++) {
		if (g[i].remote == NULL)
			continue;
		ways++;
		named += g[i].named;
		if (one == NULL || g[i].named)
			one = &g[i];
	}
	if (one == NULL) {
		status = no_guest(n ? g : NULL);
	} else if (ways > 1 && named != 1) {
		for (size_t i = 0; i < n; i++)
			if (g[i].remote)
				msg("process %ld, %s: --remote %s", g[i].pid,
				    msg_str(g[i].name), msg_str(g[i].remote));
		msg("several guests are running: choose one with --remote");
		status = EXIT_FAILED;
	} else {
		p->remote = one->remote;
		p->kernel = one->kernel;
		msg("%s, process %ld, at %s", msg_str(one->name), one->pid,
		    msg_str(one->remote));
	}
	free(g);
	return status;
}

void
plan_files(struct plan *p)
{
	const char *kept = p->o->keep;
	char *dir = port_run_name("kst-flame");
	long pid = (long)getpid();

	/* The name goes through any command line, and into a socket's. */
	p->dir = words_addf(&p->texts, "%s", dir);
	free(dir);
	if (p->form == FORM_TXT)
		kept = p->o->output;
	p->socket = words_addf(&p->texts, "%s/gdb", p->dir);
	p->path = words_addf(&p->texts, "%s/path", p->dir);
	p->drawn = words_addf(&p->texts, "%s.kst-%ld", p->o->output, pid);
	p->text = kept ? words_addf(&p->texts, "%s.kst-%ld-text", kept, pid)
		       : words_addf(&p->texts, "%s/capture.txt", p->dir);
}

int
plan_folder(const struct plan *p)
{
	if (mkdir(p->dir, 0700) == 0)
		return 0;
	msg_errno("%s", msg_str(p->dir));
	return -1;
}

int
plan_make(struct plan *p, const struct options *o, char *const *argv)
{
	int status;

	*p = (struct plan){.o = o, .argv = argv};
	check_options(p);
	status = check_elf(p);
	if (status == 0 && p->form != FORM_PIPE)
		status = check_output(p, o->output, p->form);
	if (status == 0 && o->keep)
		status =
		    check_output(p, o->keep, o->exact ? FORM_FOLDED : FORM_TXT);
	if (status == 0 && o->remote)
		p->remote = o->remote;
	else if (status == 0 && !argv)
		status = find_guest(p);
	if (status == 0 && argv)
		p->kernel =
		    qemu_kernel(&(struct qemu_line){argv, NULL, &p->texts});
	return status;
}

void
plan_kernel(struct plan *p)
{
	struct qemu_guest *g;
	size_t n;

	if (p->o->elf.n > 0 || p->argv == NULL || p->o->exact)
		return;
	n = qemu_find(&g, NULL, &p->texts);
	for (size_t i = 0; i < n; i++)
		if (g[i].kernel && g[i].remote &&
		    strcmp(g[i].remote, p->socket) == 0)
			p->kernel = g[i].kernel;
	free(g);
}

void
plan_say_old(const char *output, int status, time_t began)
{
	static const struct {
		const char *name;
		time_t seconds;
	} units[] = {
	    {"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
	struct stat st;
	time_t age;
	size_t i = 0;

	if (status == 0 || stat(output, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_mtime >= began)
		return;
	for (age = began - st.st_mtime; age < units[i].seconds;)
		i++;
	age /= units[i].seconds;
	msg("%s is not of this run: it is %" PRIu64 " %s%s old",
	    msg_str(output), (uint64_t)age, units[i].name, age == 1 ? "" : "s");
}

void
plan_done(struct plan *p)
{
	words_done(&p->texts);
}

void
plan_remove(const struct plan *p)
{
	unlink(p->socket);
	unlink(p->text);
	unlink(p->drawn);
	qemupath_end(p->path);
	rmdir(p->dir);
}

/* Whether it is sampled from its first instruction on, which gdb cannot. */
static bool
is_held(const struct options *o)
{
	const struct opt_use *backend = options_use(o, STEP_CAPTURE, "backend");

	return o->from == NULL && options_use(o, STEP_CAPTURE, "gdb") == NULL &&
	       (backend == NULL || strcmp(backend->arg, "gdb") != 0);
}

size_t
plan_elf(const struct plan *p, struct words *w)
{
	const struct opt_list *elf = &p->o->elf;

	for (size_t i = 0; i < elf->n; i++)
		words_addf(w, "--elf=%s", elf->use[i].arg);
	if (elf->n == 0 && p->kernel)
		words_addf(w, "--elf=%s", p->kernel);
	return elf->n + (elf->n == 0 && p->kernel);
}

static void
count_words(const struct plan *p, struct words *w)
{
	const struct options *o = p->o;

	options_words(w, o, STEP_COUNT);
	words_add(w, "--no-demangle"); /* kst-clean does, by its options */
	if (o->traced)
		words_add(w, "--trace");
	if (o->from)
		words_addf(w, "--from=%s", o->from);
	if (o->until)
		words_addf(w, "--until=%s", o->until);
	if (o->serial)
		words_addf(w, "--serial=%s", o->serial);
	if (o->lines)
		words_add(w, "--lines");
	plan_elf(p, w);
	words_add(w, "--");
	for (char *const *a = p->argv; *a; a++)
		words_add(w, *a);
}

void
plan_capture(const struct plan *p, int summary, struct words *w)
{
	const struct options *o = p->o;

	if (o->exact) {
		count_words(p, w);
		return;
	}
	options_words(w, o, STEP_CAPTURE);
	if (summary >= 0)
		words_addf(w, "--summary-fd=%d", summary);
	if (o->waiting && options_use(o, STEP_CAPTURE, "threads") == NULL)
		words_add(w, "--threads=try-waiting");
	words_addf(w, "--remote=%s", p->argv ? p->socket : p->remote);
	plan_elf(p, w);
	if (p->argv && is_held(o))
		words_add(w, "--start");
	if (p->argv &&
	    options_use(o, STEP_CAPTURE, "samples duration one-shot") == NULL)
		words_addf(w, "--samples=%" PRIu64, UINT64_MAX);
}

int
plan_pipe(const struct plan *p)
{
	struct words w = {0};

	plan_capture(p, -1, &w);
	port_exec(w.v);
	msg_errno("%s", msg_str(w.v[0]));
	words_done(&w);
	return EXIT_SYSTEM;
}

void
plan_qemu(const struct plan *p, struct words *w)
{
	const char *how = p->o->qemu_args;
	struct words options = {0};

	qemu_options(&options, p->socket, is_held(p->o));
	qemupath_args(&options);
	if (how)
		qemu_command(w, p->argv, &options, how);
	else
		qemupath_words(w, p->argv, &options, p->path, "KST_QEMU_ARGS");
	words_done(&options);
}
