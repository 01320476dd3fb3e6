/* SPDX-License-Identifier: ISC */
/* kst-uftrace: a uftrace.data directory to event text. */
#include "data.h"
#include "elfs.h"
#include "emit.h"
#include "merge.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"

struct options {
	const char *dir;
	struct opt_list elf;
};

static const struct opt rows[] = {
    {'e', "elf", "ELF",
	"take symbols from this file: PATH, PATH@BASE or PATH@+OFFSET "
	"(hexadecimal); may be repeated",
	OPT_LIST(elf)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [DIR]",
    .about =
	"Reads a uftrace.data directory, of QEMU's uftrace plugin or of "
	"uftrace, and writes event text, kst-events(5). DIR is uftrace.data "
	"if not given.",
    .rows = rows,
    .examples = "kst-uftrace -e kernel.elf | kst-span | kst-svg > fg.svg\n"};

/* The ELF files of -e, or NULL after a message. */
static struct elfs *
load_elfs(const struct opt_list *list)
{
	struct elfs *elfs = elfs_new();

	for (size_t i = 0; i < list->n; i++)
		if (elfs_add(elfs, list->use[i].arg) != 0) {
			elfs_free(elfs);
			return NULL;
		}
	return elfs;
}

static int
run(const struct options *o)
{
	struct elfs *elfs = NULL;
	struct data data;
	struct emit emit;
	struct tracks tracks;
	bool ok;

	if (o->elf.n && (elfs = load_elfs(&o->elf)) == NULL)
		return EXIT_FAILED;
	if (data_open(&data, o->dir, elfs) != 0) {
		data_close(&data);
		elfs_free(elfs);
		return EXIT_FAILED;
	}
	emit_init(&emit, &data);
	tracks_open(&tracks, &emit);
	tracks_merge(&tracks, &emit);
	ok = !data.failed && !tracks.failed;
	tracks_close(&tracks);
	emit_done(&emit);
	data_close(&data);
	elfs_free(elfs);
	return ok ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.dir = "uftrace.data"};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (argc - first > 1)
		opt_wrong("one directory at a time");
	if (first < argc)
		o.dir = argv[first];
	status = run(&o);
	opt_list_done(&o.elf);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
