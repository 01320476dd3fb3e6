/* SPDX-License-Identifier: ISC */
/* kst-sym: names the addresses in stacks from ELF files. */
#include <inttypes.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "base/summary.h"
#include "text/shape.h"
#include "sym.h"
#include "base/xalloc.h"

static const char help[] =
    "usage: kst-sym -e ELF[@BASE] [options] [FILE ...]\n"
    "Names the raw addresses in trace text and folded text.\n"
    "\n"
    "  -e, --elf ELF[@BASE]   take names from this file, loaded at BASE; the\n"
    "                         option may be repeated\n"
    "  -a, --annotate         mark inlined calls with _[i]\n"
    "      --no-inline        leave inlined calls out\n"
    "  -l, --lines            add file and line\n"
    "  -d, --demangle         demangle C++ and Rust symbols\n"
    "      --shape SHAPE      the input is trace or folded text (auto)\n"
    "  -v, --verbose          say at the end what was named\n"
    "      --summary-fd N     write it to descriptor N, for programs\n"
    "  -h, --help             print this\n"
    "  -V, --version          print the version\n"
    "\n"
    "Examples:\n"
    "  kst-sym -e kernel.elf raw.txt | kst-clean -d | kst-fold > k.folded\n"
    "  kst-sym -e kernel.elf -e shell@400000 --lines raw.txt\n";

struct options {
	const char *elf[MODULES_MAX];
	size_t n_elf;
	bool annotate, no_inline, lines, demangle, verbose;
	enum shape shape;
};

enum { NO_INLINE = 256, SHAPE, SUMMARY };

static const struct option longs[] = {
    {"elf", required_argument, NULL, 'e'},
    {"annotate", no_argument, NULL, 'a'},
    {"no-inline", no_argument, NULL, NO_INLINE},
    {"lines", no_argument, NULL, 'l'},
    {"demangle", no_argument, NULL, 'd'},
    {"shape", required_argument, NULL, SHAPE},
    {"summary-fd", required_argument, NULL, SUMMARY},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void
read_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "e:aldvhV", longs, NULL)) != -1) {
		switch (c) {
		case 'e':
			if (o->n_elf == MODULES_MAX)
				msg_die(EXIT_USAGE, "more than %d ELF files",
				    (int)MODULES_MAX);
			o->elf[o->n_elf++] = optarg;
			break;
		case 'a':
			o->annotate = true;
			break;
		case NO_INLINE:
			o->no_inline = true;
			break;
		case 'l':
			o->lines = true;
			break;
		case 'd':
			o->demangle = true;
			break;
		case SHAPE:
			o->shape = shape_option("--shape", optarg);
			break;
		case SUMMARY:
			summary_open(optarg);
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
	if (o->n_elf == 0) {
		msg("no ELF file is given: -e FILE");
		opt_usage();
	}
}

static struct sym *
load(const struct options *o)
{
	struct sym *s = xcalloc(1, sizeof *s);
	unsigned flags = 0;

	if (!o->no_inline)
		flags |= ELFSYM_INLINE;
	if (o->lines)
		flags |= ELFSYM_LINES;
	s->annotate = o->annotate;
	s->lines = o->lines;
	s->demangle = o->demangle;
	s->bad.what = "line that is no folded stack";
	for (size_t i = 0; i < o->n_elf; i++) {
		if (sym_add_module(s, o->elf[i], flags) != 0) {
			sym_done(s);
			free(s);
			return NULL;
		}
		if (elfsym_count(s->module[i]) == 0)
			msg("warning: %s has no symbols",
			    elfsym_path(s->module[i]));
	}
	return s;
}

/* Says what of the files could not be read; returns whether there was any. */
static bool
say_damage(const struct sym *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_modules; i++) {
		const char *what = elfsym_damage(s->module[i]);

		if (what == NULL)
			continue;
		msg("%s: %s", elfsym_path(s->module[i]), what);
		any = true;
	}
	return any;
}

static int
run(const struct options *o, char **operands, int n)
{
	struct sym *s = load(o);
	struct in in;
	bool failed;

	if (s == NULL)
		return EXIT_FAILED;
	in_init(&in, operands, n);
	while (in_fill(&in, 1)) {
		enum shape shape = o->shape ? o->shape : shape_detect(&in);

		if (shape == SHAPE_FOLDED)
			sym_folded(s, &in);
		else
			sym_trace(s, &in);
	}
	failed = fault_sum(&s->bad, 1) > 0;
	failed |= in_failed(&in);
	failed |= say_damage(s);
	if (o->verbose)
		msg("%" PRIu64 " addresses named, %" PRIu64 " not, %" PRIu64
		    " inlined calls",
		    s->named, s->unnamed, s->inlined);
	summary_in(&in);
	summary_count("named", s->named);
	summary_count("unnamed", s->unnamed);
	summary_count("inlined", s->inlined);
	in_done(&in);
	sym_done(s);
	free(s);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {.shape = SHAPE_AUTO};
	int status;

	msg_init(argv[0]);
	read_options(&o, argc, argv);
	status = run(&o, argv + optind, argc - optind);
	if (out_close() != 0)
		status = EXIT_SYSTEM;
	return status;
}
