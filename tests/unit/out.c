/* SPDX-License-Identifier: ISC */
/*
 * Bulk output into a pipe: what a reader gets, and what it keeps by splice(2)
 * while the writer goes on, which must not change under its hands.
 */
#include "base/out.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { LINES = 4000000, LONG = 200000, LONG_AT = 3000000 };
enum { BEFORE = 8 << 20, KEPT = 1 << 20 }; /* bytes */

/* A line of ten digits; at one place a long one, for which no buffer is. */
static void
write_lines(void)
{
	static char text[LONG + 1];

	out_in_bulk();
	for (int i = 0; i < LINES; i++) {
		if (i == LONG_AT) {
			memset(text, 'x', LONG);
			text[LONG] = '\n';
			out_put(text, LONG + 1);
		}
		out_printf("%010d\n", i);
		if (i % 1000000 == 500000) /* a little of a buffer */
			out_flush();
	}
}

/* Starts the writer; returns the end to read from. */
static int
start(pid_t *pid)
{
	int fds[2];

	if (pipe(fds) != 0)
		return -1;
	*pid = fork();
	if (*pid == 0) {
		close(fds[0]);
		out.fd = fds[1];
		write_lines();
		_exit(out_close() == 0 ? 0 : 1);
	}
	close(fds[1]);
	return fds[0];
}

static void
finish(int fd, pid_t pid)
{
	int status = -1;

	close(fd);
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What the text must be, byte by byte. */
struct expected {
	int line, col, extra; /* extra: of the long line, those that are left */
	char text[12];
	bool wrong;
};

static void
expect(struct expected *e, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c;

		if (e->col == 0 && e->line == LONG_AT && e->extra == 0)
			e->extra = LONG + 2;
		if (e->extra > 1) {
			c = --e->extra == 1 ? '\n' : 'x';
		} else {
			if (e->col == 0)
				snprintf(e->text, sizeof e->text, "%010d\n",
				    e->line);
			c = e->text[e->col++];
			if (e->col == 11) {
				e->col = 0;
				e->line++;
				e->extra = 0;
			}
		}
		e->wrong |= p[i] != c;
	}
}

static void
expect_rest(struct expected *e, int fd)
{
	static char buf[1 << 18];
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0)
		expect(e, buf, (size_t)n);
	CHECK(n == 0);
}

static void
check_read(void)
{
	struct expected e = {0};
	pid_t pid;
	int fd = start(&pid);

	expect_rest(&e, fd);
	finish(fd, pid);
	CHECK(!e.wrong && e.line == LINES && e.col == 0);
}

/* Moves pages as they are from one pipe to the other; returns the bytes. */
static size_t
keep(int from, int to, size_t n)
{
	size_t kept = 0;
	ssize_t k;

	while (kept < n && (k = splice(from, NULL, to, NULL, n - kept, 0)) > 0)
		kept += (size_t)k;
	return kept;
}

static void
check_kept(void)
{
	static char buf[1 << 18];
	struct expected e = {0};
	int kept[2], fd;
	pid_t pid;
	ssize_t k = 1;

	CHECK(pipe(kept) == 0);
	CHECK(fcntl(kept[1], F_SETPIPE_SZ, KEPT) == KEPT);
	fd = start(&pid);
	for (size_t n = 0; n < BEFORE && k > 0; n += (size_t)k) {
		k = read(fd, buf, sizeof buf);
		expect(&e, buf, k > 0 ? (size_t)k : 0);
	}
	CHECK(keep(fd, kept[1], KEPT / 2) == KEPT / 2);
	while (read(fd, buf, sizeof buf) > 0)
		;
	finish(fd, pid);
	close(kept[1]);
	expect_rest(&e, kept[0]);
	CHECK(!e.wrong && e.line > (BEFORE + KEPT / 2) / 11 - 1);
	close(kept[0]);
}

int
main(void)
{
	check_read();
	check_kept();
	return unit_end();
}
