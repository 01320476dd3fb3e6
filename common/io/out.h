/* SPDX-License-Identifier: ISC */
/*
 * A filter's standard output: one large buffer. It is written when it is full,
 * before a read that may block, and by out_close(). A write error is kept and
 * reported once, by out_close(), whose result is the command's success. If the
 * pipe was closed, SIGPIPE ends the command silently.
 */
#ifndef KST_OUT_H
#define KST_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Open because out_put() is inline. */
struct out {
	char *p;
	size_t len, cap;
	int fd;
	int err;	  /* errno of the first write that failed, 0 = none */
	uint64_t flushed; /* how often the buffer was emptied */
};

/* Standard output or, after out_open(), a file. */
extern struct out out;

struct out_file {
	const char *path; /* NULL and "-" are standard output */
	const char *mark; /* see whole_refuses() */
	char *const *inputs;
	int n_inputs;
	bool force;   /* replace even a file without the mark */
	bool partial; /* replace a file even if the status is not EXIT_OK */
	bool leave; /* after a failure, leave what was written, and say where */
	bool sync;  /* the file is on the disk when out_end() returns */
};

/*
 * Writes to a file instead. The file appears whole, by out_end(), or not at
 * all. Returns an exit status, after a message unless it is EXIT_OK.
 */
int out_open(const struct out_file *f);

/*
 * For a program that writes several files after it gave up its rights: starts a
 * process that opens them. `nth`, which is called in that process, describes
 * file number k as for out_open_nth(), or returns false if there is none.
 * Returns an exit status, after a message unless it is EXIT_OK.
 */
int out_begin(
    bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg);

/*
 * As out_open(), for file number k of out_begin(). out_end() ends it, and the
 * next may follow. The program needs RIGHTS_RECEIVE.
 */
int out_open_nth(uint64_t k, const struct out_file *f);

/* Whether standard output is a terminal with colours, and $NO_COLOR is not set.
 */
bool out_colour(void);

/* Writes the buffer. Returns -1 once a write has failed. */
int out_flush(void);

/*
 * Makes room for n more bytes at out.p + out.len; writes the buffer or grows it
 * as needed.
 */
void out_room(size_t n);

void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes the buffer and closes. Returns 0, or -1 after a message if any write
 * failed; then main() fails, too.
 */
int out_close(void);

/*
 * As out_close(), for a command that ends with this exit status. Returns
 * msg_status() of it, or EXIT_SYSTEM if a write failed. An existing file is
 * replaced only at EXIT_OK, or if `partial` was given. A new file appears if
 * there is any output and the system did not fail.
 */
int out_end(int status);

static inline void
out_put(const char *p, size_t n)
{
	if (out.cap - out.len < n)
		out_room(n);
	if (n)
		memcpy(out.p + out.len, p, n);
	out.len += n;
}

static inline void
out_putc(char c)
{
	if (out.cap == out.len)
		out_room(1);
	out.p[out.len++] = c;
}

static inline void
out_puts(const char *s)
{
	out_put(s, strlen(s));
}

#endif
