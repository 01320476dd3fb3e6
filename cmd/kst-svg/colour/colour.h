/* SPDX-License-Identifier: ISC */
/*
 * Colours. Each frame has a class, `c0`, `c1` …, by its name only. Each class
 * has one colour on a light page and one on a dark page. Text on a colour is
 * dark, or light where that is easier to read; its contrast is always 4.5:1 or
 * more.
 */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "colour/needs.h"
#include "colour/rgb.h"

struct class
{
	struct rgb light, dark; /* on a light, on a dark page */
};

/* Names of one kind: `hues` times `shades` classes, by parts of the name. */
struct kind {
	unsigned first, hues, shades;
	/*
	 * by_crate: each first part of a name has a hue of its own. by_module:
	 * names that begin alike have the same hue, so that these look alike.
	 */
	bool by_crate, by_module;
	struct hues module; /* those by module */
	bool used;	    /* a name has been given it */
	char *legend;	    /* of the first class, or NULL */
};

/* Open so that callers can go through the classes and kinds. */
struct colours {
	struct class *class;
	unsigned n;
	struct kind *kind; /* with a legend or rules */
	uint32_t n_kinds;
	/*
	 * Whether `_[k]`, `_[i]`, `_[j]` and `_[w]` at the end of names have
	 * colours, so that they need not be shown.
	 */
	bool annotates;
	unsigned crates; /* where the classes of crates begin; 0: none */
	/* private */
	struct intern *kinds; /* names of [classes] of palette files */
	uint32_t current;     /* the kind that rules go to */
	unsigned shades;      /* of the kinds of the file that is read */
	uint32_t other;	      /* the kind of names that no rule matches */
	bool built_in;	      /* the palette that is read has a static text */
	struct pattern *patterns;
	struct needs needs;   /* of these */
	struct intern *names; /* those with a rule of their own */
	struct name_rule *name_rules;
	size_t cap, kind_cap, n_patterns, patterns_cap, name_rules_cap;
};

/*
 * The palette that is used unless another is asked for or the names have one.
 */
#define PALETTE_USUAL "hot"

/*
 * palette: a name that the manual lists, or NULL. file: a palette file whose
 * rules come first, or NULL. Returns NULL after a message.
 */
struct colours *colours_new(const char *palette, const char *file);

/*
 * Classes by change: blue for less, orange for more; the other way round with
 * negate.
 */
struct colours *colours_of_changes(bool negate);

void colours_free(struct colours *c);

/*
 * In palette.c: adds the rules of a palette file's text, kst-svg(1), after
 * those that are there. `name` is for messages. Returns 0, or -1 after a
 * message.
 */
int palette_add(
    struct colours *c, const char *name, const char *text, size_t len);

/*
 * To be called after the last text: finds the kind of names that no rule
 * matches.
 */
void palette_end(struct colours *c);

/* Gives a whole name its kind, unless it has one or a rule before matches. */
void palette_name(
    struct colours *c, uint32_t kind, const char *name, size_t len);

/* The kind of the first rule that matches a name, or else `other`. */
uint32_t palette_kind(struct colours *c, const char *name, size_t len);

/* Frees the kinds and rules. */
void palette_done(struct colours *c);

/* Of the palette `source`: classes that have no names yet. */
enum { COLOUR_SOURCES = 7 };

/* Sets the legend of one of them, and gives it a name. */
void colour_source(
    struct colours *c, unsigned slot, const char *legend, size_t len);
void colour_source_name(
    struct colours *c, unsigned slot, const char *name, size_t len);

/* The class of a frame's name. */
unsigned colour_of(struct colours *c, const char *name, size_t len);

/* Whether the palette has a class [user], and the class in it of a name. */
bool colour_has_programs(const struct colours *c);
unsigned colour_of_program(struct colours *c, const char *name, size_t len);

/*
 * Whether the palette is of kernels, so that what it calls idle is a CPU. Then
 * *first and *last are the classes of idle names.
 */
bool colour_idle(const struct colours *c, unsigned *first, unsigned *last);

/*
 * The class for a change from one weight to another, by its size as a share of
 * the whole. before and after are what is compared; variance is that of their
 * difference by counting. A change within its 95 % has the class of no change.
 */
unsigned colour_of_change(
    double before, double after, double variance, double whole);

/*
 * Whether the class is a crate's. Then the name is cut to the crate's name, and
 * main_class is the first of the crate's shades.
 */
bool colour_crate(const struct colours *c, unsigned class, const char **name,
    size_t *len, unsigned *main_class);

/* Writes the style sheet's rules of all classes, `c0`, `c1` … */
void colours_put_css(const struct colours *c, char letter);

#endif
