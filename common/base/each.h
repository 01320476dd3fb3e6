/* SPDX-License-Identifier: ISC */
/*
 * --each IN:OUT:SUM: a filter reads each operand on its own, but loads and
 * learns things once. For operand P it reads P with IN appended and writes, in
 * place, P with OUT appended; it adds the summary's line to P with SUM
 * appended.
 */
#ifndef KST_EACH_H
#define KST_EACH_H

/*
 * Runs the filter on all operands at once if `each` is NULL, else on each of
 * them; closes the output and writes the summaries. `run` returns an exit
 * status. Returns the highest one; stops when the system has failed.
 */
int each_run(const char *each, char **operands, int n,
    int (*run)(void *options, char **operands, int n), void *options);

#endif
