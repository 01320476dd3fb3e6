/* SPDX-License-Identifier: ISC */
#include "opt/each.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "opt/opt.h"
#include "io/out.h"
#include "base/summary.h"
#include "rights/pass.h"
#include "rights/rights.h"

struct run {
	int (*run)(void *options, char **operands, int n);
	void *options;
	char **operands;
	int n;
	const char *out; /* as in struct each */
	struct buf path; /* of the output */
};

static uint64_t most = UINT64_MAX;

uint64_t
each_most(void)
{
	return most;
}

static int
descriptor(const char *fd, struct buf *err)
{
	uint64_t n;

	if (num_u64(fd, strlen(fd), &n) == 0 && n > 0 && n <= INT_MAX &&
	    fcntl((int)n, F_GETFD) >= 0)
		return (int)n;
	buf_adds(err, "is not an open descriptor above 0");
	return -1;
}

int
summary_option(void *unused, const char *fd, struct buf *err)
{
	int n = descriptor(fd, err);

	(void)unused;
	if (n > 0)
		summary_to(n, msg_prog);
	return n > 0 ? 0 : -1;
}

int
each_fd_option(void *each, const char *fd, struct buf *err)
{
	int n = descriptor(fd, err);

	((struct each *)each)->fd = n > 0 ? (uint64_t)n : 0;
	if (n > 0)
		summary_to(n, msg_prog);
	return n > 0 ? 0 : -1;
}

/* The output of operand k; in the process that opens it, and in ours. */
static bool
output(void *arg, uint64_t k, struct out_file *f)
{
	struct run *r = arg;
	const char *mark = strchr(r->out, '%');

	if (k >= (uint64_t)r->n)
		return false;
	r->path.len = 0;
	buf_add(&r->path, r->out, (size_t)(mark - r->out));
	buf_adds(&r->path, r->operands[k]);
	buf_adds(&r->path, mark + 1);
	*f = (struct out_file){.path = buf_str(&r->path),
	    .inputs = r->operands + k,
	    .n_inputs = 1,
	    .partial = true};
	return true;
}

static int
run_operands(struct run *r)
{
	int status = EXIT_OK;

	for (int k = 0; k < r->n && msg_status(EXIT_OK) == EXIT_OK; k++) {
		struct out_file f;
		int one = EXIT_USAGE;

		if (output(r, (uint64_t)k, &f))
			one = out_open_nth((uint64_t)k, &f);
		if (one == EXIT_OK)
			one = out_end(r->run(r->options, r->operands + k, 1));
		summary_end(one);
		if (one > status)
			status = one;
	}
	return status;
}

/* The input is the standard input: the lowest free descriptor. */
static int
run_files(struct run *r, int from)
{
	int status = EXIT_OK, in;

	while (msg_status(EXIT_OK) == EXIT_OK) {
		struct each_order o;
		int one;

		close(STDIN_FILENO);
		if (!pass_receive(from, &o, sizeof o, &in) || in != 0)
			break;
		most = o.most;
		if (!pass_receive(from, &o, sizeof o, &out.fd) || out.fd < 0)
			break;
		out.err = 0;
		one = out_end(r->run(r->options, NULL, 0));
		close(STDIN_FILENO);
		summary_end(one);
		if (one > status)
			status = one;
	}
	return status;
}

static void
check(const struct each *e, int n)
{
	const char *mark = strchr(e->out, '%');

	if (mark == NULL || strchr(mark + 1, '%'))
		opt_wrong("--each needs a name with one %%, such as %%.folded");
	if (n == 0)
		opt_wrong("--each needs files to read");
	if (e->fd)
		opt_wrong("--each and --each-fd are mutually exclusive");
}

int
each_run(const struct each *each, const struct rights *rights, char **operands,
    int n, int (*run)(void *options, char **operands, int n), void *options)
{
	struct run r = {
	    run, options, operands, n, each ? each->out : NULL, BUF_INIT};
	struct rights keep = rights ? *rights : (struct rights){0};
	int status = EXIT_OK;

	if (r.out) {
		check(each, n);
		status = out_begin(output, &r);
	}
	if (r.out || (each && each->fd)) {
		keep.also |= RIGHTS_RECEIVE;
		port_keep_memory();
	}
	if (rights)
		rights_keep(&keep);
	if (status != EXIT_OK) {
		summary_end(status);
	} else if (r.out) {
		status = run_operands(&r);
	} else if (each && each->fd) {
		status = run_files(&r, (int)each->fd);
	} else {
		status = out_end(run(options, operands, n));
		summary_end(status);
	}
	buf_done(&r.path);
	return status;
}
