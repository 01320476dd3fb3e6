/* SPDX-License-Identifier: ISC */
/*
 * Slow calls are chosen by their length, so more of everything is in them. What
 * is compared is therefore which share of its call a stack has. Calls whose
 * parts all grow together have the same shares, however long they are.
 */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
	/* Of each kind, at most that many calls are shuffled, that often. */
	TESTED_MAX = PORT_LIMIT(256, 16),
	SHUFFLES = PORT_LIMIT(999, 9)
};

/* A stack is followed into what has that share of the difference. */
#define FOLLOWED 0.75
/* Causes below that share of the difference, and stacks below that share of
 * both kinds of calls, are left out. */
#define LEAST_CAUSE 0.05
#define LEAST_SHARE 0.005

static void
add_means(double *self, const struct call *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i].n; k++)
			self[v[i].pieces[k].node] += (double)v[i].pieces[k].ns;
}

/* Means by stack, alone and with what it calls. */
static void
mean(const struct span_tree *t, const struct call *v, size_t n, double *self,
    double *all)
{
	add_means(self, v, n);
	for (uint32_t i = 0; i < t->n; i++)
		all[i] = self[i] /= (double)n;
	for (uint32_t i = t->n; i-- > 1;)
		all[t->nodes[i].parent] += all[i];
}

/* Shares ------------------------------------------------------------------- */

struct share {
	uint32_t stack; /* of `stacks` */
	double of;	/* its call's time */
};

/* What is shuffled: the shares in all tested calls, typical ones first. */
struct test {
	size_t n, n_slow;      /* calls */
	struct share **shares; /* by call */
	size_t *n_shares;
	uint32_t *stack_of; /* by node, + 1; 0: not tested */
	size_t n_stacks;
	double *sum, *deviation; /* by stack, of all calls */
	double *slow;		 /* scratch */
};

/* The shares of a call's stacks: a piece counts for all that call it. */
static void
take_shares(struct test *t, const struct span_tree *tree, size_t call,
    const struct call *c, double *scratch)
{
	struct share *v = NULL;
	size_t n = 0, cap = 0;

	for (size_t k = 0; k < c->n; k++)
		for (uint32_t i = c->pieces[k].node; i != TREE_ROOT;
		     i = tree->nodes[i].parent) {
			if (t->stack_of[i] == 0)
				continue;
			if (scratch[i] == 0)
				*xpush(v, n, cap) = (struct share){i, 0};
			scratch[i] += (double)c->pieces[k].ns / (double)c->ns;
		}
	for (size_t k = 0; k < n; k++) {
		uint32_t node = v[k].stack;

		v[k] = (struct share){t->stack_of[node] - 1, scratch[node]};
		scratch[node] = 0;
	}
	t->shares[call] = v;
	t->n_shares[call] = n;
}

/* n of them at equal distances. */
static void
take_calls(struct test *t, const struct span_tree *tree, const struct call *v,
    size_t of, size_t n, size_t at)
{
	double *scratch = xcalloc(tree->n, sizeof *scratch);

	for (size_t i = 0; i < n; i++)
		take_shares(t, tree, at + i, &v[i * of / n], scratch);
	free(scratch);
}

static void
sums(struct test *t)
{
	t->sum = xcalloc(t->n_stacks + 1, sizeof *t->sum);
	t->deviation = xcalloc(t->n_stacks + 1, sizeof *t->deviation);
	t->slow = xcalloc(t->n_stacks + 1, sizeof *t->slow);
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->n_shares[i]; k++) {
			const struct share *s = &t->shares[i][k];

			t->sum[s->stack] += s->of;
			t->deviation[s->stack] += s->of * s->of;
		}
	for (size_t i = 0; i < t->n_stacks; i++) {
		double m = t->sum[i] / (double)t->n;
		double v = t->deviation[i] / (double)t->n - m * m;

		t->deviation[i] = v > 1e-18 ? sqrt(v) : 0;
	}
}

