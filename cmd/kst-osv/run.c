/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <inttypes.h>

#include "io/in.h"
#include "base/msg.h"
#include "log/binary.h"
#include "log/record.h"
#include "spans/select.h"
#include "trace/signs.h"

/* How long a record that may begin a span is held on a quiet console. */
enum { IDLE_MS = 100 };

struct run {
	const struct run_options *opt;
	struct in in;
	struct emit *emit;
	uint64_t bad_files;
	uint64_t records;	   /* read, wanted or not */
	uint64_t stacks, no_stack; /* with and without a backtrace */
	uint64_t console, others;  /* its lines with and without a record */
	uint64_t cut, glued;	   /* of the former */
};

static void
take_record(struct run *r, struct osv_record *rec)
{
	r->records++;
	if (!r->opt->stacks) {
		emit_record(r->emit, rec);
	} else if (!selection_has(r->opt->emit.select, rec->name)) {
		return;
	} else if (rec->n_frames == 0) {
		r->no_stack++;
	} else {
		stack_put(rec, ++r->stacks);
	}
}

static void
read_console(struct run *r, unsigned file_no)
{
	struct osv_record rec;
	const char *line;
	size_t len;

	while (in_more(&r->in, file_no) && in_next(&r->in, &line, &len)) {
		if (!record_parse(line, len, &rec)) {
			r->others++;
			continue;
		}
		r->console++;
		r->cut += rec.cut;
		r->glued += rec.glued;
		take_record(r, &rec);
		if (emit_holds(r->emit) && in_idle(&r->in, IDLE_MS))
			emit_release(r->emit);
	}
}

static void
read_binary(struct run *r, struct binary *b)
{
	struct osv_record rec;

	while (binary_next(b, &rec))
		take_record(r, &rec);
	if (b->damage) {
		r->bad_files++;
		msg("%s: byte %" PRIu64 ": %s", msg_str(in_name(&r->in)),
		    b->damage_at, b->damage);
	}
	binary_close(b);
}

/* A signs_reader. */
static const char *
read_file(void *run, struct in *in)
{
	struct run *r = run;
	uint64_t records = r->records, bad = r->bad_files;
	unsigned file_no = in->file_no;
	struct binary *b = binary_open(in);

	if (b)
		read_binary(r, b);
	else
		read_console(r, file_no);
	emit_end(r->emit);
	return r->records == records && r->bad_files == bad ? "no records found"
							    : NULL;
}

static void
report(const struct run *r)
{
	const struct emit_counts *n = emit_counts(r->emit);

	msg_count(n->no_begin,
	    n->no_begin == 1 ? "end without begin" : "ends without begin");
	msg_count(n->no_end,
	    n->no_end == 1
		? "begin without an end, closed by the end of another one"
		: "begins without an end, closed by the end of another one");
	msg_count(n->open, n->open == 1
			       ? "begin without end at the end of the log"
			       : "begins without end at the end of the log");
	msg_count(
	    n->backwards, "times went backwards, raised to the one before");
	msg_count(n->shared, "names of several threads, told apart by CPU");
	msg_count(n->crowded,
	    "waits without their idle or wake-up time, beyond the limit "
	    "of threads");
	msg_count(n->too_many,
	    "records beyond the limit of threads or names, put under ??");
	msg_count(r->cut, "records without `)`, cut by OSv or overwritten");
	msg_count(r->no_stack, "records without a backtrace");
	if (r->console && r->opt->emit.within == WITHIN_WAKEUP)
		msg("the console's log does not say which thread is woken");
	if (!r->opt->verbose)
		return;
	msg_count(r->glued, "records after other output on their line");
	msg_count(r->others, "lines of other console output");
	if (r->opt->stacks)
		msg("%" PRIu64 " stacks", r->stacks);
	else
		msg_count(n->records, "records");
	if (r->console)
		msg("console times at the end are %" PRIu64 " ns apart",
		    record_time_step(n->last_time));
}

int
run(const struct run_options *opt, char **files, int n_files)
{
	struct run r = {.opt = opt};
	bool failed;

	in_init(&r.in, files, n_files);
	r.emit = emit_new(&opt->emit);
	failed = signs_files(&r.in, read_file, &r) > 0;
	if (opt->emit.list)
		emit_list(r.emit);
	report(&r);
	failed |= in_failed(&r.in) || r.bad_files > 0;
	emit_free(r.emit);
	in_done(&r.in);
	return failed ? EXIT_FAILED : EXIT_OK;
}
