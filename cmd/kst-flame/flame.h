/* SPDX-License-Identifier: ISC */
/* The options, and the plan of a run that is made of them. */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <time.h>

#include "base/buf.h"
#include "opt/opt.h"
#include "opt/words.h"

enum form { FORM_SVG, FORM_FOLDED, FORM_TXT, FORM_JSON, FORM_PIPE };

/* The commands whose options are ours, too. */
enum step {
	STEP_CAPTURE,
	STEP_CLEAN,
	STEP_FOLD,
	STEP_SVG,
	STEP_COUNT, /* in place of the capture */
	STEPS
};

struct options {
	const char *output, *keep, *base, *with, *remote, *qemu_args, *from,
	    *until, *serial;
	struct opt_list elf;
	struct opt_list handed[STEPS]; /* on to the steps */
	bool force, partial, open, exact, waiting, lines;
	bool in_base;	/* one of the two runs of --base */
	const char *as; /* whose messages these are; NULL: its own */
	bool traced;	/* call by call, which is exact, too */
	/* private to options.c: all rows, and what their texts point to */
	struct opt *row;
	size_t n, cap;
	char *text[STEPS];
};

/* As opt_read(). */
int options_read(struct options *o, int argc, char **argv);
void options_done(struct options *o);

/* The words of a step: its name, and its options as they were given. */
void options_words(struct words *w, const struct options *o, enum step step);

/* The last use of one of these options of a step; NULL: none was given. */
const struct opt_use *options_use(
    const struct options *o, enum step step, const char *names);

/* What is run. */
struct plan {
	const struct options *o;
	char *const *argv; /* the command that starts QEMU; NULL: none */
	enum form form;
	const char *dir;    /* temporary, of this run alone */
	const char *socket; /* in it, of the gdb stub */
	const char *path;   /* in it, for $PATH; may not be there */
	const char *text;   /* the capture while it is taken, */
	const char *drawn;  /* and what is made of it: renamed when complete */
	const char *remote; /* where a running guest is sampled */
	const char *kernel; /* an ELF file that QEMU's command names; or NULL */
	struct words texts; /* all of these */
};

/*
 * Finds everything that can be wrong before anything is started. Returns 0, or
 * an exit status after a message.
 */
int plan_make(struct plan *p, const struct options *o, char *const *argv);

/* Chooses the names of what is temporary. */
void plan_files(struct plan *p);

/*
 * Makes the folder, in the process that removes it: the first process may be
 * killed before it has a second one. Returns -1 after a message.
 */
int plan_folder(const struct plan *p);
void plan_done(struct plan *p);

/* Removes what is temporary. */
void plan_remove(const struct plan *p);

/*
 * When QEMU listens: without -e, the kernel's file is the one that its process
 * has, whose command line and folder may not be those of the user's command.
 */
void plan_kernel(struct plan *p);

/* The words of kst-capture, which writes its summary to the descriptor if that
 * is not -1, or of kst-count. */
void plan_capture(const struct plan *p, int summary, struct words *w);

/* Adds --elf for each ELF file that is known. Returns how many there are. */
size_t plan_elf(const struct plan *p, struct words *w);

/*
 * After a failure: says how old the output is, if it is not of this run, so
 * that nobody takes an earlier picture for a new one.
 */
void plan_say_old(const char *output, int status, time_t began);

/* The words of the command that starts QEMU; sets $KST_QEMU_ARGS. */
void plan_qemu(const struct plan *p, struct words *w);

/*
 * FORM_PIPE: becomes kst-capture, which writes to standard output. Returns an
 * exit status after a message.
 */
int plan_pipe(const struct plan *p);

/* Starts, samples, ends and draws. Returns the exit status. */
int run(struct plan *p);

/*
 * --base: runs the command with its own kernel and with another one, and
 * compares. Returns the exit status.
 */
int base_run(const struct options *o, char *const *argv);

/*
 * Makes the output from the capture. `own` is the exit status of the capture,
 * `asked` whether somebody has ended it. A second request ends the steps.
 * Returns an exit status.
 */
int steps_make(const struct plan *p, int own, bool asked);

/*
 * Says what has ended the capture, and the last stacks of all CPUs. `line` NULL
 * or what --until has matched, which is then marked in the capture.
 */
void last_show(const struct plan *p, const char *event, const struct buf *line);

/*
 * What a filter, whose words are freed, prints of the capture with names, or of
 * its last moment; the caller frees it. NULL: it failed.
 */
char *steps_output(const struct plan *p, struct words *filter, bool of_last);

/* Passes on messages that a command has written to a file. */
void steps_said(int fd);

/* Whether the steps accept their options. Returns 0, or 2 after a message. */
int steps_check(const struct plan *p);

#endif
