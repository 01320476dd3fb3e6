/* SPDX-License-Identifier: ISC */
/*
 * Palette files: rules that give a class of colour to names.
 *
 *	# comment
 *	[CLASS] COLOUR LEGEND   begins a class, or goes on with a known one
 *	match PATTERN           PCRE2, anywhere in the name
 *	name NAME               the whole name
 *	NAME->rgb(R,G,B)        one name's colour, as in flamegraph.pl's maps
 *
 * COLOUR is `#rgb`, `#rrggbb`, `rgb(r,g,b)`, or `by crate`: each first part
 * of a name has a hue of its own. The first rule that matches wins; the class
 * [other], or else the one that is `by crate`, takes what no rule matches.
 */
#ifndef PALETTE_H
#define PALETTE_H

#include <stdbool.h>
#include <stddef.h>

#include "colour/rgb.h"

struct palette;

/* One class as the file describes it. */
struct palette_class {
	struct rgb rgb;
	bool has_rgb, by_crate;
	char *legend; /* or NULL */
};

enum { PALETTE_NONE = -1 };

struct palette *palette_new(void);
void palette_free(struct palette *p);

/*
 * Adds the rules of a file's text after those that are there. `name` is for
 * messages. Returns 0, or -1 after a message.
 */
int palette_add(
    struct palette *p, const char *name, const char *text, size_t len);

/* The same for a file. */
int palette_add_file(struct palette *p, const char *path);

/* The class of a name, an index, or PALETTE_NONE. */
int palette_of(struct palette *p, const char *name, size_t len);

size_t palette_count(const struct palette *p);
const struct palette_class *palette_class(const struct palette *p, size_t i);

#endif
