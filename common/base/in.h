/* SPDX-License-Identifier: ISC */
/*
 * The input of a filter: its operands read one after the other as lines.
 *
 * No operand, or "-", is the standard input. An operand that cannot be read
 * is reported, counted, and the rest still read. Before a read that may
 * block, the output is flushed (out.h): full speed on files, no delay on
 * pipes. A line may be up to IN_LINE_MAX bytes long; of a longer one only
 * that much is returned, and the fault is counted and said.
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

/*
 * Open because in_next() is the hot path of every filter and must be inline;
 * only in.c changes the fields otherwise.
 */
struct in {
	const char *p, *end; /* unread bytes; *end is writable, no more */
	uint64_t line;	     /* number in the file of the line given last */
	uint64_t bytes;	     /* read, of all files */
	uint64_t lines;	     /* given, of the files before this one */
	unsigned file_no;    /* grows with each file: "another file" test */
	/* private */
	char **operands;
	int n_operands, next_operand;
	const char *name;
	char *base;
	size_t cap;
	int fd;
	bool eof, failed, may_block;
};

/* The operands (argv + optind) must outlive the struct. */
void in_init(struct in *in, char **operands, int n);
/* The same with a buffer of `size` bytes, for who reads many files at once. */
void in_init_sized(struct in *in, char **operands, int n, size_t size);
void in_done(struct in *in);

/* Slow part of in_next(); not for callers. */
int in_refill_line(struct in *in, const char **line, size_t *len);

/*
 * The next line without its LF (a CR stays), valid until the next call; a
 * last line without LF counts. Returns 1, or 0 at the end of all operands.
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
 * For binary or unlined input: makes at least `want` unread bytes available
 * at in->p, if the current file has so many; returns how many are available
 * (which may be more), 0 at the end of all operands. A file's bytes are never
 * joined with the next file's. The caller advances in->p. want <= IN_LINE_MAX.
 */
size_t in_fill(struct in *in, size_t want);

/* Whether unread bytes are left in the file of that number (in->file_no). */
static inline bool
in_more(struct in *in, unsigned file_no)
{
	return (in->p != in->end || in_fill(in, 1)) && in->file_no == file_no;
}

/* Reads over what is left of that file. */
void in_skip_file(struct in *in, unsigned file_no);

/*
 * Whether the next line would have to be waited for: none is complete yet, and
 * nothing comes within so many milliseconds. Never for a regular file.
 */
bool in_idle(const struct in *in, int ms);

/* Name for messages ("stdin" for "-"), and line number, of the last line. */
const char *in_name(const struct in *in);
uint64_t in_line(const struct in *in);

/* Whether any operand could not be opened or read, or a line was too long. */
bool in_failed(const struct in *in);

#endif