/* How much more of a slow call a stack has, in deviations; these calls are. */
static void
differ(const struct test *t, const uint32_t *calls)
{
	double n = (double)t->n, n_slow = (double)t->n_slow;

	memset(t->slow, 0, t->n_stacks * sizeof *t->slow);
	for (size_t i = 0; i < t->n_slow; i++)
		for (size_t k = 0; k < t->n_shares[calls[i]]; k++) {
			const struct share *s = &t->shares[calls[i]][k];

			t->slow[s->stack] += s->of;
		}
	for (size_t i = 0; i < t->n_stacks; i++) {
		double d = t->slow[i] / n_slow -
			   (t->sum[i] - t->slow[i]) / (n - n_slow);

		t->slow[i] = t->deviation[i] > 0 ? d / t->deviation[i] : 0;
	}
}

static uint64_t
random_below(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 33) % n;
}

static double
greatest(const struct test *t)
{
	double most = 0;

	for (size_t i = 0; i < t->n_stacks; i++)
		most = t->slow[i] > most ? t->slow[i] : most;
	return most;
}

/* Fills in the chances: a shuffle's greatest difference is held against each,
 * so that many stacks do not make one of them stand out. */
static void
shuffle(struct test *t, struct judged *j)
{
	uint32_t *calls = xcalloc(t->n, sizeof *calls);
	double found[CAUSES_MAX];
	uint64_t state = 1;

	for (size_t i = 0; i < t->n; i++)
		calls[i] = (uint32_t)((i + t->n - t->n_slow) % t->n);
	differ(t, calls);
	for (size_t k = 0; k < j->n_causes; k++) {
		uint32_t s = t->stack_of[j->causes[k].node];

		found[k] = s ? t->slow[s - 1] : 0;
		j->causes[k].chance = 1;
	}
	for (size_t round = 0; round < SHUFFLES; round++) {
		double most;

		for (size_t i = 0; i < t->n_slow; i++) {
			size_t with =
			    i + (size_t)random_below(&state, t->n - i);
			uint32_t was = calls[i];

			calls[i] = calls[with];
			calls[with] = was;
		}
		differ(t, calls);
		most = greatest(t);
		for (size_t k = 0; k < j->n_causes; k++)
			j->causes[k].chance += most >= found[k] - 1e-9;
	}
	for (size_t k = 0; k < j->n_causes; k++)
		j->causes[k].chance /= SHUFFLES + 1;
	free(calls);
}

static void
test(struct judged *j, const struct calls *c, double *const all[2])
{
	const struct span_tree *tree = &c->p->tree;
	size_t typical = c->n_some < TESTED_MAX ? c->n_some : TESTED_MAX;
	struct test t = {
	    .n_slow = c->n_slow < TESTED_MAX ? c->n_slow : TESTED_MAX};

	t.n = typical + t.n_slow;
	t.shares = xcalloc(t.n, sizeof *t.shares);
	t.n_shares = xcalloc(t.n, sizeof *t.n_shares);
	t.stack_of = xcalloc(tree->n, sizeof *t.stack_of);
	for (uint32_t i = 1; i < tree->n; i++)
		if (all[0][i] > LEAST_SHARE * j->typical ||
		    all[1][i] > LEAST_SHARE * j->slow)
			t.stack_of[i] = (uint32_t)++t.n_stacks;
	take_calls(&t, tree, c->some, c->n_some, typical, 0);
	take_calls(&t, tree, c->slow, c->n_slow, t.n_slow, typical);
	sums(&t);
	shuffle(&t, j);
	for (size_t i = 0; i < t.n; i++)
		free(t.shares[i]);
	free(t.shares);
	free(t.n_shares);
	free(t.stack_of);
	free(t.sum);
	free(t.deviation);
	free(t.slow);
}

/* Causes ------------------------------------------------------------------- */

/* By parent, the child with the largest part of the difference; 0: none. */
static void
find_largest(const struct span_tree *t, const double *more, uint32_t *largest)
{
	memset(largest, 0, t->n * sizeof *largest);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t *l = &largest[t->nodes[i].parent];

		if (more[i] > 0 && (*l == 0 || more[i] > more[*l]))
			*l = i;
	}
}

