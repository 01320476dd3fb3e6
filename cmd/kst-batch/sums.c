/* SPDX-License-Identifier: ISC */
/* Sums of folded files: finds those that are out of date. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/* Its key is what its inputs were made from, how, and whether they are there.
 */
static void
add_input(const struct batch *b, struct item *sum, const struct item *i)
{
	const struct record *r = &i->made;
	bool failed = r->status == STATUS_FAILED && !i->draw_only,
	     waits = i->why != WHY_NOT && !i->draw_only && !i->done;
	uint64_t v[] = {sum->key, hash_bytes(i->rel, strlen(i->rel)), r->key,
	    r->size, r->mtime, r->folded, failed || waits};
	const char *path = item_output(b, i, ".folded");

	sum->key = hash_bytes(v, sizeof v);
	sum->lacking += failed;
	sum->work += r->folded;
	if (r->captures > 0)
		sum->kind = "plain";
	buf_add(&sum->inputs, path, strlen(path) + 1);
}

const char *
sums_svg(const char *folded)
{
	size_t len = strlen(folded);

	if (len > 7 && bytes_ends(folded, len, ".folded"))
		len -= 7;
	return text_of("%.*s.svg", (int)len, folded);
}

static struct item *
new_sum(struct batch *b, const char *rel)
{
	struct item *i = items_add(&b->sums);

	i->rel = xstrdup(rel);
	i->path = strchr(i->rel, ':') + 1;
	i->key = b->key;
	i->is_sum = true;
	i->kind = steps_plain(&b->o->steps) ? "plain" : "add";
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
