/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629). */
#ifndef KST_UTF8_H
#define KST_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length, 1 to 4, of the well-formed character at p; 0 if there is none
 * (overlong, a surrogate, beyond U+10FFFF, cut).
 */
size_t utf8_len(const char *p, size_t left);

/*
 * Whether the character, whose utf8_len() is n, may go to a terminal or a page:
 * not if n is 0, nor a control character, which could steer it, nor one that
 * turns the direction of text, which could show a name as another.
 */
bool utf8_is_shown(const char *p, size_t n);

#endif
