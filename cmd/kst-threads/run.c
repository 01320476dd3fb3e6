/* SPDX-License-Identifier: ISC */
#include "threads.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/in.h"
#include "opt/guest.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "rights/rights.h"
#include "trace/shape.h"

/* What reads them, and what was read. */
struct reading {
	struct fold fold;
	struct capture capture;
	bool no_threads;
};

/* Takes a stack; those of an earlier capture are forgotten. */
static void
take(void *arg, const uint32_t *names, size_t n)
{
	struct reading *r = arg;
	struct capture *c = &r->capture;
	bool is_cpu;

	if (r->fold.captures != c->number)
		c->n = c->n_frames = 0;
	c->number = r->fold.captures;
	is_cpu = r->fold.in.has_thread && r->fold.in.thread.has_cpu;
	if (n < 2 || (r->no_threads && !is_cpu)) /* n 0: a capture begins */
		return;
	*xpush(c->v, c->n, c->cap) = (struct thread){.name = names[0],
	    .state = names[1],
	    .at = c->n_frames,
	    .n = n - 2,
	    .is_cpu = is_cpu,
	    .place = c->n};
	for (size_t i = 2; i < n; i++)
		*xpush(c->frames, c->n_frames, c->frames_cap) = names[i];
}

static bool
read_all(struct reading *r, struct fold_options *fo, struct in *in)
{
	bool good;

	r->capture.table = table_new();
	fold_init(&r->fold, fo, r->capture.table);
	r->fold.sink = take;
	r->fold.sink_arg = r;
	good = shape_read(in, SHAPE_TRACE, fold_trace, fold_folded, &r->fold);
	fold_finish(&r->fold);
	return fold_say_wrong(&r->fold) ? false : good;
}

int
run(const struct options *o, char **operands, int n)
{
	static const char *const once[] = {"--one-shot", "--threads=try", NULL};
	struct fold_options fo = {
	    .by = {BY_THREAD, BY_STATE}, .n_by = 2, .state = o->state};
	bool good = true, sampled = o->elf.n > 0 || o->remote != NULL;
	struct reading r = {.no_threads = o->no_threads};
	struct guest guest = {0};
	struct in in;

	if (sampled && !guest_open(&guest))
		return EXIT_SYSTEM;
	if (sampled)
		good = guest_start(&guest,
		    &(struct guest_wish){&o->elf, o->remote, once, false});
	rights_keep(&(struct rights){
	    .reads = operands, .n_reads = n, .child = guest.pid});
	in_init(&in, operands, n);
	good &= read_all(&r, &fo, &in);
	good &= guest_end(&guest, false);
	show(&r.capture, o->brief);
	if (r.capture.n == 0 && r.fold.left_out > 0)
		msg("the options leave out all %ju stacks",
		    (uintmax_t)r.fold.left_out);
	good &= !in_failed(&in);
	in_done(&in);
	free(r.capture.v);
	free(r.capture.frames);
	fold_done(&r.fold);
	table_free(r.capture.table);
	return good ? EXIT_OK : EXIT_FAILED;
}
