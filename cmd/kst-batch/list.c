/* SPDX-License-Identifier: ISC */
/* --list and --dry-run: what is there and what would be made. */
#include <string.h>

#include "batch.h"
#include "base/out.h"

void
report_list(const struct batch *b)
{
	static const char *const whys[] = {
	    "current", "new", "changed", "options", "missing", "forced"};
	struct buf line = BUF_INIT;

	for (size_t k = 0; k < b->items.n; k++) {
		const struct item *i = &b->items.v[k];
		const char *name = item_name(b, i);

		if (!b->o->list && i->why == WHY_NOT)
			continue;
		line.len = 0;
		buf_printf(&line, "%s\t%s\t", whys[i->why],
		    i->rec.rel == NULL ? "-"
		    : i->rec.faulty    ? "broken"
				       : "ok");
		text_encode(&line, name, strlen(name), false);
		buf_addc(&line, '\t');
		text_encode(&line, i->rel, strlen(i->rel), false);
		buf_adds(&line, ".folded\n");
		out_put(line.p, line.len);
	}
	for (size_t k = 0; b->o->dry_run && k < b->sums.n; k++) {
		const char *name = path_name(b, b->sums.v[k].folded);

		line.len = 0;
		buf_adds(&line, "sum\t-\t-\t");
		text_encode(&line, name, strlen(name), false);
		buf_addc(&line, '\n');
		out_put(line.p, line.len);
	}
	buf_done(&line);
}
