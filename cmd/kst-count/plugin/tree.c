/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "plugin/count.h"

void
say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("kst-count: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

/* Without the functions that QEMU runs at its exit, which need memory. */
static void *
check(void *p, size_t n, size_t size)
{
	if (p != NULL)
		return p;
	say("out of memory (%zu times %zu bytes); nothing is written", n, size);
	_exit(4);
}

void *
mem_zeroed(size_t n, size_t size)
{
	return check(calloc(n, size), n, size);
}

void *
mem_grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n <= *cap)
		return v;
	*cap = n > 2 * *cap ? n + 8 : 2 * *cap;
	return check(reallocarray(v, *cap, size), *cap, size);
}

enum { SLOTS = 1 << 12 };

void
tree_init(struct tree *t)
{
	t->node = mem_grow(NULL, 1, &t->cap, sizeof *t->node);
	t->node[0] = (struct tree_node){0};
	t->n = 1;
	t->slots = SLOTS;
	t->slot = mem_zeroed(t->slots, sizeof *t->slot);
}

static size_t
place(const struct tree *t, uint32_t parent, unsigned kind, uint64_t addr)
{
	uint64_t h = (addr ^ (uint64_t)parent << 32 ^ kind) *
		     UINT64_C(0x9e3779b97f4a7c15);

	return (h ^ h >> 29) & (t->slots - 1);
}

static void
grow_slots(struct tree *t)
{
	free(t->slot);
	t->slots *= 2;
	t->slot = mem_zeroed(t->slots, sizeof *t->slot);
	for (size_t i = 1; i < t->n; i++) {
		const struct tree_node *d = &t->node[i];
		size_t at = place(t, d->parent, d->kind, d->addr);

		while (t->slot[at])
			at = (at + 1) & (t->slots - 1);
		t->slot[at] = (uint32_t)i;
	}
}

uint32_t
tree_child(struct tree *t, uint32_t parent, enum tree_kind kind, uint64_t addr)
{
	size_t at = place(t, parent, kind, addr);

	for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
		const struct tree_node *d = &t->node[t->slot[at]];

		if (d->addr == addr && d->parent == parent && d->kind == kind)
			return t->slot[at];
	}
	if (t->n >= TREE_MAX && kind != TREE_DEEP)
		return tree_child(t, 0, TREE_DEEP, 0);
	t->node = mem_grow(t->node, t->n + 1, &t->cap, sizeof *t->node);
	t->node[t->n] = (struct tree_node){
	    .addr = addr, .parent = parent, .kind = (uint32_t)kind};
	t->slot[at] = (uint32_t)t->n++;
	if (t->n * 2 > t->slots)
		grow_slots(t);
	return (uint32_t)t->n - 1;
}

static void
put_frame(const struct tree_node *d, FILE *f)
{
	switch (d->kind) {
	case TREE_CPU:
		fprintf(f, "CPU#%" PRIu64, d->addr);
		break;
	case TREE_LOST:
		fputs("[lost]", f);
		break;
	case TREE_DEEP:
		fputs("[truncated]", f);
		break;
	case TREE_TRAP:
		fprintf(f, "0x%" PRIx64 ";<signal handler called>", d->addr);
		break;
	default:
		fprintf(f, "0x%" PRIx64, d->addr);
	}
}

void
tree_write(struct tree *t, const char *prefix, FILE *f)
{
	uint32_t *path = NULL;
	size_t depth, cap = 0;

	for (size_t i = 1; i < t->n; i++) {
		if (t->node[i].count == 0)
			continue;
		depth = 0;
		for (uint32_t k = (uint32_t)i; k; k = t->node[k].parent) {
			path = mem_grow(path, depth + 1, &cap, sizeof *path);
			path[depth++] = k;
		}
		fputs(prefix, f);
		while (depth-- > 0) {
			put_frame(&t->node[path[depth]], f);
			if (depth > 0)
				fputc(';', f);
		}
		fprintf(f, " %" PRIu64 "\n", t->node[i].count);
		t->node[i].count = 0;
	}
	free(path);
}
