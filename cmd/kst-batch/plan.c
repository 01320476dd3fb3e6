/* SPDX-License-Identifier: ISC */
/* Decides what is made again: captures, then sums of their outputs. */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "set/hash.h"
#include "set/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/* Bytes of text in a packed byte: a guess, to share out the work. */
enum { UNPACKED = 12 };

/* A guess by the name: the order of the work, and the jobs of hosts. */
static uint64_t
work_of(const struct item *i)
{
	static const char *const packed[] = {".gz", ".zst", ".xz"};
	size_t len = strlen(i->rel);

	for (int k = 0; k < 3; k++)
		if (bytes_ends(i->rel, len, packed[k]) &&
		    i->size < UINT64_MAX / UNPACKED)
			return i->size * UNPACKED;
	return i->size;
}

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

	if (!i->is_sum)
		i->work = work_of(i);
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
	sum->plain |= r->captures > 0;
	buf_add(&sum->inputs, path, strlen(path) + 1);
}

static struct item *
new_sum(struct batch *b, const char *rel)
{
	struct item *i = xpush(b->sums.v, b->sums.n, b->sums.cap);

	*i = (struct item){.rel = words_addf(&b->texts, "%s", rel),
	    .key = b->key,
	    .is_sum = true,
	    .plain = steps_plain(b->o->steps)};
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
		msg("%s: the sum cannot be written there, it is the output "
		    "of a capture",
		    name);
	else if (i->rel[1] == 'm' && is_output(b, text_of("by:%s", i->path)))
		msg("%s: the sum cannot be written there, it is the sum of "
		    "a folder",
		    name);
	else if (i->lacking)
		msg("%s was not written: %" PRIu64 " of its captures failed",
		    name, i->lacking);
	else if (i->partial)
		msg("%s was not written: some of its captures could not be "
		    "found",
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
