/* SPDX-License-Identifier: ISC */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "io/job.h"
#include "swap/swap_run.h"

enum { LONGEST = 1000 }; /* bytes of a command that is said */
enum { OLD = SWAP_OLD, NEW = SWAP_NEW, SIDES = SWAP_SIDES };

struct base {
	const struct base_ask *o;
	struct swap swap;
	const char *dir; /* temporary; NULL: the counts are kept */
	const char *insns[SIDES], *calls[SIDES];
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
	add(w, "elf", swap_kernel(&b->swap, side));
	for (size_t i = 1; i < o->elf->n; i++)
		add(w, "elf", o->elf->use[i].arg);
	add(w, "in", o->in);
	add(w, "from", o->from);
	add(w, "until", o->until);
	add(w, "serial", o->serial);
	if (o->limit)
		words_addf(w, "--instructions=%" PRIu64, o->limit);
	if (o->duration)
		words_addf(w, "--duration=%.9g", (double)o->duration / 1e9);
	if (!o->icount)
		words_add(w, "--no-icount");
	if (o->force)
		words_add(w, "--force");
	words_add(w, "--");
	swap_words(&b->swap, side, w);
}

static void
remove_files(const struct base *b)
{
	if (b->dir == NULL)
		return;
	for (int side = OLD; side <= NEW; side++) {
		unlink(b->insns[side]);
		unlink(b->calls[side]);
	}
	rmdir(b->dir);
}

/* A number as people write it: 300000000 is 3e8. */
static void
add_number(uint64_t n, struct buf *b)
{
	int zeros = 0;

	while (n > 0 && n % 10 == 0) {
		n /= 10;
		zeros++;
	}
	if (zeros < 5)
		for (; zeros > 0; zeros--)
			n *= 10;
	buf_printf(b, zeros ? "%" PRIu64 "e%d" : "%" PRIu64, n, zeros);
}

/* The next command: which lines that function's cost is in. */
static void
say_lines(const struct base *b, const char *function)
{
	const struct base_ask *o = b->o;
	const char *const options[][2] = {{"in", o->in}, {"from", o->from},
	    {"until", o->until}, {"serial", o->serial}};
	struct buf t = BUF_INIT;

	for (size_t i = 0; i < o->elf->n || i == 0; i++) {
		buf_adds(&t, " -e ");
		words_quote(i ? o->elf->use[i].arg : b->swap.own, &t);
	}
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i][1]) {
			buf_printf(&t, " --%s ", options[i][0]);
			words_quote(options[i][1], &t);
		}
	buf_adds(&t, o->icount ? " --lines" : " --no-icount --lines");
	if (o->limit) {
		buf_adds(&t, " -n ");
		add_number(o->limit, &t);
	}
	buf_adds(&t, " --");
	for (char *const *a = o->command; *a; a++) {
		buf_addc(&t, ' ');
		words_quote(*a, &t);
	}
	if (t.len < LONGEST)
		msg("in which lines (of a kernel with -g): kst count%s | "
		    "kst top --lines '^%s$'",
		    buf_str(&t), function);
	buf_done(&t);
}

static int
work(void *arg)
{
	struct base *b = arg;
	struct words w = {0};
	struct swap_found found;
	int status = swap_both(&b->swap,
	    b->o->limit || b->o->until || b->o->duration ? NULL : "-n 1e9",
	    run_words, b);

	if (status == 0) {
		words_add(&w, "kst-diff");
		words_addf(&w, "--elf=%s,%s", b->swap.other, b->swap.own);
		words_addf(
		    &w, "--per-call=%s,%s", b->calls[OLD], b->calls[NEW]);
		words_add(&w, b->insns[OLD]);
		words_add(&w, b->insns[NEW]);
		status = swap_diff(&w, &found);
		if (found.dearer[0])
			say_lines(b, found.dearer);
	}
	job_end_all();
	remove_files(b); /* the one that waits may have been killed */
	return status;
}

/*
 * Chooses the files: beside --output, or temporary ones. Returns 0, or an exit
 * status after a message.
 */
static int
name_files(struct base *b)
{
	static const char *const sides[SIDES] = {"before", "after"};
	const char *tmp = getenv("TMPDIR"), *output = b->o->output;
	struct words *texts = &b->swap.texts;
	const size_t n = output ? strlen(output) : 0;
	char *at;

	if (output) {
		at = words_addf(texts, "%.*s.", (int)n - 7, output);
	} else {
		at = words_addf(
		    texts, "%s/kst-count-XXXXXX", tmp && *tmp ? tmp : "/tmp");
		if ((b->dir = mkdtemp(at)) == NULL) {
			msg_errno("%s", msg_str(at));
			return EXIT_SYSTEM;
		}
		at = words_addf(texts, "%s/", b->dir);
	}
	for (int side = OLD; side <= NEW; side++) {
		b->insns[side] =
		    words_addf(texts, "%s%s.folded", at, sides[side]);
		b->calls[side] =
		    words_addf(texts, "%s%s.calls.folded", at, sides[side]);
	}
	return 0;
}

int
base_run(const struct base_ask *o)
{
	struct base b = {.o = o,
	    .swap = {.argv = o->command,
		.other = o->other,
		.with = o->with,
		.lines = o->lines}};
	const size_t n = o->output ? strlen(o->output) : 0;
	int status;

	if (o->output && (n < 8 || strcmp(o->output + n - 7, ".folded") != 0))
		opt_wrong("--base keeps NAME.before.folded and so on: --output "
			  "must be NAME.folded");
	swap_find(&b.swap, o->elf->n > 0 ? o->elf->use[0].arg : NULL);
	if (access(o->other, R_OK) != 0) {
		msg_errno("%s", msg_str(o->other));
		status = EXIT_FAILED;
	} else if ((status = name_files(&b)) == 0) {
		status = job_own(work, &b);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
		remove_files(&b);
	}
	swap_done(&b.swap);
	return status;
}
