/* SPDX-License-Identifier: ISC */
/*
 * Text of the input or the user as XML character data. `<`, `>`, `&` and quotes
 * become references. Control characters, those that change the direction of
 * writing, bytes that are not UTF-8, and the two code points that XML forbids
 * become U+FFFD. The rest is unchanged.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

#include "base/bytes.h"

struct buf;

/* On the output (out.h), as content or in an attribute's quotes. */
void text_put(const char *p, size_t len);
void text_puts(const char *s);

/*
 * As text_put(), for a name that is followed by other text on its line. The
 * name may be written from right to left; the other text is not.
 */
void text_put_isolated(const char *p, size_t len);

/*
 * How wide a text is, in hundredths of the font size. This is exact for a
 * monospaced font and European letters. Characters that are wider in most fonts
 * count as wide.
 */
unsigned text_width(const char *p, size_t len);

/* Texts are cut to three letters at least, which are that wide. */
enum { TEXT_LEAST = 3 * 61 };

/*
 * Appends as much of the text as fits into `max` hundredths of the font size. A
 * text that is cut ends in an ellipsis. A text of which less than TEXT_LEAST
 * would be left is left out. The result is not yet XML.
 */
void text_fit(struct buf *b, const char *p, size_t len, unsigned max);

/*
 * Appends the name of a function, as much of it as fits: whole; of `a::b::f`
 * the last two parts or the last; without the words that its caller's name
 * begins with, too; without its first word, which tends to name the subsystem,
 * as the colour does. Else words from the beginning and an ellipsis, or
 * nothing: never less than four letters.
 */
void text_fit_name(
    struct buf *b, struct piece name, struct piece caller, unsigned max);

#endif
