/* SPDX-License-Identifier: ISC */
/*
 * OSv's logs. The first byte chooses: the console's lines with or without
 * OSv's own pairing, a binary tracefile or a dump as events and as stacks; with
 * backtraces, idle time or wake-ups; and the load of CPUs.
 */
#include <stdint.h>

#include "../../cmd/kst-osv/binary.h"
#include "../../cmd/kst-osv/emit.h"
#include "../../cmd/kst-osv/load.h"
#include "../../cmd/kst-osv/record.h"
#include "../../cmd/kst-osv/tps.h"
#include "fuzz.h"

static struct load *load;

static void
console(struct emit *e, const uint8_t *data, size_t size)
{
	struct fuzz_lines in;
	struct record r;
	const char *line = NULL;
	size_t len = 0;

	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len))
		if (record_parse(line, len, &r)) {
			emit_record(e, &r);
			load_record(load, &r);
		}
	fuzz_lines_done(&in);
}

static void
binary(struct emit *e, const uint8_t *data, size_t size)
{
	struct in in;
	struct tracefile *t;
	struct record r;

	fuzz_in_init(&in, data, size);
	t = tracefile_open(&in);
	while (tracefile_next(t, &r) > 0) {
		emit_record(e, &r);
		load_record(load, &r);
		stack_put(&r, 1);
	}
	tracefile_close(t);
	in_done(&in);
}

static void
dump(struct emit *e, const uint8_t *data, size_t size)
{
	struct record r;
	struct dump *d;
	struct in in;

	fuzz_in_init(&in, data, size);
	if (dump_detect(&in)) {
		d = dump_open(&in);
		while (dump_next(d, &r) > 0) {
			emit_record(e, &r);
			load_record(load, &r);
			stack_put(&r, 1);
		}
		dump_close(d);
	}
	in_done(&in);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct selection *select = selection_new();
	struct emit_options opt = {.select = select};
	struct emit *e;

	if (size == 0) {
		selection_free(select);
		return 0;
	}
	opt.like_trace_py = data[0] & 1;
	opt.no_cpu = data[0] & 2;
	opt.backtrace = data[0] & 16;
	opt.by = data[0] & 2 ? "cpu" : NULL;
	opt.within = data[0] & 32   ? WITHIN_IDLE
		     : data[0] & 64 ? WITHIN_WAKEUP
				    : WITHIN_NOTHING;
	e = emit_new(&opt);
	load = load_new();
	if (data[0] & 4)
		binary(e, data + 1, size - 1);
	else if (data[0] & 8)
		dump(e, data + 1, size - 1);
	else
		console(e, data + 1, size - 1);
	emit_end(e);
	load_end(load);
	load_free(load);
	emit_list(e);
	fuzz_drop_output();
	emit_free(e);
	selection_free(select);
	return 0;
}
