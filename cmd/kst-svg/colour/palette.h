/* SPDX-License-Identifier: ISC */
/*
 * Palette files, kst-svg(1): rules that give a class of colour to names. The
 * first rule that matches wins; the class [other], or else the one that is `by
 * crate`, takes what no rule matches.
 */
#ifndef PALETTE_H
#define PALETTE_H

#include <stdbool.h>
#include <stddef.h>

#include "colour/rgb.h"

/* One class as the file describes it. */
struct palette_class {
	struct rgb rgb; /* a grey until one is given */
	bool by_crate;	/* each first part of a name has a hue of its own */
	char *legend;	/* or NULL */
};

/* Open so that callers can go through the classes. */
struct palette {
	struct palette_class *classes;
	size_t n;
	/* private */
	struct pattern *patterns;
	size_t n_patterns, cap_patterns;
	struct intern *names; /* those with a rule of their own */
	struct name_rule *name_rules;
	size_t cap_name_rules;
	size_t n_rules;
	struct intern *ids; /* of classes */
	size_t cap;
	int current; /* class that rules go to */
	int other;   /* the class [other], or PALETTE_NONE */
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

#endif
