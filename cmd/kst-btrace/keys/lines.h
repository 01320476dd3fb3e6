/* SPDX-License-Identifier: ISC */
/* Recognises single lines of btrace's or bpftrace's output, and splits keys. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "opt/opt.h"

/*
 * The length of the `@name` before `[` or `:` that begins a map's line, or 0.
 */
size_t line_map_name(const char *line, size_t len);

/* `kernel` or `userland`, the trailer of a stack. */
bool line_is_mode(const char *p, size_t len);

/* Where the `+0xHEX` begins that nearly every frame ends in; 0: none. */
static inline size_t
line_offset_at(const char *p, size_t len)
{
	size_t i = len;

	while (i > 0 && ((p[i - 1] >= '0' && p[i - 1] <= '9') ||
			    (p[i - 1] >= 'a' && p[i - 1] <= 'f')))
		i--;
	return i < len && i > 3 && p[i - 1] == 'x' && p[i - 2] == '0' &&
		       p[i - 3] == '+'
		   ? i - 3
		   : 0;
}

/*
 * Where the `+` of an offset is: `+0x` hex or `+` decimal digits, before the
 * end or one of " ,@)"; len if there is none. *end is after the offset.
 */
size_t line_offset(const char *p, size_t len, size_t *end);

/* How many lower-case hexadecimal digits p begins with. */
size_t line_hex_len(const char *p, size_t len);

/*
 * Whether the text is digits after an optional minus: a weight, valid or not.
 */
bool line_is_number(const char *p, size_t len);

/*
 * Whether a trimmed line of a printf stream can be a frame: `name+0xHEX`,
 * `0xHEX`, bpftrace's `name+DEC [module]` or bare address, DTrace's
 * "module`name"; within a stack also a bare name. Sets *dtrace if it is
 * DTrace's.
 */
bool line_is_frame(const char *p, size_t len, bool in_stack, bool *dtrace);

/*
 * Whether the line is a message of the tracer. *lost is how many events it says
 * are lost.
 */
bool line_is_message(const char *p, size_t len, uint64_t *lost);

/* A histogram's row, `[lo, hi)  COUNT |@@@ |`. */
bool line_bucket(const char *p, size_t len, uint64_t *count);

/* Which number of a value of stats() is the weight. */
#define LINE_NUMBERS(X)         \
	X(VALUE_TOTAL, "total") \
	X(VALUE_COUNT, "count") \
	X(VALUE_AVERAGE, "average")
enum line_number { LINE_NUMBERS(OPT_ID) };

struct line_value {
	enum {
		LINE_NONE /* a histogram follows */,
		LINE_WEIGHT,
		LINE_BAD
	} kind;
	uint64_t weight;
};

/* Whether the line ends in `]: VALUE`; *end is the place of the `]`. */
bool line_key_end(const char *p, size_t len, enum line_number which,
    size_t *end, struct line_value *v);

#endif
