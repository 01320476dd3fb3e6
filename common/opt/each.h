/* SPDX-License-Identifier: ISC */
/*
 * The options for programs, which kst(7) describes: --summary-fd, and --each
 * IN:OUT:SUM, by which a filter reads each operand on its own, but loads and
 * learns things once. For operand P it reads P with IN appended and writes, in
 * place, P with OUT appended; it adds the summary's line to P with SUM
 * appended.
 */
#ifndef KST_EACH_H
#define KST_EACH_H

struct buf;

/* Rows of opt.h, which is included before; `field` is a const char *. */
#define SUMMARY_ROW                                                \
	{                                                          \
		0, "summary-fd", "N", NULL, OPT_DO(summary_option) \
	}
#define EACH_ROWS(field) \
	{0, "each", "IN:OUT:SUM", NULL, OPT_TEXT(field)}, SUMMARY_ROW

int summary_option(void *unused, const char *fd, struct buf *err);

/*
 * Runs the filter on all operands at once if `each` is NULL, else on each of
 * them; closes the output and writes the summaries. `run` returns an exit
 * status. Returns the highest one; stops when the system has failed.
 */
int each_run(const char *each, char **operands, int n,
    int (*run)(void *options, char **operands, int n), void *options);

#endif
