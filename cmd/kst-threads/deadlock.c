/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "profile/table.h"
#include "threads.h"

enum {
	SAID = 16, /* circles that have a line */
	NAMED = 8, /* threads that a line names */
	NAME = 32, /* bytes of a name there */
	NONE = -1
};

/* A thread that waits for a lock. */
struct node {
	const struct thread *thread;
	uint64_t number, holder; /* holder: of the lock that it waits for */
	ptrdiff_t next;		 /* that thread among these, or NONE */
	size_t seen;		 /* in which walk, from 1 */
};

/* `[lock of pid 7, sh]`: the number. */
static bool
holder_of(const struct capture *c, const struct thread *t, uint64_t *number)
{
	static const char before[] = "[lock of pid ";
	size_t len, n = 0;
	const char *p;

	if (t->n == 0)
		return false;
	p = table_name_text(c->table, c->frames[t->at + t->n - 1], &len);
	if (!bytes_starts(p, len, before))
		return false;
	p += strlen(before);
	len -= strlen(before);
	while (n < len && p[n] >= '0' && p[n] <= '9')
		n++;
	return n < len && (p[n] == ',' || p[n] == ']') &&
	       num_u64(p, n, number) == 0;
}

static int
compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->thread->place > y->thread->place) -
	       (x->thread->place < y->thread->place);
}

static int
compare_number(const void *key, const void *node)
{
	const uint64_t number = *(const uint64_t *)key;
	const struct node *n = node;

	return (number > n->number) - (number < n->number);
}

/*
 * The threads that wait for locks, in the order of their numbers, each with
 * that of them that has its lock.
 */
static size_t
find_nodes(const struct capture *c, struct node **nodes)
{
	size_t n = 0, cap = 0;
	struct node *found;
	struct piece name;

	*nodes = NULL;
	for (size_t i = 0; i < c->n; i++) {
		struct node node = {.thread = &c->v[i], .next = NONE};

		if (thread_name(c, node.thread, &name, &node.number) &&
		    holder_of(c, node.thread, &node.holder))
			*xpush(*nodes, n, cap) = node;
	}
	if (n > 0)
		qsort(*nodes, n, sizeof **nodes, compare_nodes);
	for (size_t i = 0; i < n; i++) {
		found = bsearch(&(*nodes)[i].holder, *nodes, n, sizeof **nodes,
		    compare_number);
		if (found != NULL)
			(*nodes)[i].next = found - *nodes;
	}
	return n;
}

static void
add_thread(struct buf *b, const struct capture *c, const struct node *node)
{
	struct piece name;
	uint64_t number;

	thread_name(c, node->thread, &name, &number);
	buf_printf(b, "pid %" PRIu64, number);
	if (name.len > 0)
		buf_printf(b, " (%s)",
		    msg_text(name.p, name.len < NAME ? name.len : NAME));
}

/* Says the circle that has this one, from its lowest number on. */
static void
say(const struct capture *c, const struct node *nodes, ptrdiff_t i)
{
	struct buf b = BUF_INIT;
	ptrdiff_t first = i;
	size_t n = 1;

	for (ptrdiff_t k = nodes[i].next; k != i; k = nodes[k].next) {
		first = k < first ? k : first;
		n++;
	}
	add_thread(&b, c, &nodes[first]);
	i = nodes[first].next;
	for (size_t said = 1; i != first && said < NAMED; said++) {
		buf_adds(&b, said == 1 ? " waits for a lock of "
				       : ", which waits for one of ");
		add_thread(&b, c, &nodes[i]);
		i = nodes[i].next;
	}
	if (n == 1)
		buf_adds(&b, " waits for a lock that it has itself");
	else if (i == first)
		buf_printf(&b, ", which waits for one of pid %" PRIu64,
		    nodes[first].number);
	else
		buf_printf(&b, ", and so on: a circle of %zu threads", n);
	msg("deadlock: %s", buf_str(&b));
	buf_done(&b);
}

void
deadlocks(const struct capture *c)
{
	struct node *nodes;
	const size_t n = find_nodes(c, &nodes);
	size_t circles = 0;

	out_flush(); /* on a terminal the list comes first */
	for (size_t i = 0; i < n; i++) {
		ptrdiff_t k = (ptrdiff_t)i;

		for (; k != NONE && nodes[k].seen == 0; k = nodes[k].next)
			nodes[k].seen = i + 1;
		if (k != NONE && nodes[k].seen == i + 1 && circles++ < SAID)
			say(c, nodes, k);
	}
	if (circles > SAID)
		msg("deadlock: further circles of threads: %zu",
		    circles - SAID);
	free(nodes);
}
