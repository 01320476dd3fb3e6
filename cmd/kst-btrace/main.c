/* SPDX-License-Identifier: ISC */
/* kst-btrace: the stacks that btrace(8) or bpftrace printed, as folded text. */
#include <string.h>

#include "base/msg.h"
#include "names/rules.h"
#include "opt/opt.h"
#include "io/out.h"
#include "rights/rights.h"
#include "keys/own.h"
#include "run.h"
#include "keys/folding.h"

static const struct opt rows[] = {
    {'a', "arch", "NAME",
	"machine that was traced, as uname -m prints it: amd64, arm64, ...",
	OPT_TEXT(arch)},
    {'c', "context", "NAME", "skip the tracer's own frames",
	OPT_WORD(context, "profile static")},
    {'k', "keep-offset", NULL, "keep offsets, modules and source positions",
	OPT_FLAG(keep_offset)},
    {0, "map", "NAME", "take only stacks of this map; may be repeated",
	OPT_LIST(maps)},
    {0, "mode-mark", NULL, "mark frames of the kernel with _[k]",
	OPT_SET(mode, MODE_MARK)},
    {0, "mode-root", NULL,
	"put kernel or userland in front of each stack as root frame",
	OPT_SET(mode, MODE_ROOT)},
    {'s', "skip", "N", "skip N leaf frames of each kernel stack",
	OPT_NUMBER(skip, 0, 1000)},
    {0, "value", "NAME", "use this value of stats() as the weight",
	OPT_CHOICE(value, LINE_NUMBERS)},
    {0, "unit", "WORD", "say what the weights count: samples, bytes, ns, ...",
	OPT_TEXT(unit)},
    {0, "no-trailer", NULL,
	"leave out the trailer, the last line, which describes the counts",
	OPT_FLAG(no_trailer)},
    {'v', "verbose", NULL, "say what was read", OPT_FLAG(verbose)}, {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes folded text of the stacks that OpenBSD's btrace(8) or "
	     "bpftrace printed.",
    .rows = rows,
    .examples = "kst-btrace -c profile kstack.txt | kst-svg > fg.svg\n"};

int
main(int argc, char **argv)
{
	struct options o = {.value = VALUE_TOTAL};
	int first, status = EXIT_OK;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (o.arch && !o.context)
		o.context = "profile";
	if (o.context) {
		o.own = rules_new();
		status = own_load(o.own, o.context, o.arch);
		if (o.unit == NULL && strcmp(o.context, "profile") == 0)
			o.unit = "samples";
	}
	if (o.maps.n)
		rights_keep(&(struct rights){.reads = rights_all,
		    .n_reads = 1,
		    .also = RIGHTS_NAMES | RIGHTS_MEMORY});
	else
		rights_files(argv + first, argc - first);
	if (status == EXIT_OK)
		status = run(&o, argv + first, argc - first);
	rules_free(o.own);
	opt_list_done(&o.maps);
	return out_end(status);
}
