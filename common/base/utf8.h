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

/* Whether the well-formed character of n bytes is a C1 control (U+0080-9F). */
bool utf8_is_c1(const char *p, size_t n);

#endif
