/* SPDX-License-Identifier: ISC */
/*
 * A command's options: one row each. From the rows come what getopt_long()
 * takes, --help, the rows of shell completion (--help=rows) and what lint
 * holds against the manual page. The values go into fields of the command's
 * `struct options`, which has its defaults when opt_read() is called.
 *
 *	static const struct opt rows[] = {
 *	    {'l', "leaf-first", NULL, "write the leaf first",
 *		OPT_FLAG(leaf_first)},
 *	    {0, "shape", "SHAPE", "the input", OPT_CHOICE(shape, SHAPES)},
 *	    {0}};
 *
 * Every wrong use ends the command with a message and EXIT_USAGE.
 */
#ifndef KST_OPT_H
#define KST_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/msg.h"
#include "base/num.h"

struct buf;

enum opt_kind {
	OPT_KIND_HEADING, /* a row without a name: `help` is the heading */
	OPT_KIND_FLAG,
	OPT_KIND_SET,
	OPT_KIND_TEXT,
	OPT_KIND_NUMBER,
	OPT_KIND_SECONDS,
	OPT_KIND_SIZE,
	OPT_KIND_ADDRESS,
	OPT_KIND_REAL,
	OPT_KIND_CHOICE,
	OPT_KIND_LIST,
	OPT_KIND_CALL,
	OPT_KIND_HELP,
	OPT_KIND_VERSION
};

struct opt {
	int letter;	  /* the short name, 0: none */
	const char *name; /* the long name; each option has one */
	const char *arg;  /* FILE, or [FILE] that may be left out, or NULL */
	const char *help; /* one sentence; NULL hides the option */
	enum opt_kind kind;
	size_t at;	   /* the field's place in struct options */
	uint64_t min, max; /* of numbers; the first choice; the value to set */
	size_t given;	   /* place of a bool that tells of its use, + 1 */
	const char *words; /* the values it may have, with blanks between */
	const char *data;  /* or the folder of data files that it may name */
	/* long names with blanks between */
	const char *conflicts; /* not to be given with it */
	const char *requires;  /* of which one must be given with it */
	/*
	 * Takes an argument ("" where it was left out) into the field. Returns
	 * 0, or -1 with what to say after `--name: 'arg'`: `is not a list`.
	 */
	int (*call)(void *field, const char *arg, struct buf *err);
};

/* The place of a field, which has to be of that type. */
#define OPT_AT(type, field)                \
	(offsetof(struct options, field) + \
	    _Generic(((struct options *)0)->field, type : 0))

/* What follows the help in a row. */
#define OPT_FLAG(field) \
	.kind = OPT_KIND_FLAG, .at = OPT_AT(bool, field), .min = true
#define OPT_UNSET(field) .kind = OPT_KIND_FLAG, .at = OPT_AT(bool, field)
/* One value of an enum. */
#define OPT_SET(field, value) \
	.kind = OPT_KIND_SET, .at = OPT_AT(unsigned, field), .min = (value)
#define OPT_TEXT(field) .kind = OPT_KIND_TEXT, .at = OPT_AT(const char *, field)
/* One of these words, as text. */
#define OPT_WORD(field, list) OPT_TEXT(field), .words = (list)
#define OPT_NUMBER(field, low, high)                                          \
	.kind = OPT_KIND_NUMBER, .at = OPT_AT(uint64_t, field), .min = (low), \
	.max = (high)
/* A fraction between two whole limits. */
#define OPT_REAL(field, low, high)                                        \
	.kind = OPT_KIND_REAL, .at = OPT_AT(double, field), .min = (low), \
	.max = (high)
/* Nanoseconds; `low` 1 is more than none. */
#define OPT_SECONDS(field, low)                                                \
	.kind = OPT_KIND_SECONDS, .at = OPT_AT(uint64_t, field), .min = (low), \
	.max = UINT64_MAX
#define OPT_SIZE(field, low, high)                                          \
	.kind = OPT_KIND_SIZE, .at = OPT_AT(uint64_t, field), .min = (low), \
	.max = (high)
#define OPT_ADDRESS(field)                                       \
	.kind = OPT_KIND_ADDRESS, .at = OPT_AT(uint64_t, field), \
	.max = UINT64_MAX
/* An enum, see below: the value that a word of its list stands for. */
#define OPT_CHOICE(field, LIST)                                 \
	.kind = OPT_KIND_CHOICE, .at = OPT_AT(unsigned, field), \
	.min = OPT_FIRST(LIST(OPT_ID)), .words = OPT_WORDS(LIST)
/* Each use is added to a struct opt_list; options may share one. */
#define OPT_LIST(field) \
	.kind = OPT_KIND_LIST, .at = OPT_AT(struct opt_list, field)
#define OPT_CALL(field, function)                                     \
	.kind = OPT_KIND_CALL, .at = offsetof(struct options, field), \
	.call = (function)
/*
 * Follows another value: also sets a bool, which tells a given value from the
 * default.
 */
#define OPT_GIVEN(field) .given = OPT_AT(bool, field) + 1
/* A call that has no field. */
#define OPT_DO(function) .kind = OPT_KIND_CALL, .call = (function)

/*
 * The words of a choice, their values, and what else there is for each, as one
 * list, from which all others are made:
 *
 *	#define SHAPES(X) X(SHAPE_AUTO, "auto") X(SHAPE_TRACE, "trace")
 *	enum shape { SHAPES(OPT_ID) };
 *
 * The values are consecutive.
 */
#define OPT_ID(id, ...) id,
#define OPT_WORDS(LIST) (LIST(OPT_WORD_AFTER_BLANK) + 1)
#define OPT_WORD_AFTER_BLANK(id, word, ...) " " word
#define OPT_FIRST(...) OPT_FIRST_OF(__VA_ARGS__)
#define OPT_FIRST_OF(first, ...) first

struct opt_list {
	struct opt_use {
		const char *name, *arg; /* of the row; from argv */
	} * use;
	size_t n, cap;
};

/*
 * The number, from 0, of the word that s[0..len) is; -1 if it is none of them.
 */
int opt_word(const char *words, const char *s, size_t len);

/* Seconds until a command says that nothing happens: $KST_STALL, or else 30. */
int opt_stall(void);

/*
 * Whether a word may be a name with a slip: at most one wrong letter in three.
 */
bool opt_near(const char *word, size_t len, const char *name);

void opt_list_done(struct opt_list *l);

struct opt_page {
	const char *synopsis;	/* what follows the command's name */
	const char *about;	/* a sentence or two */
	const struct opt *rows; /* {0} ends them; -h and -V are added */
	const char *examples;	/* a command each line, or NULL */
	bool no_operands;	/* the first ends the options: it is wrong */
};

/*
 * Cuts argv at `--`, and returns what follows: a command, whose options are not
 * ours. NULL if there is no `--`.
 */
char **opt_command(int *argc, char **argv);

/*
 * Takes the options of argv into `options`. argv is reordered: operands come
 * last. Returns the index of the first operand. --help and --version end the
 * command, with EXIT_OK if the text could be written.
 */
int opt_read(const struct opt_page *page, void *options, int argc, char **argv);

/* Ends the command: says what is wrong with its options. */
#define opt_wrong(...) (msg(__VA_ARGS__), opt_usage())
_Noreturn void opt_usage(void);

/*
 * Ends the command because of two options that exclude each other, or of one
 * that requires others, where the rows cannot say so. Names are without `--`,
 * or with an argument: `order time`. `others` are as in `requires`.
 */
_Noreturn void opt_conflict(const char *a, const char *b);
_Noreturn void opt_requires(const char *name, const char *others);

#endif
