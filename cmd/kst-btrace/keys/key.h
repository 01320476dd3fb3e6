/* SPDX-License-Identifier: ISC */
/*
 * The key of a map entry, between `[` and `]`: plain keys and stacks, separated
 * by `, `, in the forms that gather.h shows. A printed stack is a key of one
 * stack.
 */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

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
 * Whether btrace may have cut a key of this text, by its length. A tuple that
 * has its last `)` is whole.
 */
bool key_may_be_cut(const char *text, size_t len);

/*
 * Splits the text, into which the spans point. If btrace cut the key, the last
 * frame is dropped unless its name is complete. The struct is zero at first and
 * is reused.
 */
void key_split(struct stack_key *k, const char *text, size_t len, bool cut);
void key_done(struct stack_key *k);

/*
 * For a key of two stacks whose text does not say which is which: sets their
 * modes if the addresses or the root frame of either show which one is the
 * kernel's.
 */
void key_guess_modes(struct stack_key *k);

/*
 * A frame's name, without offset, module, source position and the address of
 * perf mode. A raw address is kept. keep_offset: only trims.
 */
struct piece frame_name(struct piece frame, bool keep_offset);

#endif
