/* SPDX-License-Identifier: ISC */
#include "plugin/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "live/live.h"
#include "plugin/block.h"
#include "plugin/flow.h"
#include "plugin/shadow.h"
#include "plugin/tree.h"
#include "trace/ring.h"

static struct {
	const struct request *asked;
	uint64_t piece; /* result_piece_end() */
	struct tree_sums written;
	/* Of each thing that is counted, and the one that also has the end. */
	FILE *each[COUNT_WHATS], *out;
} all;

struct live *
result_open(int argc, char **argv, struct request *asked)
{
	FILE *f = NULL;
	struct live *live;

	if (argc != 1 || strncmp(argv[0], "result=", 7) != 0 ||
	    (f = fopen(argv[0] + 7, "r+e")) == NULL ||
	    fread(asked, sizeof *asked, 1, f) != 1 ||
	    asked->size != sizeof *asked || fseek(f, 0, SEEK_SET) != 0 ||
	    ftruncate(fileno(f), 0) != 0)
		msg_die(1, "the plugin needs kst-count of the same version");
	live = live_open(asked->live);
	live_answer(live, asked->later, asked, sizeof *asked);
	for (unsigned w = 0; w < COUNT_WHATS; w++)
		if (*asked->also[w] &&
		    (all.each[w] = fopen(asked->also[w], "r+e")) == NULL)
			msg_die(EXIT_SYSTEM, "cannot open a file of --also");
	all.out = all.each[asked->what] = f;
	if (!ring_open(&asked->trace, asked->in))
		msg_die(EXIT_SYSTEM, "cannot open the file of --trace");
	all.asked = asked;
	all.piece = asked->every;
	return live;
}

uint64_t
result_piece_end(void)
{
	return all.piece;
}

void
result_piece(void)
{
	struct tree_sums other = {0};
	char prefix[32] = "";

	block_add_all();
	if (!all.asked->apart)
		block_sort_entries();
	if (all.asked->every)
		snprintf(prefix, sizeof prefix, "[%.9fs];",
		    (double)(all.piece - all.asked->every) / 1e9);
	for (unsigned w = 0; w < COUNT_WHATS; w++)
		if (all.each[w])
			tree_write(w == COUNT_INSNS ? TREE_CODE : TREE_AT + w,
			    all.asked->apart, prefix, all.each[w],
			    w == all.asked->what ? &all.written : &other);
	all.piece += all.asked->every;
}

static void
put_end_of(const struct flow_cpu *c)
{
	if (c->block == NULL)
		return;
	fputs(END_MARK, all.out);
	tree_put_stack(tree_child(c->node, TREE_AT,
			   programs_apart(c->block->program, c->block->pc)),
	    END_FRAMES, all.out);
	fputc('\n', all.out);
}

/* Bytes around a return address that nothing else has, and of one stack. */
enum { NEARBY = 64, STACK = 16 << 10 };

/* A return address in memory, and when its stack was left. */
struct memory {
	uint64_t slot, left;
};

/* A stack that was left, and how many of its frames are still there. */
struct left {
	const struct shadow *k;
	size_t n;
};

struct lefts {
	struct left *v;
	struct memory *place; /* of all frames, in the order of slots */
	size_t n, cap, n_places, cap_places;
};

static int
compare_places(const void *a, const void *b)
{
	const struct memory *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

static int
compare_left(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	return (x->k->left < y->k->left) - (x->k->left > y->k->left);
}

/* Whether a stack that was on a CPU later has put something else there. */
static bool
is_reused(const struct lefts *l, uint64_t slot, uint64_t left)
{
	size_t low = 0, high = l->n_places;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (l->place[mid].slot + NEARBY < slot)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < l->n_places && l->place[low].slot <= slot + NEARBY; low++)
		if (l->place[low].left > left)
			return true;
	return false;
}

/*
 * How many frames are still there. Innermost ones in memory that was used again
 * are gone, with what is on the same stack: a scheduler may have a stack of its
 * own below all threads, and a thread that has ended gives its stack away.
 */
static size_t
still_there(const struct lefts *l, const struct shadow *k)
{
	size_t n = k->n;

	for (size_t i = n; i-- > 0;) {
		const struct shadow_frame *e = &k->frame[i];
		const uint64_t last = frame_last_slot(k, n);

		if (e->trap || e->slot == 0)
			continue;
		if (i + 1 < n && last != 0 &&
		    (e->slot > last ? e->slot - last : last - e->slot) > STACK)
			break;
		if (is_reused(l, e->slot, k->left))
			n = i;
	}
	while (n > 0 && n < k->n && k->frame[n - 1].trap)
		n--;
	return n;
}

