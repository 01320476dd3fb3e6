/* SPDX-License-Identifier: ISC */
/* kst-sym: names the addresses in stacks from ELF files. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "opt/each.h"
#include "io/in.h"
#include "io/fault.h"
#include "rights/rights.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "base/summary.h"
#include "trace/shape.h"
#include "sym.h"
#include "base/xalloc.h"

struct options {
	struct opt_list elf;
	bool compare, sources, annotate, no_inline, no_server, lines, demangle,
	    plain, addresses, verbose;
	struct each each;
	struct sym *loaded;
	enum shape shape;
};

static const struct opt rows[] = {
    {'e', "elf", "ELF[@BASE]",
	"take names from this file, loaded at BASE; may be repeated",
	OPT_LIST(elf)},
    {'a', "annotate", NULL, "mark inlined calls with _[i]", OPT_FLAG(annotate)},
    {0, "no-inline", NULL, "leave out inlined calls", OPT_FLAG(no_inline)},
    {0, "no-debuginfod", NULL, "do not ask the servers of $DEBUGINFOD_URLS",
	OPT_FLAG(no_server)},
    {'l', "lines", NULL, "add the source file and line", OPT_FLAG(lines)},
    {0, "addresses", NULL,
	"keep the address before its names in folded text, as gdb does",
	OPT_FLAG(addresses)},
    {'d', "demangle", NULL, "demangle C++ and Rust symbols",
	OPT_FLAG(demangle)},
    {0, "plain", NULL,
	"demangle them as kst-clean does, without parameters and generic "
	"arguments",
	OPT_FLAG(plain), .conflicts = "demangle"},
    {0, "compare", NULL,
	"instead, list the functions whose code differs in two -e files",
	OPT_FLAG(compare)},
    {0, "sources", NULL,
	"instead, read names and list which source file has each function",
	OPT_FLAG(sources), .conflicts = "compare"},
    {0, "shape", "SHAPE", "shape of the input", OPT_CHOICE(shape, SHAPES)},
    {'v', "verbose", NULL, "say at the end what was named", OPT_FLAG(verbose)},
    EACH_ROWS(each), {0}};

static const struct opt_page page = {
    .synopsis = "-e ELF[@BASE] [options] [FILE ...]",
    .about = "Names the raw addresses in trace text and folded text.",
    .rows = rows,
    .examples =
	"kst-sym -e kernel.elf raw.txt | kst-clean | kst-fold > k.folded\n"
	"kst-sym -e kernel.elf -e shell@400000 --lines raw.txt\n"};

static struct sym *
load(const struct options *o)
{
	struct sym *s = xcalloc(1, sizeof *s);
	const unsigned flags = (o->no_inline ? 0 : ELFSYM_INLINE) |
			       (o->no_server ? 0 : ELFSYM_SERVER) |
			       (o->lines || o->compare ? ELFSYM_LINES : 0);

	s->annotate = o->annotate;
	s->lines = o->lines;
	s->demangle = o->demangle || o->plain;
	s->plain = o->plain;
	s->addresses = o->addresses;
	s->bad.what = "line that is not a folded stack";
	if (sym_add_modules(s, &o->elf, flags) == 0)
		return s;
	sym_done(s);
	free(s);
	return NULL;
}

static int
run(void *options, char **operands, int n)
{
	const struct options *o = options;
	struct sym *s = o->loaded;
	struct in in;
	bool failed;

	s->named = s->unnamed = s->inlined = s->bad.n = 0;
	s->frames = s->placed = s->cut = 0;
	s->build_id[0] = 0;
	s->is_part = o->shape != SHAPE_AUTO;
	in_init(&in, operands, n);
	in.most = each_most();
	failed = !shape_read(&in, o->shape, sym_trace, sym_folded, s);
	failed |= fault_sum(&s->bad, 1) > 0;
	failed |= in_failed(&in) || s->cut > 0;
	failed |= sym_say_damage(s) || sym_lacks_lines(s);
	if (o->verbose)
		msg("%" PRIu64 " addresses named, %" PRIu64 " not, %" PRIu64
		    " inlined calls",
		    s->named, s->unnamed, s->inlined);
	in_summarize(&in);
	summary_count("named", s->named);
	summary_count("unnamed", s->unnamed);
	summary_count("inlined", s->inlined);
	in_done(&in);
	return failed ? EXIT_FAILED : EXIT_OK;
}

/* libdw opens further files when it needs them. */
static const struct rights all = {
    .reads = rights_all, .n_reads = 1, .also = RIGHTS_NAMES | RIGHTS_MEMORY};

int
main(int argc, char **argv)
{
	struct options o = {.shape = SHAPE_AUTO};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (o.elf.n == 0)
		opt_wrong("no ELF file given: -e FILE");
	if (o.elf.n > MODULES_MAX)
		opt_wrong("more than %d ELF files", (int)MODULES_MAX);
	if (o.compare && (o.elf.n != 2 || first < argc))
		opt_wrong("--compare takes -e OLD -e NEW, and no input");
	if (o.sources)
		return sym_sources(&o.elf, &all, argv + first, argc - first);
	o.loaded = load(&o);
	if (o.loaded == NULL) {
		status = msg_status(EXIT_FAILED);
		summary_die(EXIT_USAGE); /* nothing was read */
	} else {
		status = o.compare ? sym_compare(o.loaded, &all)
				   : each_run(&o.each, &all, argv + first,
					 argc - first, run, &o);
		sym_done(o.loaded);
		free(o.loaded);
	}
	opt_list_done(&o.elf);
	return status;
}
