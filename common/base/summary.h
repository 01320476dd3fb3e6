/* SPDX-License-Identifier: ISC */
/*
 * --summary-fd: what a command read and counted, as one line of `key=value`
 * for the program that has started it; see kst(7). Without the option nothing
 * here does anything. The line is written when the command ends, also when
 * msg_die() ends it, in one write of less than PIPE_BUF bytes.
 */
#ifndef KST_SUMMARY_H
#define KST_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct in;

/* For OPT_DO() of opt.h: the value of the option. */
int summary_option(void *unused, const char *fd, struct buf *err);

/* A count; `key` is a literal. */
void summary_count(const char *key, uint64_t n);

/* How many bytes and lines of input were read, before in_done(). */
void summary_in(const struct in *in);

/* A message, for msg.c; the first one counts unless a fault is said. */
void summary_message(const char *text);

/* A fault of the input, for fault.c; the first one counts. */
void summary_fault(uint64_t line, const char *text);

#endif
