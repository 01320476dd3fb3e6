/* SPDX-License-Identifier: ISC */
#include "plugin/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "live/live.h"
#include "plugin/block.h"
#include "plugin/flow.h"
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

void
result_end(const struct result_end *e)
{
	FILE *const out = all.out;
	uint64_t judged, differ;
	bool whole = true;

	block_add_all();
	if (!all.asked->trace.on)
		result_piece();
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
