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

/* Digits only, after an optional minus: a weight, good or bad. */
bool line_is_number(const char *p, size_t len);

/*
 * Whether a trimmed line of a printf stream can be a frame: `name+0xHEX`,
 * `0xHEX`, bpftrace's `name+DEC [module]` or bare address, DTrace's
 * "module`name"; within a stack also a bare name. Sets *dtrace if it is
 * DTrace's.
 */
bool line_is_frame(const char *p, size_t len, bool in_stack, bool *dtrace);

/* A message of the tracer; *lost is how many events it says are lost. */
bool line_is_message(const char *p, size_t len, uint64_t *lost);

/* A histogram's row, `[lo, hi)  COUNT |@@@ |`. */
bool line_bucket(const char *p, size_t len, uint64_t *count);

/* Which number of stats() is the weight. */
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

/*
 * In key.c: the key of a map entry, between `[` and `]`: plain keys and stacks,
 * separated by `, `, in the forms that gather.h shows. A printed stack is a key
 * of one stack.
 */
enum key_mode { KEY_UNKNOWN, KEY_KERNEL, KEY_USERLAND };

struct key_stack {
	size_t first, n; /* its frames, leaf first, in key.frames */
	enum key_mode mode;
};

struct stack_key {
	struct piece *plain;  /* the keys that are not stacks */
	struct piece *frames; /* raw, trimmed */
	struct key_stack *stacks;
	size_t n_plain, n_frames, n_stacks;
	/* private */
	size_t cap_plain, cap_frames, cap_stacks;
};

/*
 * Whether btrace may have cut a key of this text, by its length. A tuple with
 * its last `)` is whole.
 */
bool key_may_be_cut(const char *text, size_t len);

/*
 * Splits the text, which the spans point into. If btrace cut the key, the last
 * frame goes unless its name is complete. The struct is zero at first and is
 * reused.
 */
void key_split(struct stack_key *k, const char *text, size_t len, bool cut);
void key_done(struct stack_key *k);

/*
 * For a key of two stacks that the text does not name: sets their modes if the
 * addresses or the root frame of either tell which one is the kernel's.
 */
void key_guess_modes(struct stack_key *k);

/*
 * A frame's name, without offset, module, source position and the address of
 * perf mode; raw addresses stay. keep_offset only trims.
 */
struct piece frame_name(struct piece frame, bool keep_offset);

#endif
