/* SPDX-License-Identifier: ISC */
/*
 * --summary-fd: one line of `key=value` with what a command read and counted,
 * for the program that started it; see kst(7). Without the option all functions
 * do nothing. The option's row is in each.h. summary_end() writes the line, and
 * so does msg_die(), in one write of less than PIPE_BUF bytes.
 */
#ifndef KST_SUMMARY_H
#define KST_SUMMARY_H

#include <stdint.h>

/* A count; `key` is a literal. */
void summary_count(const char *key, uint64_t n);

/* A word without blanks; `key` and `word` are literals. */
void summary_word(const char *key, const char *word);

/*
 * Sets the descriptor for all further lines (0: none), and the name that they
 * begin with.
 */
void summary_to(int fd, const char *command);

/* Writes the line, and begins a new one. */
void summary_end(int status);

/*
 * For msg.c: a message. The first one goes into the line, unless a fault is
 * there.
 */
void summary_message(const char *text);

/*
 * For msg.c: the command ends with a status, perhaps before it has written a
 * line.
 */
void summary_die(int status);

/* For fault.c: a fault of the input. The first one goes into the line. */
void summary_fault(uint64_t line, const char *text);

#endif
