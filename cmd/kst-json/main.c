/* SPDX-License-Identifier: ISC */
/* kst-json: OSDK's JSON profile to trace text, and back. */
#include "opt/each.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "io/rights.h"
#include "base/summary.h"
#include "capture.h"

static const struct opt rows[] = {
    {'c', "cpus", "SET", "only these CPUs: 0x3 (mask), 0-3,8 (list), all",
	OPT_CALL(cpus, cpus_option)},
    {0, "cpu-mask", "N", "the same as a decimal mask, as in OSDK",
	OPT_CALL(cpus, cpus_mask_option)},
    {'j', "to-json", NULL, "read trace text, write JSON", OPT_FLAG(to_json)},
    {'v', "verbose", NULL, "say what was read", OPT_FLAG(verbose)}, SUMMARY_ROW,
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes trace text of OSDK's JSON profile, or such a profile of "
	     "trace text.",
    .rows = rows,
    .examples =
	"kst-json profile.json | kst-clean | kst-fold | kst-svg > fg.svg\n"
	"kst-json --to-json capture.txt > profile.json\n"};

int
main(int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	rights_files(argv + first, argc - first);
	status = run(&o, argv + first, argc - first);
	status = out_end(status);
	summary_end(status);
	return status;
}
