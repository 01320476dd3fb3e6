/* SPDX-License-Identifier: ISC */
/* Decides what is made again, and how. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "batch.h"
#include "text/signs.h"
#include "text/shape.h"

/* Bytes of text in a packed byte: a guess, to share out the work. */
enum { UNPACKED = 12 };

/*
 * Bytes that tell what a capture is; size of the largest short one. GNU
 * parallel reads from each multiple of the block's size until it finds a
 * border, and keeps what it has read: there must be one in WINDOW bytes.
 */
enum { HEAD = 4096, SMALL = 1 << 20, WINDOW = 1 << 20 };

/* Why an output is to be made: its options and size are not as recorded. */
static enum why
why_output(const struct batch *b, const struct item *i, const char *suffix,
    bool same_options, uint64_t size)
{
	if (!same_options)
		return WHY_OPTIONS;
	return file_size(item_output(b, i, suffix)) == size ? WHY_NOT
							    : WHY_OUTPUT;
}

void
plan_item(const struct batch *b, struct item *i)
{
	const struct record *made = &i->made;

	if (!i->known)
		i->why = WHY_NEW;
	else if (b->o->force)
		i->why = WHY_FORCED;
	else if (made->size != i->size || made->mtime != i->mtime)
		i->why = WHY_INPUT;
	else
		i->why = why_output(
		    b, i, ".folded", made->key == i->key, made->folded);
	if (i->why != WHY_NOT || b->svg_key == 0)
		return;
	i->why =
	    why_output(b, i, ".svg", made->svg_key == b->svg_key, made->svg);
	/* hosts without our files are sent the capture */
	i->draw_only = i->why != WHY_NOT && !i->is_sum && !b->o->send;
}

/* Whether each multiple of the block has such a line soon after it. */
static bool
has_borders(int fd, uint64_t size, const char *border, uint64_t block)
{
	char *window = xmalloc(WINDOW);
	bool found = true;

	for (uint64_t at = block; found && at < size; at += block) {
		ssize_t n = pread(fd, window, WINDOW, (off_t)at);

		found = n > 0 && (at + (uint64_t)n >= size ||
				     memmem(window, (size_t)n, border,
					 strlen(border)) != NULL);
	}
	free(window);
	return found;
}

/* A text is split at these lines if they come soon after each block. */
static void
kind_of_text(const struct batch *b, struct item *i, int fd)
{
	static const struct {
		const char *kind, *border;
	} kinds[] = {{"capture", "\n[kst-capture "},
	    {"round", "\n-<!OSDK_PROF_BT_ROUND!>-"}, {"thread", "\nThread "},
	    {"lines", "\n"}};
	uint64_t block = b->o->block;
	char *operand = i->path;
	enum shape shape;
	struct in in;

	i->kind = i->size <= SMALL ? "small" : "text";
	if (b->o->hosts || b->workers == 1 || block == 0 || i->size <= block)
		return;
	in_init(&in, &operand, 1);
	shape = shape_detect(&in);
	in_done(&in);
	if (!steps_can_split(&b->o->steps, shape))
		return;
	for (size_t k = 0; k < 4 && !i->splits; k++)
		if ((k == 3) == (shape == SHAPE_FOLDED) &&
		    has_borders(fd, i->size, kinds[k].border, block)) {
			i->kind = kinds[k].kind;
			i->splits = true;
		}
}

/* By its first bytes; -1 with errno. */
static int
kind_of_capture(const struct batch *b, struct item *i)
{
	int fd = open(i->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[HEAD], *const *unpacker;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);

	if (n < 0)
		;
	else if ((unpacker = look_unpacker(head, (size_t)n))) {
		i->kind = unpacker[0];
		i->packed = true;
	} else if (look_foreign(head, (size_t)n))
		i->kind = "foreign";
	else if (look_json(head, (size_t)n))
		i->kind = "json";
	else
		kind_of_text(b, i, fd);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

int
plan_kind(const struct batch *b, struct item *i)
{
	if (i->draw_only) {
		i->kind = "draw";
		i->work = i->made.folded;
		return 0;
	}
	if (kind_of_capture(b, i) != 0)
		return -1;
	i->work = i->size;
	if (i->packed && i->size < UINT64_MAX / UNPACKED)
		i->work *= UNPACKED;
	return 0;
}
