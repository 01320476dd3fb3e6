/* SPDX-License-Identifier: ISC */
/*
 * The options for programs, which kst-programs(7) describes: --summary-fd,
 * --each and --each-fd. By the last two a filter reads each input on its own,
 * but loads and learns things only once.
 */
#ifndef KST_EACH_H
#define KST_EACH_H

#include <stdint.h>

struct buf;
struct rights;

struct each {
	const char *out; /* an output's name, % for its operand's; or NULL */
	uint64_t fd;	 /* a socket from which files come; 0: none */
};

/*
 * What comes from the socket: this struct, once with the input and then with
 * the output.
 */
struct each_order {
	uint64_t most; /* bytes of the input, from its place on, or all */
};

/* Rows of opt.h, which is included before; `field` is a struct each. */
#define SUMMARY_ROW                                                \
	{                                                          \
		0, "summary-fd", "N", NULL, OPT_DO(summary_option) \
	}
#define EACH_ROWS(field)                                                \
	{0, "each", "OUT",                                              \
	    "write an output for each FILE, to OUT with FILE in place " \
	    "of %",                                                     \
	    OPT_TEXT(field.out)},                                       \
	    {0, "each-fd", "N", NULL, OPT_CALL(field, each_fd_option)}, \
	    SUMMARY_ROW

int summary_option(void *unused, const char *fd, struct buf *err);
int each_fd_option(void *each, const char *fd, struct buf *err);

/*
 * Keeps these rights and, for `each`, those to get output files. Then runs the
 * filter, once on all operands or on each of its inputs, closes the output and
 * writes the summaries. `run` returns an exit status. Returns the highest one;
 * stops when the system has failed. `each` NULL: the command has no such
 * option, and has given up its rights before.
 */
int each_run(const struct each *each, const struct rights *rights,
    char **operands, int n, int (*run)(void *options, char **operands, int n),
    void *options);

/* Called by `run`: how many bytes to read, for struct in. */
uint64_t each_most(void);

#endif
