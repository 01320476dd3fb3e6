/* SPDX-License-Identifier: ISC */
#include "plugin/tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "live/slide.h"
#include "plugin/block.h"
#include "trace/pairs.h"
#include "trace/thin.h"

struct node {
	uint64_t addr, count;
	uint32_t parent;
	uint16_t kind;
	bool lost; /* below TREE_LOST */
	bool seen; /* a stack that was written */
};

/* Nodes of TREE_CODE are pairs: their numbers have this bit. */
enum { OF_CODE = 1 << 30 };

/* Node 0 is the root, of a kind that no other has. */
static struct {
	struct node *node;
	size_t n, cap;
	struct thin index;
	struct move {
		uint64_t low, size, by;
	} move[SLIDE_PLACES];
	unsigned moves;
} tree;

static uint64_t
hash_of(const struct node *d)
{
	return (d->addr ^ (uint64_t)d->parent << 32 ^ d->kind) *
	       UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t
hash_of_node(uint32_t id)
{
	return hash_of(&tree.node[id]);
}

static bool
same(uint32_t id, const void *key)
{
	const struct node *a = &tree.node[id], *b = key;

	return a->addr == b->addr && a->parent == b->parent &&
	       a->kind == b->kind;
}

static uint32_t
add(struct node node)
{
	*xpush(tree.node, tree.n, tree.cap) = node;
	thin_add(&tree.index, hash_of_node);
	return (uint32_t)tree.n - 1;
}

/* block_part() in half as many bits; a block has up to 512 instructions. */
static uint32_t
put_part(uint64_t part)
{
	return (uint32_t)(part >> 16 << 10 | (part & UINT16_MAX));
}

static uint64_t
get_part(uint32_t part)
{
	return (uint64_t)(part >> 10) << 16 | (part & 1023);
}

static uint32_t
code_child(uint32_t parent, uint64_t addr)
{
	const size_t max = tree.n < TREE_MAX ? TREE_MAX - tree.n : 0;
	const uint32_t id =
	    addr >> 38 ? PAIRS_NONE : pairs_find(parent, put_part(addr), max);

	if (id == PAIRS_NONE)
		return tree_child(0, TREE_DEEP, TREE_CODE);
	return id | OF_CODE;
}

uint32_t
tree_child(uint32_t parent, unsigned kind, uint64_t addr)
{
	struct node key = {
	    .addr = addr, .parent = parent, .kind = (uint16_t)kind};
	uint32_t id;

	if (kind == TREE_CODE)
		return code_child(parent, addr);
	if (tree.n == 0)
		add((struct node){0});
	id = thin_find(&tree.index, hash_of(&key), same, &key);
	if (id != THIN_NONE)
		return id;
	if (pairs_size() + tree.n >= TREE_MAX && kind != TREE_DEEP)
		return tree_child(0, TREE_DEEP, kind);
	key.lost = kind == TREE_LOST || tree.node[parent].lost;
	return add(key);
}

size_t
tree_size(void)
{
	return tree.n + pairs_size();
}

void
tree_add(uint32_t node, uint64_t n)
{
	if (node & OF_CODE)
		pairs_add(node ^ OF_CODE, n);
	else
		tree.node[node].count += n;
}

uint64_t
tree_part(uint32_t node)
{
	return node & OF_CODE ? get_part(pairs_code(node ^ OF_CODE)) : 0;
}

void
tree_take_back(uint32_t node)
{
	const uint64_t part = tree_part(node);

	tree_add(node, UINT64_MAX);
	if ((part & UINT16_MAX) > 1)
		tree_add(tree_child(
			     pairs_stack(node ^ OF_CODE), TREE_CODE, part - 1),
		    1);
}

void
tree_move(uint64_t low, uint64_t high, uint64_t by)
{
	tree.move[tree.moves++] = (struct move){low + by, high - low, by};
}

uint64_t
tree_in_file(uint64_t addr)
{
	for (unsigned i = tree.moves; i-- > 0;)
		if (addr - tree.move[i].low < tree.move[i].size)
			return addr - tree.move[i].by;
	return addr;
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
	bool cut = false;

	for (; node && depth < max; node = tree.node[node].parent)
		*xpush(path, depth, cap) = node;
	for (; node; node = tree.node[node].parent) {
		cut = root != 0;
		root = node;
	}
	if (root != 0)
		*xpush(path, depth, cap) = root;
	while (depth-- > 0) {
		put_frame(&tree.node[path[depth]], f);
		if (depth > 0)
			fputs(cut ? ";...;" : ";", f);
		cut = false;
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
put_code(const char *stack, uint32_t part, uint64_t count, const char *prefix,
    FILE *f)
{
	uint32_t n;
	const struct block *b = block_of(get_part(part), &n);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%s;0x%" PRIx64 " %" PRIu64 "\n", prefix, stack,
		    block_place(b, i), count);
}

/* Whether no caller is known. */
static bool
is_all_lost(const struct node *stack)
{
	return stack->kind == TREE_LOST ||
	       (stack->kind >= TREE_AT &&
		   tree.node[stack->parent].kind == TREE_LOST);
}

/* Adds up what is written of a stack. */
static void
add_sums(struct tree_sums *s, struct node *stack, uint64_t n)
{
	s->stacks += !stack->seen;
	stack->seen = true;
	s->all += n;
	*(is_all_lost(stack) ? &s->lost : &s->rootless) += stack->lost ? n : 0;
}

/* What was taken back from an earlier piece lacks in this. */
static bool
is_left(uint64_t count)
{
	return (int64_t)count > 0;
}

static void
write_codes(const char *prefix, FILE *f, struct tree_sums *sums, FILE *text,
    char **stack)
{
	uint32_t of = 0;

	for (uint32_t i = 0; i < pairs_size(); i++) {
		const uint64_t count = pairs_take(i);
		const uint32_t part = pairs_code(i);

		if (count == 0)
			continue;
		if (of != pairs_stack(i))
			set_stack(pairs_stack(i), text);
		of = pairs_stack(i);
		add_sums(sums, &tree.node[of],
		    count * (get_part(part) & UINT16_MAX));
		put_code(*stack, part, count, prefix, f);
	}
}

/* Gives what was counted of a function on a stack to one node of TREE_AT. */
static void
gather_codes(struct tree_sums *sums)
{
	for (uint32_t i = 0; i < pairs_size(); i++) {
		const uint64_t count = pairs_take(i);
		const uint32_t of = pairs_stack(i);
		uint32_t n;
		const struct block *b = block_of(get_part(pairs_code(i)), &n);

		if (count > 0)
			add_sums(sums, &tree.node[of], count * n);
		for (uint32_t k = 0; k < n && count > 0; k++)
			tree_add(tree_child(of, TREE_AT,
				     block_function(block_addr(b, k))),
			    count);
	}
}

/* The same of nodes of another thing. */
static void
gather_nodes(unsigned kind)
{
	for (size_t i = 1, n = tree.n; i < n; i++) {
		const struct node d = tree.node[i];
		uint64_t to;

		if (d.kind != kind || !is_left(d.count) ||
		    (to = block_function(d.addr)) == d.addr)
			continue;
		tree.node[i].count = 0;
		tree_add(tree_child(d.parent, kind, to), d.count);
	}
}

void
tree_write(unsigned kind, bool apart, const char *prefix, FILE *f,
    struct tree_sums *sums)
{
	struct tree_sums gathered = {0};
	char *stack = NULL;
	size_t size;
	FILE *text = open_memstream(&stack, &size);

	if (text == NULL)
		msg_die(EXIT_SYSTEM, "out of memory");
	if (kind != TREE_CODE && !apart)
		gather_nodes(kind);
	else if (kind == TREE_CODE && apart)
		write_codes(prefix, f, sums, text, &stack);
	else if (kind == TREE_CODE)
		gather_codes(sums);
	for (size_t i = 1; i < tree.n; i++) {
		struct node *d = &tree.node[i];
		const uint64_t of = d->kind == TREE_DEEP ? d->addr : d->kind;
		const bool code = kind == TREE_CODE && of == TREE_AT;

		if ((of != kind && !code) || !is_left(d->count))
			continue;
		set_stack((uint32_t)i, text);
		add_sums(code ? &gathered : sums, d, d->count);
		fprintf(f, "%s%s %" PRIu64 "\n", prefix, stack, d->count);
		d->count = 0;
	}
	fclose(text);
	free(stack);
}
