/* SPDX-License-Identifier: ISC */
/* What a capture is, by its content, and where it may be cut. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "io/in.h"
#include "trace/signs.h"
#include "batch.h"

/*
 * Bytes that tell what a capture is; in which a border is looked for; how many
 * pieces there are for a worker if a piece may be larger than a block.
 */
enum { HEAD = 4096, WINDOW = 1 << 20, PIECES = 4 };

static void
add_cut(struct task *t, size_t *cap, uint64_t at)
{
	*xitem(t->cut, t->n, *cap) = at;
	t->n++;
}

/* Cuts at the first border after each block; false: there is none. */
static bool
cut_at(struct task *t, int fd, const char *border, uint64_t block)
{
	char *window = xmalloc(WINDOW);
	size_t cap = 0, len = strlen(border);

	t->n = 0;
	t->cut = NULL;
	add_cut(t, &cap, 0);
	for (uint64_t at = block; at < t->i->size; at += block) {
		ssize_t n = pread(fd, window, WINDOW, (off_t)at - 1);
		const char *p =
		    n > 0 ? memmem(window, (size_t)n, border, len) : NULL;

		if (p && at + (uint64_t)(p - window) < t->i->size)
			add_cut(t, &cap, at + (uint64_t)(p - window));
	}
	add_cut(t, &cap, t->i->size);
	t->n--;
	free(window);
	if (t->n > 1)
		return true;
	free(t->cut);
	t->cut = NULL;
	return false;
}

/* Cuts text where a capture begins, or at any line of folded text. */
static void
cut(struct task *t, const struct batch *b, int fd)
{
	static const char *const borders[] = {
	    "\n[kst-capture ", "\n-<!OSDK_PROF_BT_ROUND!>-", "\nThread ", "\n"};
	uint64_t block = b->o->block,
		 share = t->i->size / (PIECES * b->workers);
	char *operand = t->i->path;
	struct in in;

	if (b->workers == 1 || block == 0 || t->i->size <= block)
		return;
	in_init(&in, &operand, 1);
	t->shape = shape_detect(&in);
	in_done(&in);
	if (steps_can_split(b->o->steps, t->shape))
		for (size_t k = 0; k < 4; k++)
			if ((k == 3) == (t->shape == SHAPE_FOLDED) &&
			    cut_at(t, fd, borders[k],
				block > share ? block : share))
				return;
	t->shape = SHAPE_AUTO;
	t->n = 0;
}

int
task_look(struct task *t, const struct batch *b)
{
	int fd = open(t->i->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[HEAD];
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);

	if (n < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	t->unpacker = look_unpacker(head, (size_t)n);
	t->foreign = t->unpacker == NULL && look_foreign(head, (size_t)n);
	t->json = look_json(head, (size_t)n);
	if (!t->unpacker && !t->foreign && !t->json)
		cut(t, b, fd);
	if (t->n == 0 && !t->foreign) {
		t->cut = xcalloc(2, sizeof *t->cut);
		t->cut[1] = t->i->size;
		t->n = 1;
	}
	close(fd);
	return 0;
}
