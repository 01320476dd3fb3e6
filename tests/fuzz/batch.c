/* SPDX-License-Identifier: ISC */
/*
 * What kst-batch reads of its own folder and from its workers: the state, where
 * what is written again must be read as the same, the lines of a job, and the
 * summaries. The first byte tells which. Reaches jobs_read.
 */
#include <sys/stat.h>

#include "../../cmd/kst-batch/batch.h"
#include "fuzz.h"

static char dir[] = "/dev/shm/kst-fuzz-XXXXXX";

static void
remove_dir(void)
{
	char command[sizeof dir + 10];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	if (system(command) != 0)
		abort();
}

/* A file below the folder. */
static const char *
write_file(const char *name, const char *text, size_t len)
{
	static struct buf path;

	path.len = 0;
	buf_printf(&path, "%s/%s", dir, name);
	if (make_parents(buf_str(&path)) != 0 ||
	    file_write(path.p, text, len) != 0)
		abort();
	return path.p;
}

/* The first names of the state, as items. */
static void
read_state(const char *text, size_t len)
{
	static char name[] = "a/b";
	struct item first = {.rel = name}, second = {.rel = name};
	struct state *s;

	write_file(".kst-batch/state", text, len);
	if (state_open(dir, true, &s) != 0)
		abort();
	state_load(s, &first);
	if (first.known && state_put(s, first.rel, &first.made) != 0)
		abort();
	state_close(s);
	state_open(dir, false, &s);
	state_load(s, &second);
	if (first.known != second.known ||
	    (first.known &&
		(first.made.key != second.made.key ||
		    first.made.line != second.made.line ||
		    strcmp(first.made.what, second.made.what) != 0)))
		abort();
	state_close(s);
	free(first.made.what);
	free(second.made.what);
}

/* The lines of a worker, and what it said of each of two items. */
static void
read_job(const char *text, size_t len, const char *kind)
{
	static struct options o = {.quiet = true, .joblog = "log"};
	struct item item = {.path = dir,
			.rel = dir + 1,
			.size = 9,
			.kind = kind,
			.unpacker = strcmp(kind, "gz") == 0 ? "gzip" : NULL,
			.splits = strcmp(kind, "capture") == 0},
		    total = {.path = dir,
			.rel = dir,
			.is_sum = true,
			.kind = "add"},
		    *pass[] = {&item, &total};
	struct batch b = {.o = &o,
	    .cwd = dir,
	    .out = dir,
	    .dir = dir,
	    .pass = pass,
	    .n_pass = 2};
	char *line = xmemdup0(text, len), *rest = line;

	/* runs xargs */
	if (o.steps[STEP_FOLD].n == 0)
		steps_add(o.steps, "fold", "");
	write_file(".kst-batch/state", "", 0);
	write_file("0/t/0.sum", text, len);
	write_file("0/t/1.sum", text, len);
	write_file("0/t/0.folded", "a;b 1\n", 6);
	state_open(dir, true, &b.state);
	while (rest)
		jobs_read(&b, strsep(&rest, "\n"));
	free(line);
	line = xstrdup("0 t");
	jobs_read(&b, line);
	memcpy(line, "1 t", 3);
	jobs_read(&b, line);
	if (!item.done || !total.done)
		abort();
	(void)batch_is_log(write_file("log", text, len));
	state_close(b.state);
	free(line);
	free(item.made.what);
	free(total.made.what);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kinds[] = {
	    "text", "gz", "capture", "foreign", "json"};
	const char *text = (const char *)data + 1;

	fuzz_quiet();
	if (dir[sizeof dir - 2] == 'X') {
		if (mkdtemp(dir) == NULL)
			abort();
		atexit(remove_dir);
	}
	if (size == 0)
		return 0;
	if (*data % 6 == 5)
		read_state(text, size - 1);
	else
		read_job(text, size - 1, kinds[*data % 6]);
	return 0;
}
