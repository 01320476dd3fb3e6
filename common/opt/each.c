/* SPDX-License-Identifier: ISC */
#include "opt/each.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "opt/words.h"
#include "io/out.h"
#include "base/summary.h"

struct each {
	int (*run)(void *options, char **operands, int n);
	void *options;
	const char *suffix[3];
};

enum { IN, OUT, SUM };

int
summary_option(void *unused, const char *fd, struct buf *err)
{
	uint64_t n;

	(void)unused;
	if (num_u64(fd, strlen(fd), &n) != 0 || n == 0 || n > INT_MAX ||
	    fcntl((int)n, F_GETFD) < 0) {
		buf_adds(err, "is not an open descriptor above 0");
		return -1;
	}
	summary_to((int)n, msg_prog);
	return 0;
}

/* Opens the file to write to; -1 after a message. */
static int
open_file(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		msg_errno("%s", msg_str(path));
	return fd;
}

static int
run_files(const struct each *e, char *in, const char *to)
{
	int status = EXIT_SYSTEM;

	if (access(in, R_OK) != 0) {
		msg_errno("%s", msg_str(in));
		return EXIT_SYSTEM;
	}
	out.fd = open_file(to, O_TRUNC);
	if (out.fd >= 0) {
		status = msg_status(e->run(e->options, &in, 1));
		if (out_close() != 0)
			status = EXIT_SYSTEM;
	}
	out.err = 0;
	return status;
}

static int
run_one(const struct each *e, const char *operand)
{
	int fd, status = EXIT_SYSTEM;
	struct words path = {0};

	for (int i = 0; i < 3; i++)
		words_addf(&path, "%s%s", operand, e->suffix[i]);
	fd = open_file(path.v[SUM], O_APPEND);
	if (fd >= 0) {
		summary_to(fd, msg_prog);
		status = run_files(e, path.v[IN], path.v[OUT]);
		summary_end(status);
		summary_to(0, msg_prog);
		close(fd);
	}
	words_done(&path);
	return status;
}

/* Splits IN:OUT:SUM, in place. */
static void
split(struct each *e, char *text)
{
	bool few = false;

	for (int i = 0; i < 3; i++) {
		few |= text == NULL;
		e->suffix[i] = text ? strsep(&text, ":") : "";
	}
	if (few || text || strcmp(e->suffix[IN], e->suffix[OUT]) == 0 ||
	    strcmp(e->suffix[IN], e->suffix[SUM]) == 0 ||
	    strcmp(e->suffix[OUT], e->suffix[SUM]) == 0)
		opt_wrong("--each takes three different suffixes, IN:OUT:SUM");
}

int
each_run(const char *each, char **operands, int n,
    int (*run)(void *options, char **operands, int n), void *options)
{
	struct each e = {.run = run, .options = options};
	struct buf text = BUF_INIT;
	int status = EXIT_OK;

	if (each == NULL) {
		status = out_end(run(options, operands, n));
		summary_end(status);
		return status;
	}
	buf_adds(&text, each);
	split(&e, (char *)buf_str(&text));
	for (int i = 0; i < n && msg_status(EXIT_OK) == EXIT_OK; i++) {
		int one = run_one(&e, operands[i]);

		if (one > status)
			status = one;
	}
	buf_done(&text);
	return status;
}
