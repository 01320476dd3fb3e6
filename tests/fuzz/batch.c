/* SPDX-License-Identifier: ISC */
/*
 * What kst-batch reads of its own folder, of filters and of hosts: the state,
 * where what is written again must be read as the same, summaries, the lines of
 * a job, and the words of an option. The first byte tells which. Reaches
 * hosts_take and outcome_parse.
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

static void
read_words(const char *text, size_t len)
{
	struct words steps[STEPS] = {{0}};
	char *s = xmemdup0(text, len);

	(void)steps_add(steps, "clean", s);
	words_done(&steps[STEP_CLEAN]);
	free(s);
}

/* What filters say of a capture and of a sum, and a host's line. */
static void
read_said(const char *text, size_t len, unsigned kind)
{
	static char *gzip[] = {dir, NULL};
	static struct options o = {.quiet = true, .joblog = "log"};
	static char name[] = "a", *base;
	struct item item = {.path = dir, .rel = name, .size = 9},
		    total = {.path = dir, .rel = name, .is_sum = true},
		    *items[] = {&item, &total};
	struct buf said[2] = {BUF_INIT, BUF_INIT};
	struct batch b = {.o = &o, .cwd = dir, .out = dir, .dir = dir};
	struct task t = {.i = &item,
	    .n = 1 + (kind == 2),
	    .unpacker = kind == 1 ? gzip : NULL,
	    .json = kind == 4,
	    .foreign = kind == 3,
	    .said = said};
	char *line = xmemdup0(text, len);

	if (o.steps[STEP_FOLD].n == 0)
		steps_add(o.steps, "fold", "");
	base = xstrdup(text_of("%s/0", dir));
	t.base = base;
	write_file(".kst-batch/state", "", 0);
	write_file("0/t/0.folded", "a;b 1\n", 6);
	state_open(dir, true, &b.state);
	for (size_t k = 0; k < t.n; k++)
		buf_add(&said[k], text, len);
	judge(&b, &t);
	t.i = &total;
	t.n = 0;
	buf_add(&t.other, text, len);
	judge(&b, &t);
	free(item.made.what);
	item.made.what = NULL;
	hosts_take(&b, items, 2, line);
	(void)batch_is_log(write_file("log", text, len));
	state_close(b.state);
	buf_done(&said[0]);
	buf_done(&said[1]);
	buf_done(&t.other);
	free(line);
	free(base);
	free(item.made.what);
	free(total.made.what);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;

	fuzz_quiet();
	if (dir[sizeof dir - 2] == 'X') {
		if (mkdtemp(dir) == NULL)
			abort();
		atexit(remove_dir);
	}
	if (size == 0)
		return 0;
	if (*data % 7 == 5)
		read_state(text, size - 1);
	else if (*data % 7 == 6)
		read_words(text, size - 1);
	else
		read_said(text, size - 1, *data % 7);
	return 0;
}
