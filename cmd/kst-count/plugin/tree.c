/* SPDX-License-Identifier: ISC */
#include "plugin/tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "plugin/block.h"
#include "set/slots.h"

struct node {
	uint64_t addr, count;
	uint32_t parent;
	uint16_t kind;
	bool lost; /* below TREE_LOST */
	bool seen; /* a stack that was written */
};

/* Node 0 is the root, of a kind that no other has. */
static struct {
	struct node *node;
	size_t n, cap;
	struct slots slots;
	uint64_t low, high, by; /* of tree_move() */
} tree;

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct node *a = (const struct node *)of + id, *b = key;

	return a->addr == b->addr && a->parent == b->parent &&
	       a->kind == b->kind;
}

uint32_t
tree_child(uint32_t parent, unsigned kind, uint64_t addr)
{
	struct node key = {
	    .addr = addr, .parent = parent, .kind = (uint16_t)kind};
	const uint64_t hash = (addr ^ (uint64_t)parent << 32 ^ kind) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (tree.n == 0) {
		slots_init(&tree.slots);
		slots_add(&tree.slots, 0);
		*xpush(tree.node, tree.n, tree.cap) = (struct node){0};
	}
	id = slots_find(&tree.slots, hash, same, tree.node, &key);
	if (id != SLOTS_NONE)
		return id;
	if (tree.n >= TREE_MAX && kind != TREE_DEEP)
		return tree_child(0, TREE_DEEP, kind);
	slots_add(&tree.slots, hash);
	key.lost = kind == TREE_LOST || tree.node[parent].lost;
	*xpush(tree.node, tree.n, tree.cap) = key;
	return (uint32_t)tree.n - 1;
}

size_t
tree_size(void)
{
	return tree.n;
}

void
tree_add(uint32_t node, uint64_t n)
{
	tree.node[node].count += n;
}

uint64_t
tree_part(uint32_t node)
{
	return tree.node[node].kind == TREE_CODE ? tree.node[node].addr : 0;
}

void
tree_take_back(uint32_t node)
{
	const struct node d = tree.node[node];

	tree.node[node].count--;
	if ((d.addr & UINT16_MAX) > 1)
		tree_add(tree_child(d.parent, TREE_CODE, d.addr - 1), 1);
}

void
tree_move(uint64_t low, uint64_t high, uint64_t by)
{
	tree.low = low;
	tree.high = high;
	tree.by = by;
}

uint64_t
tree_in_file(uint64_t addr)
{
	return addr >= tree.low && addr < tree.high ? addr - tree.by : addr;
}

static void
put_frame(const struct node *d, FILE *f)
{
	if (d->kind == TREE_LOST)
		fputs("[lost]", f);
	else if (d->kind == TREE_DEEP)
		fputs("[truncated]", f);
	else if (d->kind == TREE_CPU)
		fprintf(f, "CPU#%" PRIu64, d->addr);
	else
		fprintf(f, "0x%" PRIx64, tree_in_file(d->addr));
	if (d->kind == TREE_TRAP)
		fputs(";<signal handler called>", f);
}

void
tree_put_stack(uint32_t node, size_t max, FILE *f)
{
	uint32_t *path = NULL, root = 0;
	size_t depth = 0, cap = 0;

	for (; node && depth < max; node = tree.node[node].parent)
		*xpush(path, depth, cap) = node;
	for (; node; node = tree.node[node].parent)
		root = node;
	if (root != 0)
		*xpush(path, depth, cap) = root;
	while (depth-- > 0) {
		put_frame(&tree.node[path[depth]], f);
		if (depth > 0)
			fputc(';', f);
	}
	free(path);
}

/* The frames of a node, to `text`, which is emptied first. */
static void
set_stack(uint32_t node, FILE *text)
{
	rewind(text);
	tree_put_stack(node, SIZE_MAX, text);
	fputc(0, text);
	fflush(text);
}

/* A line of each instruction. */
static void
put_code(const char *stack, const struct node *d, const char *prefix, FILE *f)
{
	uint32_t n;
	const struct block *b = block_of(d->addr, &n);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%s;0x%" PRIx64 " %" PRIu64 "\n", prefix, stack,
		    block_place(b, i), d->count);
}

/* Adds up what is written of a node, n times its count. */
static void
add_sums(
    struct tree_sums *s, const struct node *d, struct node *stack, uint64_t n)
{
	s->stacks += !stack->seen;
	stack->seen = true;
	s->all += n * d->count;
	s->lost += d->lost ? n * d->count : 0;
}

void
tree_write(unsigned kind, const char *prefix, FILE *f, struct tree_sums *sums)
{
	char *stack = NULL;
	size_t size;
	FILE *text = open_memstream(&stack, &size);
	uint32_t of = 0;

	if (text == NULL)
		msg_die(EXIT_SYSTEM, "out of memory");
	for (size_t i = 1; i < tree.n; i++) {
		struct node *d = &tree.node[i];
		const bool code = d->kind == TREE_CODE;
		const uint32_t above = code ? d->parent : (uint32_t)i;

		if (d->kind != kind &&
		    (d->kind != TREE_DEEP || d->addr != kind))
			continue;
		/* What was taken back from an earlier piece lacks in this. */
		if ((int64_t)d->count <= 0)
			continue;
		if (of != above)
			set_stack(above, text);
		of = above;
		add_sums(sums, d, &tree.node[above],
		    code ? d->addr & UINT16_MAX : 1);
		if (code)
			put_code(stack, d, prefix, f);
		else
			fprintf(
			    f, "%s%s %" PRIu64 "\n", prefix, stack, d->count);
		d->count = 0;
	}
	fclose(text);
	free(stack);
}
