/* SPDX-License-Identifier: ISC */
/*
 * What is known of a stack's frames after its first, all together: in real
 * captures most came before, byte by byte, return addresses included. One
 * comparison of some kilobytes then tells what reading each frame would.
 *
 * They are found by their first line. Memory is bounded, and where stacks do
 * not come again few are kept.
 */
#ifndef KST_RUNS_H
#define KST_RUNS_H

#include <stddef.h>
#include <stdint.h>

struct runs;

/* Open: its reader takes the fields. */
struct stack_run {
	struct stack_run *older; /* of the same set */
	uint32_t text_len, lines;
	uint32_t first, last; /* numbers of frames */
	uint32_t len;
	char bytes[]; /* text_len bytes of lines with LF, len of the result */
};

struct runs *runs_new(void);
void runs_free(struct runs *r);

/*
 * The run that the text, of which `left` bytes are there, begins with: lines
 * of which the first has first_len bytes without LF; or NULL.
 */
const struct stack_run *runs_find(
    struct runs *r, const char *text, size_t first_len, size_t left);

/* Whether the one that was not found should be kept if it can be. */
int runs_wants(struct runs *r);

/*
 * Keeps a run of frame lines with the result of `len` bytes that its user
 * makes of it. Nothing is kept of a text in which lines may be something else,
 * or are without numbers that grow.
 */
void runs_add(struct runs *r, const char *text, size_t text_len,
    const char *result, size_t len);

static inline const char *
run_result(const struct stack_run *r)
{
	return r->bytes + r->text_len;
}

#endif
