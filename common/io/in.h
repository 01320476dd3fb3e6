/* SPDX-License-Identifier: ISC */
/*
 * The input of a filter: its operands, one after the other, as lines.
 *
 * No operand, or "-", is standard input. An operand that cannot be read is
 * reported and the next one read. Output is flushed before a read that may
 * block: full speed on files, no delay on pipes. Of a line longer than
 * IN_LINE_MAX bytes only that much is returned, and the fault reported.
 *
 *      base            p                     end              cap
 *       | lines given  | next line ... \n ...| room to read   |
 */
#ifndef KST_IN_H
#define KST_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { IN_LINE_MAX = 16 << 20 };

/* Open because in_next(), the hot path of every filter, is inline. */
struct in {
	const char *p, *end; /* unread bytes; *end is writable, no more */
	uint64_t line;	     /* number of the last line in its file */
	uint64_t bytes;	     /* read, of all files */
	uint64_t lines;	     /* given, of the files before this one */
	unsigned file_no;    /* a new number for each file */
	/* may be set before reading: */
	uint64_t most; /* bytes to be read */
	bool quiet;    /* in_failed() alone tells of faults */
	/*
	 * Called before each read that may block: waits until fd can be read,
	 * and may do other things meanwhile; false ends the input.
	 */
	bool (*wait)(void *arg, int fd);
	void *wait_arg;
	/* private */
	char **operands;
	int n_operands, next_operand;
	const char *name;
	char *base;
	size_t cap;
	int fd;
	bool eof, failed, may_block, folder;
};

/* The operands (argv + optind) must outlive the struct. */
void in_init(struct in *in, char **operands, int n);
/*
 * As in_init(), for the files of a folder, many at once: buffers of `size`
 * bytes, and only regular files, since the user did not name each.
 */
void in_init_folder(struct in *in, char **operands, int n, size_t size);
/* One open file, which in_done() closes; the name is for messages. */
void in_init_fd(struct in *in, int fd, const char *name);
void in_done(struct in *in);

/* The slow part of in_next(); callers use in_next(). */
int in_refill_line(struct in *in, const char **line, size_t *len);

/*
 * The next line without LF (a CR stays), valid until the next call. Returns 1,
 * or 0 after the last operand.
 */
static inline int
in_next(struct in *in, const char **line, size_t *len)
{
	const char *nl = NULL;

	if (in->p != in->end)
		nl = memchr(in->p, '\n', (size_t)(in->end - in->p));
	if (nl == NULL)
		return in_refill_line(in, line, len);
	*line = in->p;
	*len = (size_t)(nl - in->p);
	in->p = nl + 1;
	in->line++;
	return 1;
}

/*
 * For binary input: makes at least `want` bytes (up to IN_LINE_MAX) available
 * at in->p, or fewer at the end of the file. Returns how many there are; 0
 * after the last operand. The caller advances in->p.
 */
size_t in_fill(struct in *in, size_t want);

/* Whether unread bytes are left in the file number file_no. */
static inline bool
in_more(struct in *in, unsigned file_no)
{
	return (in->p != in->end || in_fill(in, 1)) && in->file_no == file_no;
}

/* Skips the rest of that file. */
void in_skip_file(struct in *in, unsigned file_no);

/*
 * Whether no complete line is there and none arrives within ms milliseconds.
 * Always false for a regular file.
 */
bool in_idle(const struct in *in, int ms);

/* For --summary-fd: how many bytes and lines were read. */
void in_summarize(const struct in *in);

/* For messages: the name ("stdin" for "-"), and the number of the last line. */
static inline const char *
in_name(const struct in *in)
{
	return in->name;
}

static inline uint64_t
in_line(const struct in *in)
{
	return in->line;
}

/* Whether an operand could not be read or a line was too long. */
static inline bool
in_failed(const struct in *in)
{
	return in->failed;
}

#endif
