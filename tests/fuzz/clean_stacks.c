/* SPDX-License-Identifier: ISC */
/*
 * Whole files of both shapes: through the stack rules of kst-clean, and
 * through kst-fold with all that it can be asked for. Reaches folded_parse,
 * trace_read, trace_read_raw, trace_thread_parse, trailer_read, failures_read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clean.h"
#include "names.h"
#include "profile/profile.h"
#include "profile/table_write.h"
#include "profile/table.h"
#include "fuzz.h"
#include "io/in.h"
#include "names/rules.h"
#include "trace/shape.h"

static void
clean_file(char *path, struct names *names)
{
	struct clean *c = xcalloc(1, sizeof *c);
	struct in in;

	c->names = names;
	c->by_stack = true;
	c->trim_unknown = true;
	clean_init(c);
	in_init(&in, &path, 1);
	while (in_fill(&in, 1)) {
		if (shape_detect(&in) == SHAPE_FOLDED)
			clean_folded(c, &in);
		else
			clean_trace(c, &in);
	}
	in_done(&in);
	clean_done(c);
	free(c);
}

static void
fold_file(char *path, size_t how)
{
	struct fold_options o = {.by = {BY_PROCESS, BY_CPU, BY_TIME},
	    .n_by = how % 4,
	    .piece = 1 + how,
	    .mark_truncated = how & 4,
	    .from = {how & 8, how & 16, 2}};
	struct table *t = table_new();
	struct fold f;
	struct in in;

	if (o.n_by == 1 && how & 32)
		o.by[0] = BY_TIME;
	o.cpus.some = how & 32;
	o.cpus.want[0] = 5;
	fold_init(&f, &o, t);
	in_init(&in, &path, 1);
	while (in_fill(&in, 1)) {
		if (shape_detect(&in) == SHAPE_FOLDED)
			fold_folded(&f, &in);
		else
			fold_trace(&f, &in);
	}
	if (f.folded_lines && f.captures == 0 && f.one_count_lines == 0)
		table_split(t);
	fold_finish(&f);
	table_write(t, how & 64);
	in_done(&in);
	fold_done(&f);
	table_free(t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names_options o = {.rules = rules_new()};
	struct names *names;
	char path[40];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	rules_add(
	    o.rules, &(struct rule_words){"skip-to", "work", "", 4, 0}, NULL);
	rules_add(o.rules, &(struct rule_words){"skip", "sk", "", 2, 0}, NULL);
	rules_add(
	    o.rules, &(struct rule_words){"drop", "drop", "", 4, 0}, NULL);
	names = names_new(&o);
	fuzz_no_output();
	fuzz_quiet();
	if (write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	clean_file(path, names);
	fold_file(path, size);
	fuzz_drop_output();
	names_free(names);
	rules_free(o.rules);
	close(fd);
	return 0;
}
