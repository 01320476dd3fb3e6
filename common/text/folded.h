/* SPDX-License-Identifier: ISC */
/*
 * Folded text, kst-folded(5): `root;...;leaf COUNT`. It is written strictly and
 * read tolerantly. This module splits lines; callers decide what counts mean.
 */
#ifndef KST_FOLDED_H
#define KST_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A count as it was written: value = whole + frac / 10^18, frac < 10^18.
 * Decimals are kept exactly to 18 places.
 */
struct count {
	uint64_t whole, frac;
};

static inline double
count_real(const struct count *c)
{
	return (double)c->whole + (double)c->frac / 1e18;
}

enum folded_kind {
	FOLDED_STACK, /* a stack with one or two counts */
	FOLDED_BLANK, /* an empty line, a `#` comment or a trailer */
	FOLDED_BAD    /* no count, or one that does not fit 64 bits */
};

struct folded_line {
	const char *stack; /* into the line; frames between `;` */
	size_t len;	   /* may be 0: a line that is only a count */
	int n_counts;	   /* 1 or 2 */
	struct count count[2];
	/*
	 * The stack's length if the first of two counts belongs to the name.
	 * Only the whole file can tell: in a differential file every line has
	 * two counts; elsewhere a frame may be called `thread 7`.
	 */
	size_t len_if_one;
	/* the line as folded_next() read it */
	const char *line;
	size_t line_len;
};

/*
 * Splits a line given without LF (a CR, and blanks or tabs at the end and
 * between the fields are tolerated). Fills *f only for FOLDED_STACK.
 */
enum folded_kind folded_parse(
    const char *line, size_t len, struct folded_line *f);

/*
 * The beginning of a trailer, before its keys. It has no blank, since most
 * readers skip a line without a blank. A prefix and a `;` may stand before it,
 * for example when sed puts a root frame before all lines.
 */
#define FOLDED_TRAILER "#kst:"

/*
 * What follows the beginning of a trailer, and its separator; NULL if the line
 * is not a trailer. Earlier versions of kst wrote `# kst key=value key=value`.
 */
const char *folded_trailer(const char *line, size_t len, char *sep);

struct fault;
struct in;

/*
 * The next line of that file that is a stack or blank; other lines are
 * reported. Returns the line's kind, or -1 at the end. Fills line and line_len,
 * and for FOLDED_STACK all of *f.
 */
int folded_next(
    struct in *in, unsigned file_no, struct fault *bad, struct folded_line *f);

/*
 * The end of the frame at p: its `;`, or end. A `;` and a blank inside
 * brackets, as in Rust's `[u8; 4]`, belong to the name.
 */
const char *folded_frame_end(const char *p, const char *end);

/* Adds to *sum. On overflow, returns -1 and leaves *sum unchanged. */
int count_add(struct count *sum, const struct count *n);

/* Less than, equal to or greater than 0, as a is to b. */
int count_cmp(const struct count *a, const struct count *b);

/* Writes the number, decimals without trailing zeros; at most 40 bytes. */
size_t count_text(const struct count *n, char *text);

/* Writes it to the output (io/out.h). */
void count_put(const struct count *n);

struct buf;

/* Appends the number with commas: `1,204,000`. */
void count_commas(const struct count *n, struct buf *b);

/*
 * Appends a frame's name in folded form: `;` becomes `:`, control bytes (LF,
 * CR, TAB, NUL …) become a blank or `?`, blanks at both ends go, an empty name
 * becomes `??`, and `#` at the start, which would make a comment, gets a
 * backslash before it.
 */
void folded_add_name(struct buf *b, const char *name, size_t len);

/* Whether folded_add_name() would leave the name unchanged. */
bool folded_is_name(const char *name, size_t len);

#endif
