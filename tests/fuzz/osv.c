/* SPDX-License-Identifier: ISC */
/*
 * OSv's logs. The first byte chooses: the console's lines, or a
 * binary tracefile or dump, as events and as stacks; with backtraces, idle time
 * or wake-ups; or the load of CPUs.
 */
#include <stdint.h>

#include "../../cmd/kst-osv/log/binary.h"
#include "../../cmd/kst-osv/spans/emit.h"
#include "../../cmd/kst-osv/spans/select.h"
#include "../../cmd/kst-osv/spans/tps.h"
#include "fuzz.h"

static void
console(struct emit *e, const uint8_t *data, size_t size)
{
	struct fuzz_lines in;
	struct osv_record r;
	const char *line = NULL;
	size_t len = 0;

	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len))
		if (record_parse(line, len, &r))
			emit_record(e, &r);
	fuzz_lines_done(&in);
}

static void
binary(struct emit *e, const uint8_t *data, size_t size)
{
	struct in in;
	struct binary *b;
	struct osv_record r;

	fuzz_in_init(&in, data, size);
	b = binary_open(&in);
	if (b) {
		while (binary_next(b, &r)) {
			stack_put(&r, 1);
			emit_record(e, &r);
		}
		binary_close(b);
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
	opt.cpu_load = data[0] & 1;
	opt.no_cpu = data[0] & 2;
	opt.backtrace = data[0] & 16;
	opt.by = data[0] & 2 ? "cpu" : NULL;
	opt.within = data[0] & 32   ? WITHIN_IDLE
		     : data[0] & 64 ? WITHIN_WAKEUP
				    : WITHIN_NOTHING;
	e = emit_new(&opt);
	if (data[0] & 12)
		binary(e, data + 1, size - 1);
	else
		console(e, data + 1, size - 1);
	emit_end(e);
	emit_list(e);
	fuzz_drop_output();
	emit_free(e);
	selection_free(select);
	return 0;
}
