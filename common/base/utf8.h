/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629). */
#ifndef KST_UTF8_H
#define KST_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length, 1 to 4, of the well-formed character at p. 0 if the bytes are
 * cut, overlong, a surrogate or beyond U+10FFFF.
 */
size_t utf8_len(const char *p, size_t left);

/*
 * Whether a character, whose utf8_len() is n, may go to a terminal or a page.
 * Refused are ill-formed ones (n is 0), control characters, which could steer a
 * terminal, and those that change the direction of text, which could show one
 * name as another.
 */
bool utf8_is_shown(const char *p, size_t n);

#endif
