/* SPDX-License-Identifier: ISC */
/* Writes text of the input for readers of several kinds. */
#ifndef KST_QUOTE_H
#define KST_QUOTE_H

#include <stddef.h>

struct buf;

/*
 * A field of CSV, as in RFC 4180: in quotes where that is necessary, with
 * quotes doubled. An apostrophe comes before a text that begins like a formula
 * (= + - @, a tab or CR) and is not a number, because spreadsheets evaluate
 * formulas in spite of quotes.
 */
void quote_csv(const char *p, size_t len);

/* RFC 8259, with its quotes; what is not UTF-8 becomes U+FFFD. */
void quote_json(const char *p, size_t len);
void quote_json_to(struct buf *b, const char *p, size_t len);

/*
 * For a terminal: a `?` for each character that utf8_is_shown() refuses. If the
 * text has more than `room` characters, `..` replaces its left; room 0 is
 * unlimited.
 */
void quote_term(const char *p, size_t len, size_t room);

#endif
