/* SPDX-License-Identifier: ISC */
/* Sums of folded files: finds those that are out of date. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "batch.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/msg.h"
#include "names/rx.h"
#include "base/xalloc.h"

struct sum *
sums_add(struct sums *s)
{
	s->v = xgrow(s->v, s->n + 1, &s->cap, sizeof *s->v);
	memset(&s->v[s->n], 0, sizeof *s->v);
	return &s->v[s->n++];
}

static void
sum_done(struct sum *s)
{
	free(s->rel);
	free(s->folded);
	free(s->svg);
	words_done(&s->inputs);
}

void
sums_done(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		sum_done(&s->v[i]);
	free(s->v);
}

/* The expression with any text around it: $1 is what it matches. */
static struct rx *
group_rx(const char *by, const char **text)
{
	struct buf pattern = BUF_INIT, err = BUF_INIT;
	struct rx *rx = rx_new(by, strlen(by), &err);

	if (rx == NULL)
		msg_die(
		    EXIT_USAGE, "--by '%s': %s", msg_str(by), buf_str(&err));
	rx_free(rx);
	buf_printf(&pattern, "\\A(?s:.*?)(%s)(?s:.*)\\z", by);
	rx = rx_new(pattern.p, pattern.len, &err);
	if (rx == NULL)
		msg_die(
		    EXIT_USAGE, "--by '%s': %s", msg_str(by), buf_str(&err));
	*text = rx_check_text(rx, "$2", 2, &err) == 0 ? "$2" : "$1";
	buf_done(&pattern);
	buf_done(&err);
	return rx;
}

void
sums_check_by(const char *by)
{
	const char *text;

	if (strcasecmp(by, "dir") != 0)
		rx_free(group_rx(by, &text));
}

/* The group's name, as a file name; false if the item is in no group. */
static bool
group_of(
    struct rx *rx, const char *text, const struct item *i, struct buf *name)
{
	struct buf found = BUF_INIT;
	const char *slash = strrchr(i->rel, '/');
	bool in_group = true;

	name->len = 0;
	if (rx == NULL) {
		buf_adds(name, "/");
		buf_add(name, i->rel, slash ? (size_t)(slash - i->rel) : 0);
		if (slash == NULL)
			name->len = 0;
	} else if (rx_replace(rx, i->rel, strlen(i->rel), text, 2, &found) ==
		   1) {
		in_group = found.len > 0;
		buf_addc(name, '/');
		for (size_t k = 0; k < found.len; k++)
			if (found.p[k] == '/')
				buf_adds(name, "%2F");
			else
				text_encode(name, found.p + k, 1, true);
	} else {
		in_group = false;
	}
	buf_done(&found);
	return in_group;
}

/* Mixes in what a sum's input was made from, and how. */
static uint64_t
key_of(uint64_t key, const struct item *i)
{
	const struct record *r = &i->made.rec;
	uint64_t v[] = {key, hash_bytes(i->rel, strlen(i->rel)), i->made.key,
	    r->size, r->mtime, r->folded};

	return hash_bytes(v, sizeof v);
}

static void
add_input(struct batch *b, struct sum *s, const struct item *i)
{
	struct buf path = BUF_INIT;

	s->key = key_of(s->key, i);
	s->waits |= i->why != WHY_NOT && !i->draw_only && !i->done;
	s->lacking += i->failed && !i->draw_only;
	s->plain |= i->made.rec.captures > 0;
	s->size += i->made.rec.folded;
	buf_printf(&path, "%s/%s.folded", b->out, i->rel);
	words_add(&s->inputs, buf_str(&path));
	buf_done(&path);
}

void
sums_svg_name(struct buf *svg, const char *folded)
{
	size_t len = strlen(folded);

	if (len > 7 && strcmp(folded + len - 7, ".folded") == 0)
		len -= 7;
	buf_add(svg, folded, len);
	buf_adds(svg, ".svg");
}

static struct sum *
new_sum(struct batch *b, const char *folded, const char *rel)
{
	struct sum *s = sums_add(&b->sums);
	struct buf svg = BUF_INIT;

	s->folded = xstrdup(folded);
	if (b->svg_key)
		sums_svg_name(&svg, folded);
	s->svg = xstrdup(buf_str(&svg));
	s->rel = xstrdup(rel);
	s->key = b->key;
	s->plain = steps_plain(&b->o->steps);
	buf_done(&svg);
	return s;
}

/* One group for each folder, or each text that the expression finds. */
static void
plan_groups(struct batch *b)
{
	const char *text = "";
	struct rx *rx =
	    strcasecmp(b->o->by, "dir") == 0 ? NULL : group_rx(b->o->by, &text);
	struct buf name = BUF_INIT, path = BUF_INIT, rel = BUF_INIT;
	struct intern *groups = intern_new();
	uint64_t without = 0;

	for (size_t k = 0; k < b->items.n; k++) {
		uint32_t id;

		if (!group_of(rx, text, &b->items.v[k], &name)) {
			without++;
			continue;
		}
		path.len = 0;
		buf_printf(
		    &path, "%s/by%.*s.folded", b->out, (int)name.len, name.p);
		buf_str(&path);
		id = intern_id(groups, path.p, path.len);
		if (id == b->sums.n) {
			rel.len = 0;
			buf_printf(&rel, "/by:%s", path.p);
			new_sum(b, path.p, buf_str(&rel));
		}
		add_input(b, &b->sums.v[id], &b->items.v[k]);
	}
	if (without)
		msg("in no group of --by: %" PRIu64 " captures", without);
	rx_free(rx);
	intern_free(groups);
	buf_done(&name);
	buf_done(&path);
	buf_done(&rel);
}

