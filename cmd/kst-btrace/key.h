/* SPDX-License-Identifier: ISC */
/*
 * The key of a map entry, the text between `[` and `]`: plain keys and
 * stacks between `, `, in the print forms of gather.h; a printed stack is a
 * key that is one stack.
 */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of the key's text. */
struct span {
	const char *p;
	size_t len;
	size_t
	    offset_at; /* of a frame: where `+0xHEX` begins; 0: look for it */
};

enum key_mode { KEY_UNKNOWN, KEY_KERNEL, KEY_USERLAND };

struct key_stack {
	size_t first, n; /* its frames, leaf first, in key.frames */
	enum key_mode mode;
};

struct key {
	struct span *plain;  /* the keys that are no stack */
	struct span *frames; /* raw: blanks at both ends removed */
	struct key_stack *stacks;
	size_t n_plain, n_frames, n_stacks;
	/* private */
	size_t cap_plain, cap_frames, cap_stacks;
};

/*
 * Splits the text; the spans point into it. Of a key that btrace cut at its
 * length limit, the last frame goes when its name may be incomplete. The
 * struct begins zeroed and is used again and again.
 */
void key_split(struct key *k, const char *text, size_t len, bool cut);
void key_done(struct key *k);

/*
 * A frame's name: without offset, module, source position and perf mode's
 * address; raw addresses stay. With keep_offset only the blanks go.
 */
struct span frame_name(struct span frame, bool keep_offset);

#endif
