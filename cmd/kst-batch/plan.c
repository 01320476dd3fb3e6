/* SPDX-License-Identifier: ISC */
/* Decides what is made again, and how: captures, then sums of their outputs. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "set/hash.h"
#include "set/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"
#include "trace/signs.h"
#include "trace/shape.h"

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
	const struct outcome *made = &i->made;

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
	if (!steps_can_split(b->o->steps, shape))
		return;
	for (size_t k = 0; k < 4 && !i->splits; k++)
		if ((k == 3) == (shape == SHAPE_FOLDED) &&
		    has_borders(fd, i->size, kinds[k].border, block)) {
			i->kind = kinds[k].kind;
			i->splits = true;
		}
}

/* The suffix that the unpacker knows. */
static const char *
kind_of_packed(const struct item *i)
{
	const char *kind = *i->unpacker == 'g'	 ? "small.gz"
			   : *i->unpacker == 'z' ? "small.zst"
						 : "small.xz";

	return i->size <= SMALL / UNPACKED ? kind : strchr(kind, '.') + 1;
}

int
plan_kind(const struct batch *b, struct item *i)
{
	char head[HEAD], *const *unpacker;
	ssize_t n;
	int fd;

	if (i->draw_only) {
		i->kind = "draw";
		i->work = i->made.folded;
		return 0;
	}
	fd = open(i->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	n = fd < 0 ? -1 : read(fd, head, sizeof head);
	i->work = i->size;
	if (n < 0) {
		;
	} else if ((unpacker = look_unpacker(head, (size_t)n))) {
		i->unpacker = unpacker[0];
		i->kind = kind_of_packed(i);
		if (i->size < UINT64_MAX / UNPACKED)
			i->work *= UNPACKED;
	} else if (look_foreign(head, (size_t)n)) {
		i->kind = "foreign";
	} else if (look_json(head, (size_t)n)) {
		i->kind = "json";
	} else {
		kind_of_text(b, i, fd);
	}
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* Sums --------------------------------------------------------------------- */

/* Its key is what its inputs were made from, how, and whether they are there.
 */
static void
add_input(const struct batch *b, struct item *sum, const struct item *i)
{
	const struct outcome *r = &i->made;
	bool failed = r->status == STATUS_FAILED && !i->draw_only,
	     waits = i->why != WHY_NOT && !i->draw_only && !i->done;
	uint64_t v[] = {sum->key, hash_bytes(i->rel, strlen(i->rel)), r->key,
	    r->size, r->mtime, r->folded, failed || waits};
	const char *path = item_output(b, i, ".folded");

	sum->key = hash_bytes(v, sizeof v);
	sum->lacking += failed;
	sum->partial |=
	    intern_find(b->lacking, i->path,
		(size_t)(strrchr(i->path, '/') - i->path)) != UINT32_MAX;
	sum->work += r->folded;
	if (r->captures > 0)
		sum->kind = "plain";
	buf_add(&sum->inputs, path, strlen(path) + 1);
}

static struct item *
new_sum(struct batch *b, const char *rel)
{
	struct item *i = xpush(b->sums.v, b->sums.n, b->sums.cap);

	*i = (struct item){.rel = words_addf(&b->texts, "%s", rel),
	    .key = b->key,
	    .is_sum = true,
	    .kind = steps_plain(b->o->steps) ? "plain" : "add"};
	i->path = strchr(i->rel, ':') + 1;
	state_load(b->state, i);
	return i;
}

/* One group for each folder. */
static void
plan_groups(struct batch *b)
{
	for (size_t k = 0; k < b->items.n; k++) {
		const char *name = b->items.v[k].rel,
			   *slash = strrchr(name, '/'),
			   *rel = text_of("/by:%s/by%s%.*s.folded", b->out,
			       slash ? "/" : "",
			       slash ? (int)(slash - name) : 0, name);
		/* the captures have their numbers first */
		size_t n = intern_id(b->outputs, rel + 1, strlen(rel + 1)) -
			   b->items.n;

		if (n == b->sums.n)
			new_sum(b, rel);
		add_input(b, &b->sums.v[n], &b->items.v[k]);
	}
}

const char *
sums_merge_rel(const struct batch *b)
{
	return text_of("/merge:%s", path_absolute(b, b->o->merge));
}

/* The sum of all captures. */
static void
plan_merge(struct batch *b)
{
	struct item *sum = new_sum(b, sums_merge_rel(b));

	sum->partial = intern_count(b->lacking) > 0;
	for (size_t k = 0; k < b->items.n; k++)
		add_input(b, sum, &b->items.v[k]);
}

static bool
is_output(const struct batch *b, const char *path)
{
	return intern_find(b->outputs, path, strlen(path)) != UINT32_MAX;
}

/* Whether the sum can be made; says why not. */
static bool
can_be_made(struct batch *b, const struct item *i)
{
	const char *name = msg_str(i->path);

	if (is_output(b, i->path))
		msg("%s is a capture's output, and not a sum", name);
	else if (i->rel[1] == 'm' && is_output(b, text_of("by:%s", i->path)))
		msg("%s is a group's sum, and not that of all", name);
	else if (i->lacking)
		msg("%s is not made: %" PRIu64 " of its captures failed", name,
		    i->lacking);
	else if (i->partial)
		msg("%s is not made: some of its captures could not be found",
		    name);
	else
		return true;
	b->unmade = true;
	return false;
}

void
sums_plan(struct batch *b)
{
	if (b->o->by)
		plan_groups(b);
	if (b->o->merge)
		plan_merge(b);
	for (size_t k = 0; k < b->sums.n; k++) {
		struct item *i = &b->sums.v[k];

		plan_item(b, i);
		if (i->why != WHY_NOT && !can_be_made(b, i))
			i->why = WHY_NOT;
	}
}
