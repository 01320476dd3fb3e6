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

/*
 * Nodes of TREE_CODE are most: their numbers have the bit OF_CODE. A slot of
 * their table, which is at most three quarters full, has eight bits of the hash
 * above a number + 1.
 */
enum { OF_CODE = 1 << 30, SLOT_BITS = 24, FIRST_SLOTS = 1 << 12 };

/* What was sought lately, so that most is found in the processor's cache. */
enum { LATELY_BITS = 15, LATELY = 1 << LATELY_BITS };

struct code {
	uint32_t parent;
	uint32_t part; /* as put_part() makes it */
	uint64_t count;
};

/* Node 0 is the root, of a kind that no other has. */
static struct {
	struct node *node;
	size_t n, cap;
	struct slots slots;
	struct code *code;
	size_t codes, code_cap;
	uint32_t *slot;
	size_t mask;
	struct {
		uint32_t parent, part, code; /* parent 0: nothing */
	} lately[LATELY];
	uint64_t low, high, by; /* of tree_move() */
} tree;

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct node *a = (const struct node *)of + id, *b = key;

	return a->addr == b->addr && a->parent == b->parent &&
	       a->kind == b->kind;
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

static uint64_t
hash_code(uint32_t parent, uint32_t part)
{
	return ((uint64_t)parent << 32 | part) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t
tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 56) << SLOT_BITS;
}

/* The place of a free slot for a hash. */
static size_t
free_slot(uint64_t hash)
{
	size_t i = hash >> 32 & tree.mask;

	while (tree.slot[i])
		i = (i + 1) & tree.mask;
	return i;
}

static void
grow_slots(void)
{
	free(tree.slot);
	tree.mask = tree.mask ? 2 * tree.mask + 1 : FIRST_SLOTS - 1;
	tree.slot = xcalloc(tree.mask + 1, sizeof *tree.slot);
	for (uint32_t i = 0; i < tree.codes; i++) {
		const uint64_t hash =
		    hash_code(tree.code[i].parent, tree.code[i].part);

		tree.slot[free_slot(hash)] = tag_of(hash) | (i + 1);
	}
}

/* The number of the code, which is made if it does not exist; TREE_MAX: full.
 */
static uint32_t
find_code(uint32_t parent, uint32_t part)
{
	const uint64_t hash = hash_code(parent, part);
	const uint32_t tag = tag_of(hash), low = (1U << SLOT_BITS) - 1;

	if (tree.codes >= tree.mask / 4 * 3)
		grow_slots();
	for (size_t i = hash >> 32 & tree.mask; tree.slot[i];
	     i = (i + 1) & tree.mask) {
		const uint32_t id = (tree.slot[i] & low) - 1;

		if ((tree.slot[i] & ~low) == tag &&
		    tree.code[id].parent == parent &&
		    tree.code[id].part == part)
			return id;
	}
	if (tree.codes + tree.n >= TREE_MAX - 1)
		return TREE_MAX;
	tree.slot[free_slot(hash)] = tag | (uint32_t)(tree.codes + 1);
	*xpush(tree.code, tree.codes, tree.code_cap) =
	    (struct code){parent, part, 0};
	return (uint32_t)tree.codes - 1;
}

static uint32_t
code_child(uint32_t parent, uint64_t addr)
{
	const uint32_t part = put_part(addr);
	const size_t i = hash_code(parent, part) >> (64 - LATELY_BITS);
	uint32_t id;

	if (tree.lately[i].parent == parent && tree.lately[i].part == part)
		return tree.lately[i].code;
	id = addr >> 38 ? TREE_MAX : find_code(parent, part);
	if (id == TREE_MAX)
		return tree_child(0, TREE_DEEP, TREE_CODE);
	tree.lately[i].parent = parent;
	tree.lately[i].part = part;
	return tree.lately[i].code = id | OF_CODE;
}

uint32_t
tree_child(uint32_t parent, unsigned kind, uint64_t addr)
{
	struct node key = {
	    .addr = addr, .parent = parent, .kind = (uint16_t)kind};
	const uint64_t hash = (addr ^ (uint64_t)parent << 32 ^ kind) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (kind == TREE_CODE)
		return code_child(parent, addr);
	if (tree.n == 0) {
		slots_init(&tree.slots);
		slots_add(&tree.slots, 0);
		*xpush(tree.node, tree.n, tree.cap) = (struct node){0};
	}
	id = slots_find(&tree.slots, hash, same, tree.node, &key);
	if (id != SLOTS_NONE)
		return id;
	if (tree.codes + tree.n >= TREE_MAX - 1 && kind != TREE_DEEP)
		return tree_child(0, TREE_DEEP, kind);
	slots_add(&tree.slots, hash);
	key.lost = kind == TREE_LOST || tree.node[parent].lost;
	*xpush(tree.node, tree.n, tree.cap) = key;
	return (uint32_t)tree.n - 1;
}

size_t
tree_size(void)
{
	return tree.n + tree.codes;
}

void
tree_add(uint32_t node, uint64_t n)
{
	if (node & OF_CODE)
		tree.code[node ^ OF_CODE].count += n;
	else
		tree.node[node].count += n;
}

uint64_t
tree_part(uint32_t node)
{
	return node & OF_CODE ? get_part(tree.code[node ^ OF_CODE].part) : 0;
}

void
tree_take_back(uint32_t node)
{
	const uint64_t part = tree_part(node);

	tree_add(node, UINT64_MAX);
	if ((part & UINT16_MAX) > 1)
		tree_add(tree_child(tree.code[node ^ OF_CODE].parent, TREE_CODE,
			     part - 1),
		    1);
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
put_code(const char *stack, const struct code *d, const char *prefix, FILE *f)
{
	uint32_t n;
	const struct block *b = block_of(get_part(d->part), &n);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%s;0x%" PRIx64 " %" PRIu64 "\n", prefix, stack,
		    block_place(b, i), d->count);
}

/* Adds up what is written of a stack. */
static void
add_sums(struct tree_sums *s, struct node *stack, uint64_t n)
{
	s->stacks += !stack->seen;
	stack->seen = true;
	s->all += n;
	s->lost += stack->lost ? n : 0;
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

	for (size_t i = 0; i < tree.codes; i++) {
		struct code *d = &tree.code[i];

		if (!is_left(d->count))
			continue;
		if (of != d->parent)
			set_stack(d->parent, text);
		of = d->parent;
		add_sums(sums, &tree.node[of], d->count * (d->part & 1023));
		put_code(*stack, d, prefix, f);
		d->count = 0;
	}
}

void
tree_write(unsigned kind, const char *prefix, FILE *f, struct tree_sums *sums)
{
	char *stack = NULL;
	size_t size;
	FILE *text = open_memstream(&stack, &size);

	if (text == NULL)
		msg_die(EXIT_SYSTEM, "out of memory");
	if (kind == TREE_CODE)
		write_codes(prefix, f, sums, text, &stack);
	for (size_t i = 1; i < tree.n; i++) {
		struct node *d = &tree.node[i];

		if (d->kind != kind &&
		    (d->kind != TREE_DEEP || d->addr != kind))
			continue;
		if (!is_left(d->count))
			continue;
		set_stack((uint32_t)i, text);
		add_sums(sums, d, d->count);
		fprintf(f, "%s%s %" PRIu64 "\n", prefix, stack, d->count);
		d->count = 0;
	}
	fclose(text);
	free(stack);
}
