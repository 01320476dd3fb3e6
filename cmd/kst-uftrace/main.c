/* SPDX-License-Identifier: ISC */
/* kst-uftrace: a uftrace.data directory to event text. */
#include <getopt.h>
#include <stdlib.h>

#include "data.h"
#include "elfs.h"
#include "emit.h"
#include "merge.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"

static const char help[] =
    "usage: kst-uftrace [-e ELF] ... [DIR]\n"
    "Reads a uftrace.data directory, of QEMU's uftrace plugin or of uftrace,\n"
    "and writes event text, kst-events(5). DIR is uftrace.data if not given.\n"
    "\n"
    "  -e, --elf ELF  take symbols from this file: PATH, PATH@BASE or\n"
    "                 PATH@+OFFSET (hexadecimal); may be repeated\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n";

struct options {
	const char *dir;
	struct elfs *elfs; /* NULL: none given */
};

static void
parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
	    {"elf", required_argument, NULL, 'e'},
	    {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
	int c;

	while ((c = getopt_long(argc, argv, "e:hV", longs, NULL)) != -1) {
		switch (c) {
		case 'e':
			if (o->elfs == NULL)
				o->elfs = elfs_new();
			if (elfs_add(o->elfs, optarg) != 0)
				exit(EXIT_FAILED);
			break;
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
	if (argc - optind > 1)
		msg_die(EXIT_USAGE, "one directory at a time");
	if (optind < argc)
		o->dir = argv[optind];
}

static int
run(const struct options *o)
{
	struct data data;
	struct emit emit;
	struct tracks tracks;
	bool ok;

	if (data_open(&data, o->dir, o->elfs) != 0) {
		data_close(&data);
		return EXIT_FAILED;
	}
	emit_init(&emit, &data);
	tracks_open(&tracks, &emit);
	tracks_merge(&tracks, &emit);
	ok = !data.failed && !tracks.failed;
	tracks_close(&tracks);
	emit_done(&emit);
	data_close(&data);
	return ok ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.dir = "uftrace.data"};
	int status;

	msg_init(argv[0]);
	parse_options(&o, argc, argv);
	status = run(&o);
	if (o.elfs)
		elfs_free(o.elfs);
	return out_close() == 0 ? status : EXIT_FAILED;
}
