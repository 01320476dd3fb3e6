/* SPDX-License-Identifier: ISC */
/*
 * --summary-fd: what a command read and counted, as one line of `key=value` for
 * the program that started it; see kst(7). Does nothing without the option,
 * whose row is in each.h. summary_end(), or the end by msg_die(), writes the
 * line in one write of less than PIPE_BUF bytes.
 */
#ifndef KST_SUMMARY_H
#define KST_SUMMARY_H

#include <stdint.h>

/* A count; `key` is a literal. */
void summary_count(const char *key, uint64_t n);

/* A word without blanks; both are literals. */
void summary_word(const char *key, const char *word);

/* The descriptor for the lines from now on, 0: none; whose lines these are. */
void summary_to(int fd, const char *command);

/* Writes the line, and begins a new one. */
void summary_end(int status);

/* A message, for msg.c; the first one counts unless a fault is said. */
void summary_message(const char *text);

/* For msg.c: the command ends with that status, perhaps before a line. */
void summary_die(int status);

/* A fault of the input, for fault.c; the first one counts. */
void summary_fault(uint64_t line, const char *text);

#endif
