/* SPDX-License-Identifier: ISC */
#include "run.h"

#include "colour.h"
#include "draw.h"
#include "base/intern.h"
#include "read.h"
#include "text.h"
#include "tree.h"

static bool
has_annotations(const struct tree *t)
{
	for (uint32_t i = 0; i < intern_count(t->names); i++) {
		size_t len;
		const char *name = intern_str(t->names, i, &len);

		if (text_annotated(name, len) < len)
			return true;
	}
	return false;
}

int
run(const struct svg_opts *o, struct colours **c, char **operands, int n)
{
	struct read_result in = read_folded(o, operands, n);
	struct svg_opts with = *o;

	if (with.countname == NULL)
		with.countname = trailer_get(&in.trailer, "unit");
	if (with.countname == NULL)
		with.countname =
		    trailer_mixed(&in.trailer) ? "counts" : "samples";
	if (with.colors == NULL) {
		bool annotated = !with.palette && has_annotations(in.tree);

		with.colors = annotated ? "annotated" : PALETTE_USUAL;
		if (annotated) {
			colours_free(*c);
			*c = colours_new(with.colors, NULL);
		}
	}
	if (in.differential)
		colours_by_change(*c, o->negate);
	draw_svg(&with, &in, *c);
	tree_free(in.tree);
	failures_done(&in.failures);
	return in.failed ? EXIT_FAILED : EXIT_OK;
}
