/* SPDX-License-Identifier: ISC */
#include "fold.h"

#include <inttypes.h>
#include <string.h>

#include "io/in.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "base/summary.h"
#include "profile/table.h"
#include "trace/length.h"

int
fold_by_option(void *options, const char *arg, struct buf *err)
{
	struct fold_options *o = options;

	for (;; arg++) {
		size_t n = strcspn(arg, ","), k = 0;
		size_t word = strcspn(arg, "=,");
		int root = opt_word(OPT_WORDS(FOLD_ROOTS), arg, word);

		if (root < 0 || (word < n && root != BY_TIME)) {
			buf_adds(err, "is not a list of cpu, thread, state, "
				      "process and time[=LENGTH]");
			return -1;
		}
		if (word < n && (num_duration(arg + word + 1, n - word - 1,
				     1000000000, &o->piece) != 0 ||
				    o->piece == 0)) {
			buf_adds(err, "has no length of time such as 100ms");
			return -1;
		}
		while (k < o->n_by && o->by[k] != (enum root)root)
			k++;
		if (k == o->n_by)
			o->by[o->n_by++] = (enum root)root;
		arg += n;
		if (*arg == 0)
			return 0;
	}
}

int
fold_limit_option(void *limit, const char *arg, struct buf *err)
{
	struct limit *l = limit;
	size_t n = strlen(arg);

	l->given = true;
	l->seconds = n > 1 && arg[n - 1] == 's';
	if (l->seconds ? num_seconds(arg, n - 1, &l->value) == 0
		       : num_u64(arg, n, &l->value) == 0 && l->value > 0)
		return 0;
	buf_adds(err, "is not a number from 1 on, or seconds such as 1.5s");
	return -1;
}

void
fold_set_piece(struct fold_options *o, char **operands, int n)
{
	if (fold_is_by(o, BY_TIME) && o->piece == 0)
		o->piece = length_of_pieces(operands, n, fold_is_by(o, BY_CPU));
}

static void
say_missing(const struct fold *f)
{
	const struct fold_options *o = f->o;
	struct buf b = BUF_INIT;

	if (f->captures && cpus_missing(&o->cpus, &b))
		msg("CPU %s never appears", buf_str(&b));
	msg_count(f->no_cpu, "stacks without a CPU were left out");
	msg_count(f->no_state, "stacks of unknown state were left out");
	msg_count(
	    f->no_time, "stacks of captures without a time were left out");
	if (f->stacks == 0 && f->left_out > 0)
		msg("the options leave out all %" PRIu64 " stacks",
		    f->left_out);
	if (f->folded_lines && !f->sink &&
	    (o->cpus.some || o->n_by || o->state || o->from.given ||
		o->to.given || o->mark_truncated || o->meanwhile.n > 0))
		msg("folded text has no CPUs, threads or captures: all of it "
		    "is counted, without root frames");
	buf_done(&b);
}

static void
say_summary(const struct fold *f)
{
	char total[40];
	size_t len = count_text(&f->table->total, total);
	size_t stacks = f->sorted ? f->n_sorted : table_stacks(f->table);

	msg("%" PRIu64 " captures, %" PRIu64 " stacks counted, %" PRIu64
	    " left out, %" PRIu64 " truncated",
	    f->captures, f->stacks, f->left_out, f->truncated);
	if (f->sink) /* nothing was added up */
		msg("%zu different stacks", stacks);
	else
		msg("%zu different stacks, total %.*s", stacks, (int)len,
		    total);
}

void
fold_say(const struct fold *f, const struct in *in, bool verbose)
{
	say_missing(f);
	if (verbose)
		say_summary(f);
	in_summarize(in);
	summary_count("captures", f->captures);
	summary_count("stacks", f->stacks);
	summary_count("left-out", f->left_out);
	summary_count("truncated", f->truncated);
	stacks_summary(&f->in);
}