/* What is in the stack itself and in nothing that it calls. */
static double
own_part(const struct span_tree *t, const double *more, uint32_t node)
{
	double own = more[node];

	for (uint32_t i = node + 1; i < t->n; i++)
		if (t->nodes[i].parent == node && more[i] > -HUGE_VAL)
			own -= more[i];
	return own;
}

/*
 * From the call on into what has most of the difference, as long as nearly all
 * is there. A call itself is a cause only if nothing that it calls is.
 */
static uint32_t
follow(const struct span_tree *t, const double *more, const uint32_t *largest)
{
	uint32_t at = largest[TREE_ROOT], next;

	while (at && (next = largest[at]) != 0 &&
	       (more[next] >= FOLLOWED * more[at] ||
		   (t->nodes[at].parent == TREE_ROOT &&
		       more[next] > own_part(t, more, at))))
		at = next;
	return at;
}

/* Takes a stack's part of the difference away, from what calls it, too. */
static void
explain(const struct span_tree *t, double *more, uint32_t node)
{
	double d = more[node];

	for (uint32_t i = node; i != TREE_ROOT; i = t->nodes[i].parent)
		more[i] -= d;
	more[TREE_ROOT] -= d;
	for (uint32_t i = node + 1; i < t->n; i++)
		if (more[t->nodes[i].parent] == -HUGE_VAL ||
		    t->nodes[i].parent == node)
			more[i] = -HUGE_VAL;
	more[node] = -HUGE_VAL;
}

static void
find_causes(struct judged *j, const struct span_tree *t, double *const all[2])
{
	double *more = xcalloc(t->n, sizeof *more);
	uint32_t *largest = xcalloc(t->n, sizeof *largest), node;
	double least = LEAST_CAUSE * (j->slow - j->typical);

	for (uint32_t i = 0; i < t->n; i++)
		more[i] = all[1][i] - all[0][i];
	while (j->n_causes < CAUSES_MAX) {
		find_largest(t, more, largest);
		node = follow(t, more, largest);
		if (node == TREE_ROOT || more[node] <= 0 || more[node] < least)
			break;
		j->causes[j->n_causes++] = (struct cause){.node = node,
		    .typical = all[0][node],
		    .slow = all[1][node],
		    .more = more[node]};
		explain(t, more, node);
	}
	free(more);
	free(largest);
}

/* How long a stack and what it calls take in one call. */
static uint64_t
within(const struct span_tree *t, const struct call *c, uint32_t node)
{
	uint64_t ns = 0;

	for (size_t k = 0; k < c->n; k++) {
		uint32_t i = c->pieces[k].node;

		while (i > node)
			i = t->nodes[i].parent;
		ns += i == node ? c->pieces[k].ns : 0;
	}
	return ns;
}

static void
count_calls(struct cause *cause, const struct calls *c)
{
	const struct span_tree *t = &c->p->tree;
	uint64_t most = 0, ns;

	for (size_t i = 0; i < c->n_some; i++) {
		ns = within(t, &c->some[i], cause->node);
		most = ns > most ? ns : most;
	}
	for (size_t i = 0; i < c->n_slow; i++)
		cause->calls += within(t, &c->slow[i], cause->node) > most;
}

void
judge(struct judged *j, const struct calls *c)
{
	const struct span_tree *t = &c->p->tree;
	double *all[2];

	memset(j, 0, sizeof *j);
	for (int i = 0; i < 2; i++) {
		j->self[i] = xcalloc(t->n, sizeof **j->self);
		all[i] = xcalloc(t->n, sizeof **all);
		mean(t, i ? c->slow : c->some, i ? c->n_slow : c->n_some,
		    j->self[i], all[i]);
	}
	j->typical = all[0][TREE_ROOT];
	j->slow = all[1][TREE_ROOT];
	if (j->slow > j->typical)
		find_causes(j, t, all);
	for (size_t i = 0; i < j->n_causes; i++)
		count_calls(&j->causes[i], c);
	if (j->n_causes)
		test(j, c, all);
	free(all[0]);
	free(all[1]);
}

void
judged_free(struct judged *j)
{
	free(j->self[0]);
	free(j->self[1]);
}
