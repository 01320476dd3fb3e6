/* SPDX-License-Identifier: ISC */
/* kst-uftrace: a uftrace.data directory to event text. */
#include "folder/folder.h"
#include "merge.h"

#include <sys/resource.h>

#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "rights/rights.h"
#include "folder/elfs.h"
#include "text/range.h"
#include "elffile/elffile.h"

struct options {
	const char *dir;
	struct opt_list elf;
	struct range range;
	bool no_demangle;
};

static const struct opt rows[] = {
    {'e', "elf", "ELF",
	"take symbols from this file: PATH, PATH@BASE or PATH@+OFFSET "
	"(hexadecimal); may be repeated",
	OPT_LIST(elf)},
    {0, "no-demangle", NULL, "do not demangle C++ and Rust symbols",
	OPT_FLAG(no_demangle)},
    RANGE_ROWS(range), {0}};

static const struct opt_page page = {.synopsis = "[options] [DIR]",
    .about = "Makes event text, kst-events(5), of a directory that uftrace "
	     "or QEMU's uftrace plugin wrote. The default of DIR is "
	     "uftrace.data.",
    .rows = rows,
    .examples = "kst-uftrace -e kernel.elf | kst-span | kst-svg > fg.svg\n"};

static int
write_events(struct options *o, struct elfs *elfs)
{
	struct data data;
	struct range *range = range_given(&o->range) ? &o->range : NULL;
	bool ok = data_open(&data, o->dir, elfs) == 0;

	data.mangled = o->no_demangle;
	ok = ok && merge_records(&data, range) && !data.failed;
	data_close(&data);
	return ok ? EXIT_OK : EXIT_FAILED;
}

/* A file for each thread is open at once, so all descriptors are allowed. */
static void
allow_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int
run(struct options *o)
{
	struct elfs *elfs = elfs_new();
	int status = EXIT_OK;

	for (size_t i = 0; i < o->elf.n && status == EXIT_OK; i++)
		if (elfs_add(elfs, o->elf.use[i].arg) != 0)
			status = EXIT_FAILED;
	if (status == EXIT_OK)
		status = write_events(o, elfs);
	if (elflost_what() != NULL) {
		msg("%s", elflost_what());
		status = EXIT_FAILED;
	}
	elfs_free(elfs);
	return status;
}

int
main(int argc, char **argv)
{
	struct options o = {.dir = "uftrace.data"};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	range_check(&o.range);
	if (argc - first > 1)
		opt_wrong("only one directory can be read");
	if (first < argc)
		o.dir = argv[first];
	allow_files();
	/* symbols come from wherever the traced programs were */
	rights_keep(&(struct rights){.reads = rights_all,
	    .n_reads = 1,
	    .also = RIGHTS_NAMES | RIGHTS_MEMORY});
	status = run(&o);
	opt_list_done(&o.elf);
	return out_end(status);
}
