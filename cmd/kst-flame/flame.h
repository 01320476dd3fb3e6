/* SPDX-License-Identifier: ISC */
/* What is asked for: the options, and what they come to. */
#ifndef FLAME_H
#define FLAME_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/opt.h"
#include "words.h"

enum form { FORM_SVG, FORM_FOLDED, FORM_TXT, FORM_JSON };

struct options {
	const char *output, *keep, *remote, *qemu_args, *from, *until, *serial;
	struct opt_list elf;
	/* Options of kst-capture, kst-clean, kst-fold and kst-svg. */
	struct opt_list capture, clean, fold, svg;
	bool limited; /* there is a limit of samples or time */
	bool open;
};

extern const struct opt_page flame_page;

/* What is run, made of the options. */
struct plan {
	const struct options *o;
	char *const *argv; /* the command that starts QEMU; NULL: none */
	enum form form;
	char *dir;    /* temporary, of this run alone */
	char *socket; /* in it, of the gdb stub */
	char *text;   /* the capture while it is taken, */
	char *drawn;  /* and what is made of it: renamed when complete */
	char *remote; /* where a running guest is sampled */
	char *kernel; /* an ELF file that QEMU's command names; or NULL */
};

/*
 * Finds out all that can be wrong before anything is started. Returns 0, or an
 * exit status after a message.
 */
int plan_make(struct plan *p, const struct options *o, char *const *argv);
void plan_done(struct plan *p);

/* The words of a step's options, as they were given. */
void options_words(struct words *w, const struct opt_list *list);

/* The words of kst-capture. */
void plan_capture(const struct plan *p, struct words *w);

/* Starts, samples, ends and draws. Returns the exit status. */
int run(const struct plan *p);

/*
 * What is made of the capture, into p->drawn. Returns an exit status; signals
 * that the descriptor gives end the steps.
 */
int steps_run(const struct plan *p, int signals);

/* Whether the steps take their options. Returns 0, or 2 after a message. */
int steps_check(const struct plan *p);

/* Has the desktop show a file. */
void steps_show(const char *path);

/*
 * Starts a command in a group of its own, with no signal blocked; it is asked
 * to end when this process does. A descriptor of -1 is ours. Returns -1 after
 * a message.
 */
pid_t steps_start(char *const *argv, int in, int out, int err);

#endif