/* Whether the stack would go on in the kernel's file, if that is known. */
static bool
is_kernels(const struct shadow *k, size_t n)
{
	const struct request *o = all.asked;

	return n > 0 && (o->top == 0 || o->low == 0 ||
			    tree_in_file(k->frame[n - 1].ret) - o->low <
				o->top - o->low);
}

/* The stacks that wait at the end, the latest first. */
static void
find_left(struct lefts *l)
{
	const struct shadow *k;

	for (size_t i = 0; (k = shadow_nth(i)) != NULL; i++)
		for (size_t f = 0; f < k->n; f++)
			if (!k->frame[f].trap && k->frame[f].slot != 0)
				*xpush(l->place, l->n_places, l->cap_places) =
				    (struct memory){k->frame[f].slot, k->left};
	if (l->n_places > 0)
		qsort(l->place, l->n_places, sizeof *l->place, compare_places);
	for (size_t i = 0; (k = shadow_nth(i)) != NULL; i++) {
		const size_t n = k->since > 0 ? still_there(l, k) : 0;

		if (is_kernels(k, n))
			*xpush(l->v, l->n, l->cap) = (struct left){k, n};
	}
	if (l->n > 0)
		qsort(l->v, l->n, sizeof *l->v, compare_left);
}

/*
 * What it would go on with, in the function of its innermost call, which may
 * be the last of its instructions.
 */
static uint32_t
goes_on_at(const struct left *v)
{
	const struct shadow_frame *e = &v->k->frame[v->n - 1];
	const uint64_t at = e->ret == NOWHERE		  ? e->pc
			    : e->trap || all.asked->apart ? e->ret
							  : e->ret - 1;

	return tree_child(v->n > 1 ? e[-1].node : v->k->root,
	    TREE_AT + COUNT_WAITING, programs_apart(e->program, at));
}

/* Counts waits up to the end, below a frame of their own. */
static void
write_left(const struct lefts *l, uint64_t counted)
{
	struct tree_sums other = {0};
	FILE *f = all.each[COUNT_WAITING];

	for (size_t i = 0; f != NULL && i < l->n; i++)
		tree_add(goes_on_at(&l->v[i]), counted + 1 - l->v[i].k->since);
	if (f != NULL)
		tree_write(TREE_AT + COUNT_WAITING, all.asked->apart,
		    END_WAITS ";", f,
		    all.asked->what == COUNT_WAITING ? &all.written : &other);
}

static void
put_left(const struct lefts *l, uint64_t counted)
{
	for (size_t i = 0; i < l->n && i < END_LEFT; i++) {
		fprintf(all.out, END_MARK "[left %" PRIu64 " %zu];",
		    counted + 1 - l->v[i].k->since, l->n);
		tree_put_stack(goes_on_at(&l->v[i]), END_FRAMES, all.out);
		fputc('\n', all.out);
	}
}

void
result_end(const struct result_end *e)
{
	FILE *const out = all.out;
	struct lefts left = {0};
	uint64_t judged, differ;
	bool whole = true;

	find_left(&left);
	block_add_all();
	if (!all.asked->trace.on) {
		result_piece();
		write_left(&left, e->counted);
	}
	if (!ring_end(e->time) || !block_write(all.asked->cover))
		perror("kst-count");
	for (unsigned w = 0; w < COUNT_WHATS; w++)
		if (all.each[w] && all.each[w] != out)
			whole &= fclose(all.each[w]) == 0;
	block_judge(&judged, &differ);
	fprintf(out,
	    END_MARK "%d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		     " %d %" PRIu64 " %d %" PRIu64,
	    (int)e->why, e->begun, e->counted, all.written.stacks,
	    all.written.all, all.written.lost, e->seen, e->by, e->home,
	    all.written.rootless);
	if (all.asked->judge)
		fprintf(out, " %" PRIu64 " %" PRIu64, judged, differ);
	fputc('\n', out);
	put_end_of(e->running);
	for (unsigned i = 0; i < END_CPUS && e->cpu[i]; i++)
		if (e->cpu[i] != e->running)
			put_end_of(e->cpu[i]);
	put_left(&left, e->counted);
	free(left.v);
	free(left.place);
	if (!whole || fflush(out) != 0) {
		perror("kst-count");
		return;
	}
	fprintf(out, "#kst:unit=%s,", all.asked->unit);
	if (all.asked->what == COUNT_INTERRUPTS)
		fprintf(out, "instructions=%" PRIu64 ",", e->counted);
	fputs("exact=1\n", out);
	if (ferror(out) || fclose(out) != 0)
		perror("kst-count");
}
