/* SPDX-License-Identifier: ISC */
/*
 * In sorted order, stacks that begin alike stand together: a node is a range of
 * them, from a depth on. Only ranges that are shown are split, so the tree of a
 * million stacks takes no more memory than its rows.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "profile/table.h"
#include "rank.h"

struct node {
	struct rank_row row; /* first, for rank_compare() */
	size_t from, to;
	uint32_t level; /* of its frame in the stack */
};

struct nodes {
	struct node *v;
	size_t n, cap;
};

static int
compare(const void *va, const void *vb, void *rank)
{
	size_t a_n, b_n, i = 0;
	const uint32_t *a = rank_frames(rank, *(const uint32_t *)va, &a_n);
	const uint32_t *b = rank_frames(rank, *(const uint32_t *)vb, &b_n);

	while (i < a_n && i < b_n && a[i] == b[i])
		i++;
	if (i == a_n || i == b_n)
		return (a_n > b_n) - (a_n < b_n);
	return a[i] < b[i] ? -1 : 1;
}

/*
 * Makes a node for each function at that level of the stacks from..to, which
 * are alike down to there. Those that end above it have none.
 */
static void
split(struct rank *r, struct nodes *all, const uint32_t *stacks,
    const struct node *of, uint32_t level, double min)
{
	size_t begin = all->n;
	struct node *node = NULL;

	for (size_t i = of->from; i < of->to; i++) {
		const struct count *c = table_count(r->table, stacks[i], 0);
		size_t n;
		const uint32_t *frame = rank_frames(r, stacks[i], &n);

		if (n <= level)
			continue;
		if (node == NULL ||
		    node->row.name != frame[level] + RANK_NAMES) {
			node = xadd(all->v, all->n, all->cap);
			*node = (struct node){.level = level, .from = i};
			node->row.name = frame[level] + RANK_NAMES;
			node->row.depth = of->row.depth + (level > 0);
			node->row.times = 1;
		}
		node->to = i + 1;
		count_add(&node->row.total, c);
		if (n == (size_t)level + 1)
			count_add(&node->row.self, c);
	}
	for (size_t i = begin; i < all->n;)
		if (count_real(&all->v[i].row.total) < min)
			all->v[i] = all->v[--all->n];
		else
			i++;
	if (all->n > begin)
		qsort_r(all->v + begin, all->n - begin, sizeof *all->v,
		    rank_compare, r);
	/* taken from the end */
	for (size_t i = begin, k = all->n; i + 1 < k; i++) {
		struct node swap = all->v[i];

		all->v[i] = all->v[--k];
		all->v[k] = swap;
	}
}

/* Whether a row's only child is the function itself, and all of its weight. */
static bool
is_recursion(const struct rank_row *of, const struct rank_row *child)
{
	return of && of->name == child->name && child->depth == of->depth + 1 &&
	       of->total.whole == child->total.whole &&
	       of->total.frac == child->total.frac;
}

void
rank_tree(struct rank *r, uint32_t *stacks, size_t n, double min)
{
	struct nodes todo = {0};
	struct node all = {.from = 0, .to = n};
	struct rank_row *last = NULL;
	size_t before = SIZE_MAX; /* nodes left when `last` was taken */

	qsort_r(stacks, n, sizeof *stacks, compare, r);
	split(r, &todo, stacks, &all, 0, min);
	while (todo.n) {
		struct node node = todo.v[--todo.n];

		if (todo.n == before && is_recursion(last, &node.row)) {
			last->times++;
			last->self = node.row.self;
			node.row.depth--;
		} else {
			last = rank_add_row(r);
			*last = node.row;
		}
		before = todo.n;
		split(r, &todo, stacks, &node, node.level + 1, min);
	}
	free(todo.v);
}
