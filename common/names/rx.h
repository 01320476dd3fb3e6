/* SPDX-License-Identifier: ISC */
/*
 * Regular expressions (PCRE2, with JIT where possible), bounded in time and
 * memory for any pattern. A subject of invalid UTF-8 never matches, and is kept
 * as it is.
 */
#ifndef KST_RX_H
#define KST_RX_H

#include <stddef.h>

struct buf;
struct rx;

/* A match exceeded the limits. */
enum { RX_LIMIT = -1 };

/* Returns NULL with the reason in *err when the pattern is wrong. */
struct rx *rx_new(const char *pattern, size_t len, struct buf *err);
void rx_free(struct rx *rx);

/* As it was given to rx_new(), up to a NUL; it lives as long as *rx. */
const char *rx_pattern(const struct rx *rx);

/* A byte of punctuation that each match contains, or 0. */
char rx_needs(const struct rx *rx);

/* Whether it matches anywhere in the subject: 1, 0 or RX_LIMIT. */
int rx_match(struct rx *rx, const char *subject, size_t len);

/*
 * Sets the text that replaces a match. $1, ${1} and ${name} are groups, $$ is a
 * dollar sign. Returns 0, or -1 with the reason in *err when the text names an
 * unknown group.
 */
int rx_set_text(struct rx *rx, const char *text, size_t len, struct buf *err);

/*
 * Writes the subject to *out (emptied first), with each match replaced by the
 * text of rx_set_text(), at first an empty one. Returns the number of
 * matches; for 0 and RX_LIMIT *out stays empty. A subject or a result of more
 * than 16 KiB is beyond the limit.
 */
int rx_replace(struct rx *rx, const char *subject, size_t len, struct buf *out);

#endif