static int
has_rel(const void *rel, const void *item)
{
	return strcmp(rel, ((const struct item *)item)->rel);
}

/* Whether the file is a capture's output, which a sum must not replace. */
static bool
is_output(const struct batch *b, const char *folded)
{
	size_t out = strlen(b->out);
	struct buf rel = BUF_INIT;
	bool found = false;

	if (strncmp(folded, b->out, out) != 0 || folded[out] != '/')
		return false;
	buf_adds(&rel, folded + out + 1);
	if (rel.len < 7 || memcmp(rel.p + rel.len - 7, ".folded", 7) != 0) {
		buf_done(&rel);
		return false;
	}
	rel.len -= 7;
	buf_str(&rel);
	found = b->items.n && bsearch(rel.p, b->items.v, b->items.n,
				  sizeof *b->items.v, has_rel);
	buf_done(&rel);
	return found;
}

static bool
has_size(const char *path, uint64_t size)
{
	struct stat st;

	return *path == 0 ||
	       (stat(path, &st) == 0 && (uint64_t)st.st_size == size);
}

static bool
is_current(const struct batch *b, const struct sum *s, const struct made *m)
{
	return !b->o->force && !s->waits && !s->lacking && m->key == s->key &&
	       (b->svg_key == 0 || m->svg_key == b->svg_key) &&
	       has_size(s->folded, m->rec.folded) &&
	       has_size(s->svg, m->rec.svg);
}

/* Whether the sum can be made; says why not. */
static bool
can_be_made(struct batch *b, const struct sum *s)
{
	const char *name = msg_str(s->folded);

	if (is_output(b, s->folded))
		msg("%s is a capture's output, and not a sum", name);
	else if (s->lacking)
		msg("%s is not made: %" PRIu64 " of its captures failed", name,
		    s->lacking);
	else
		return true;
	b->unmade = true;
	return false;
}

/* Leaves out sums that are up to date or cannot be made. */
static void
drop_some(struct batch *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->sums.n; i++) {
		struct sum s = b->sums.v[i];
		const struct made *m = state_find(b->state, s.rel);

		if ((m && is_current(b, &s, m)) || !can_be_made(b, &s))
			sum_done(&s);
		else
			b->sums.v[kept++] = s;
	}
	b->sums.n = kept;
}

void
sums_merge_name(const struct batch *b, struct buf *path, struct buf *rel)
{
	if (*b->o->merge != '/')
		buf_printf(path, "%s/", b->cwd);
	buf_adds(path, b->o->merge);
	buf_printf(rel, "/merge:%s", buf_str(path));
	buf_str(rel);
}

/* The sum of all captures, unless a group has its name. */
static void
plan_merge(struct batch *b)
{
	struct buf path = BUF_INIT, rel = BUF_INIT;
	bool taken = false;
	struct sum *s;

	sums_merge_name(b, &path, &rel);
	for (size_t i = 0; i < b->sums.n && !taken; i++)
		taken = strcmp(b->sums.v[i].folded, path.p) == 0;
	if (taken) {
		msg("%s is a group's sum, and not that of all",
		    msg_text(path.p, path.len));
		b->unmade = true;
	} else {
		s = new_sum(b, path.p, rel.p);
		for (size_t k = 0; k < b->items.n; k++)
			add_input(b, s, &b->items.v[k]);
	}
	buf_done(&path);
	buf_done(&rel);
}

void
sums_plan(struct batch *b)
{
	if (b->o->by)
		plan_groups(b);
	if (b->o->merge)
		plan_merge(b);
	drop_some(b);
}

static int
write_list(const char *path, const struct words *inputs)
{
	struct buf text = BUF_INIT;
	int status;

	for (size_t i = 0; i < inputs->n; i++)
		buf_add(&text, inputs->v[i], strlen(inputs->v[i]) + 1);
	status = file_write(path, text.p, text.len);
	buf_done(&text);
	return status;
}

int
sums_jobs(struct batch *b, struct sums *sums)
{
	struct buf list = BUF_INIT;
	uint64_t bytes = 0;
	int status = 0;

	for (size_t i = 0; i < sums->n; i++) {
		struct sum *s = &sums->v[i];

		if (s->item)
			s->size = s->item->made.rec.folded;
		bytes += s->size;
	}
	jobs_begin(b, bytes, sums->n);
	for (size_t i = 0; i < sums->n && status == 0; i++) {
		struct sum *s = &sums->v[i];
		struct unit u = {.kind = s->plain ? "plain" : "sum", .sum = s};

		if (s->item && s->item->failed)
			continue;
		list.len = 0;
		buf_printf(&list, "%s/list-%zu-%" PRIu64, b->dir.p, i, b->jobs);
		status = write_list(buf_str(&list), &s->inputs);
		if (status == 0)
			status = jobs_add(b, &u, list.p, s->size);
	}
	buf_done(&list);
	return status;
}
