/* SPDX-License-Identifier: ISC */
/* Folded text read into a tree in every mode, and drawn. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "colour/colour.h"
#include "paint/draw.h"
#include "read/read.h"
#include "frames/tree.h"
#include "set/intern.h"
#include "fuzz.h"

/* Frames are inside their parents, and weigh no more than those. */
static void
check(const struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		weight sum = tree_self(t, i, 0);

		if (t->nodes[i].end <= i || t->nodes[i].end > t->n)
			abort();
		for (uint32_t c = i + 1; c < t->nodes[i].end;
		     c = t->nodes[c].end)
			sum += tree_total(t, c, 0);
		if (sum > tree_total(t, i, 0))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[40];
	char *operands[] = {path};
	struct svg_opts o = {.title = "t",
	    .countname = "n",
	    .nametype = "f",
	    .font = "monospace",
	    .colors = "hot",
	    .factor = 1,
	    .width = 300,
	    .frame_height = 16,
	    .font_size = 12,
	    .min_px = size & 1 ? 0.1 : 5,
	    .all = size & 2,
	    .keep_frames = size & 4 ? 3 : 0};
	struct read_result in;
	const struct sums *sums;
	static struct colours *hot, *changes; /* rules are read once */

	fuzz_no_output();
	fuzz_quiet();
	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	if (size == 0 || ftruncate(fd, 0) != 0 ||
	    pwrite(fd, data + 1, size - 1, 0) != (ssize_t)size - 1)
		return 0;
	o.reverse = data[0] & 1;
	o.flamechart = !o.reverse && data[0] & 2;
	o.normalize = !o.flamechart && data[0] & 4;
	o.diff = (enum svg_diff)((data[0] >> 3 & 3) % 3);
	in = read_folded(&o, operands, 1);
	check(in.tree);
	sums = in.tree->sums;
	for (uint32_t i = 0; sums && i < intern_count(sums->names); i++)
		if (sums->v[i].self > tree_total(in.tree, 0, 0) ||
		    sums->v[i].total[0] > tree_total(in.tree, 0, 0) ||
		    sums->v[i].total[1] > tree_total(in.tree, 0, 1) ||
		    sums->v[i].is_open)
			abort();
	if (hot == NULL) {
		hot = colours_new("hot", NULL);
		changes = colours_of_changes(false);
	}
	draw_svg(&o, &in, in.differential ? changes : hot);
	fuzz_drop_output();
	tree_free(in.tree);
	failures_done(&in.failures);
	return 0;
}
