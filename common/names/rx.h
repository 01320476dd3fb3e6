/* SPDX-License-Identifier: ISC */
/*
 * Regular expressions (PCRE2, compiled to machine code where it can be), with
 * limits that keep any pattern's time and memory bounded. Bytes that are no
 * UTF-8 are allowed in a subject; they match nothing but are kept.
 */
#ifndef KST_RX_H
#define KST_RX_H

#include <stddef.h>

struct buf;
struct rx;

/* What the functions below return when a match went beyond the limits. */
enum { RX_LIMIT = -1 };

/* Compiles; returns NULL with the reason in *err when the pattern is wrong. */
struct rx *rx_new(const char *pattern, size_t len, struct buf *err);
void rx_free(struct rx *rx);

/* 1 = matches somewhere in the subject, 0 = does not, or RX_LIMIT. */
int rx_match(struct rx *rx, const char *subject, size_t len);

/*
 * Writes to *out (emptied first) the subject with every match replaced by the
 * text, in which $1, ${1} and ${name} stand for groups and $$ for a dollar
 * sign. Returns how many there were; with 0 or RX_LIMIT *out is not filled.
 */
int rx_replace(struct rx *rx, const char *subject, size_t len, const char *text,
    size_t text_len, struct buf *out);

/* 0, or -1 with the reason in *err when the text refers to no such group. */
int rx_check_text(struct rx *rx, const char *text, size_t len, struct buf *err);

#endif
