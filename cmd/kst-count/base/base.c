/* SPDX-License-Identifier: ISC */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "kimage/swap.h"

enum { OLD = SWAP_OLD, NEW = SWAP_NEW, SIDES = SWAP_SIDES };

struct base {
	const struct base_ask *o;
	struct swap swap;
	const char *kernel[SIDES];
	const char *dir, *insns[SIDES], *calls[SIDES]; /* temporary files */
};

static void
add(struct words *w, const char *name, const char *value)
{
	if (value)
		words_addf(w, "--%s=%s", name, value);
}

/* The words of kst-count for one of the runs. */
static void
run_words(void *base, int side, struct words *w)
{
	struct base *b = base;
	const struct base_ask *o = b->o;

	words_add(w, "kst-count");
	add(w, "output", b->insns[side]);
	words_addf(w, "--also=calls=%s", b->calls[side]);
	add(w, "elf", b->kernel[side]);
	for (size_t i = 1; i < o->elf->n; i++)
		add(w, "elf", o->elf->use[i].arg);
	add(w, "in", o->in);
	add(w, "from", o->from);
	add(w, "until", o->until);
	add(w, "serial", o->serial);
	if (o->limit)
		words_addf(w, "--instructions=%" PRIu64, o->limit);
	if (!o->icount)
		words_add(w, "--no-icount");
	words_add(w, "--");
	swap_words(&b->swap, b->kernel[side], w);
}

static void
remove_files(const struct base *b)
{
	for (int side = OLD; side <= NEW; side++) {
		unlink(b->insns[side]);
		unlink(b->calls[side]);
	}
	rmdir(b->dir);
}

static int
work(void *arg)
{
	struct base *b = arg;
	struct words w = {0};
	int status = swap_both(b->kernel, run_words, b);

	words_add(&w, "kst-diff");
	words_addf(&w, "--elf=%s,%s", b->kernel[OLD], b->kernel[NEW]);
	words_addf(&w, "--per-call=%s,%s", b->calls[OLD], b->calls[NEW]);
	words_add(&w, b->insns[OLD]);
	words_add(&w, b->insns[NEW]);
	if (status == 0)
		status = swap_run(&w, NULL, false);
	words_done(&w);
	job_end_all();
	remove_files(b); /* the one that waits may have been killed */
	return status;
}

int
base_run(const struct base_ask *o)
{
	const char *tmp = getenv("TMPDIR");
	struct base b = {
	    .o = o, .swap = {.argv = o->command, .other = o->other}};
	struct words *texts = &b.swap.texts;
	char *dir = words_addf(
	    texts, "%s/kst-count-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int status;

	b.dir = dir;
	swap_find(&b.swap, o->elf->n > 0 ? o->elf->use[0].arg : NULL);
	b.kernel[OLD] = o->other;
	b.kernel[NEW] = b.swap.own;
	if (access(o->other, R_OK) != 0) {
		msg_errno("%s", msg_str(o->other));
		swap_done(&b.swap);
		return EXIT_FAILED;
	}
	if (mkdtemp(dir) == NULL) {
		msg_errno("%s", msg_str(dir));
		swap_done(&b.swap);
		return EXIT_SYSTEM;
	}
	for (int side = OLD; side <= NEW; side++) {
		b.insns[side] = words_addf(texts, "%s/i%d.folded", dir, side);
		b.calls[side] = words_addf(texts, "%s/c%d.folded", dir, side);
	}
	status = job_own(work, &b);
	remove_files(&b);
	swap_done(&b.swap);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}
