/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <inttypes.h>
#include <string.h>

#include "base/in.h"
#include "base/msg.h"
#include "binary.h"
#include "load.h"
#include "record.h"
#include "tps.h"
#include "text/signs.h"

/* How long a record that may begin a span is held on a quiet console. */
enum { IDLE_MS = 100 };

struct run {
	const struct run_options *opt;
	struct in in;
	struct emit *emit;
	struct load *load; /* NULL: not asked for */
	uint64_t bad_files;
	uint64_t records;	   /* read, wanted or not */
	uint64_t stacks, no_stack; /* with and without a backtrace */
	/* lines of the console: with a record, and of them ...; without */
	uint64_t console, cut, glued, others;
};

static void
take_record(struct run *r, const struct record *rec)
{
	r->records++;
	if (r->load) {
		load_record(r->load, rec);
	} else if (!r->opt->stacks) {
		emit_record(r->emit, rec);
	} else if (!selection_has(
		       r->opt->emit.select, rec->name, rec->name_len)) {
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
	struct record rec;
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
bad_file(struct run *r, uint64_t offset, const char *why)
{
	const char *name = in_name(&r->in);

	r->bad_files++;
	msg("%s: byte %" PRIu64 ": %s", msg_str(name), offset, why);
}

static void
read_tracefile(struct run *r, unsigned file_no)
{
	struct tracefile *t = tracefile_open(&r->in);
	struct record rec;
	const char *why;
	uint64_t at;

	while (tracefile_next(t, &rec) > 0)
		take_record(r, &rec);
	if ((why = tracefile_damage(t, &at)) != NULL)
		bad_file(r, at, why);
	tracefile_close(t);
	in_skip_file(&r->in, file_no);
}

static void
read_dump(struct run *r)
{
	struct dump *d = dump_open(&r->in);
	struct record rec;
	const char *why;
	uint64_t at;

	while (dump_next(d, &rec) > 0)
		take_record(r, &rec);
	if ((why = dump_damage(d, &at)) != NULL)
		bad_file(r, at, why);
	dump_close(d);
}

static void
read_file(struct run *r, unsigned file_no)
{
	uint64_t records = r->records, bad = r->bad_files;
	struct signs begin;

	signs_look(&begin, &r->in);
	if (tracefile_detect(&r->in)) {
		read_tracefile(r, file_no);
	} else if (dump_detect(&r->in)) {
		read_dump(r);
	} else if (tracefile_foreign(&r->in)) {
		bad_file(r, 0, "a tracefile of an unknown version");
		in_skip_file(&r->in, file_no);
	} else {
		read_console(r, file_no);
	}
	if (r->records == records && r->bad_files == bad) {
		signs_say_none(&begin, "record");
		r->bad_files++;
	}
}

static void
report(const struct run *r)
{
	const struct emit_counts *n = emit_counts(r->emit);

	msg_count(n->no_begin, "ends without begin");
	msg_count(n->no_end, "begins without an end, closed by another's end");
	msg_count(n->open, "begins without end at the end of the log");
	msg_count(n->backwards + (r->load ? r->load->backwards : 0),
	    "times went backwards, raised to the one before");
	msg_count(n->shared, "names of several threads, told apart by CPU");
	msg_count(n->nested, "nested begins, where trace.py gives up");
	msg_count(n->untimed, "records that trace.py does not time");
	msg_count(n->crowded,
	    "waits beyond the limit of a CPU, without their idle or wake-up "
	    "time");
	if (r->load)
		msg_count(r->load->too_many,
		    "records beyond the limit of CPUs, left out");
	msg_count(n->too_many,
	    "records beyond the limit of threads or names, put under ??");
	msg_count(r->cut, "records without `)`, cut by OSv or overwritten");
	msg_count(r->no_stack, "records without a backtrace");
	if (r->console && r->opt->emit.within == WITHIN_WAKEUP)
		msg("the console's log does not tell which thread is woken");
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
	if (opt->cpu_load)
		r.load = load_new();
	while (in_fill(&r.in, 1) > 0) {
		read_file(&r, r.in.file_no);
		emit_end(r.emit);
		if (r.load)
			load_end(r.load);
	}
	if (opt->emit.list)
		emit_list(r.emit);
	report(&r);
	failed = in_failed(&r.in) || r.bad_files > 0;
	emit_free(r.emit);
	load_free(r.load);
	in_done(&r.in);
	return failed ? EXIT_FAILED : EXIT_OK;
}
