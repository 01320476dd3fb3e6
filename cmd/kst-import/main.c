/* SPDX-License-Identifier: ISC */
/* kst-import: other programs' profiles as folded text. */
#include "profile/table_write.h"
#include "import.h"

#include "base/msg.h"
#include "io/out.h"
#include "rights/rights.h"
#include "opt/opt.h"
#include "trace/signs.h"

static const struct opt rows[] = {
    {'t', "type", "NAME",
	"use this value of a pprof profile, such as cpu or inuse_space",
	OPT_TEXT(type)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes folded text of profiles of pprof.",
    .rows = rows,
    .examples = "kst-import cpu.pb.gz | kst-svg > fg.svg\n"
		"kst-import --type inuse_space heap.pb.gz > heap.folded\n"};

static int
run(const struct options *o, char **files, int n_files)
{
	static struct import im;
	struct buf trailer = BUF_INIT;
	bool good;

	im.o = o;
	im.table = table_new();
	in_init(&im.in, files, n_files);
	good = signs_files(&im.in, import_read, &im) == 0 && !im.bad_gzip;
	table_write(im.table, false);
	trailer_put(&im.trailer, &trailer);
	out_put(trailer.p, trailer.len);
	buf_done(&trailer);
	if (trailer_mixed(&im.trailer)) {
		msg("counts of different units were added up");
		good = false;
	}
	msg_count(im.negative, "samples with counts below 0 were left out");
	msg_count(im.overflows, "sums of stacks exceed 64 bits");
	good &= im.negative + im.overflows == 0 && !in_failed(&im.in);
	in_done(&im.in);
	table_free(im.table);
	return good ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {0};
	int first;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	rights_files(argv + first, argc - first);
	return out_end(run(&o, argv + first, argc - first));
}
