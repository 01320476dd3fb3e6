/* SPDX-License-Identifier: ISC */
/*
 * The options: our own, and those of the steps, which these tell themselves. A
 * name that is ours or an earlier step's hides a later one.
 */
#include "flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "io/job.h"

static const struct opt own[] = {
    {'e', "elf", "FILE",
	"ELF file with symbols: first the kernel, then programs; the default "
	"is the file of QEMU's -kernel",
	OPT_LIST(elf)},
    {'o', "output", "FILE",
	"output file; its suffix selects the format: .svg (picture), .folded "
	"(counted stacks), .txt (capture), .json (OSDK's profile); - writes a "
	"running guest's capture to standard output",
	OPT_TEXT(output)},
    {0, "keep", "FILE", "also keep the capture in FILE", OPT_TEXT(keep)},
    {0, "force", NULL, "replace files that kst did not write", OPT_FLAG(force)},
    {0, "partial", NULL, "replace the output even after a failure",
	OPT_FLAG(partial)},
    {0, "open", NULL,
	"open the output in a browser or viewer when it is complete",
	OPT_FLAG(open)},
    {0, "waiting", NULL,
	"also draw what threads wait for that are not on a CPU, beside what "
	"runs (Linux, xv6, LK)",
	OPT_FLAG(waiting), .conflicts = "exact"},
    {0, "lines", NULL,
	"draw source lines, too: where the innermost function of each stack "
	"was",
	OPT_FLAG(lines)},
    {'r', "remote", "ADDR",
	"where the running guest listens, as for kst-capture; by default it "
	"is found in the list of processes",
	OPT_TEXT(remote)},
    {.help = "A guest that is started after --"},
    {0, "base", "OLD.elf",
	"run the command with this kernel, too, in the place of its own or of "
	"$KST_KERNEL, and compare: a table, and a picture of the difference",
	OPT_TEXT(base), .conflicts = "remote keep"},
    {0, "base-command", "COMMAND",
	"what starts the guest with that kernel, if an image has the kernel",
	OPT_TEXT(with), .requires = "base"},
    {0, "in-base", NULL, NULL, OPT_FLAG(in_base)},
    {0, "as", "COMMAND", NULL, OPT_TEXT(as)},
    {0, "exact", NULL,
	"count each instruction instead of sampling; --from and --until are "
	"places as for kst-count",
	OPT_FLAG(exact), .conflicts = "remote qemu-args"},
    {0, "qemu-args", "HOW",
	"how to pass kst's options to QEMU: end appends them to the command, "
	"env only sets $KST_QEMU_ARGS; a word with {} is appended with {} "
	"replaced by them",
	OPT_TEXT(qemu_args)},
    {0, "from", "REGEX",
	"begin at the first line of the serial log that matches",
	OPT_TEXT(from)},
    {0, "until", "REGEX",
	"stop sampling at the first line of the log that matches",
	OPT_TEXT(until)},
    {0, "serial", "FILE",
	"read the serial log from this file, to which QEMU writes it; "
	"default: the command's standard output",
	OPT_TEXT(serial), .requires = "from until"}};

static const struct {
	const char *name, *heading;
} steps[STEPS] = {{"kst-capture", "Sampling, as for kst-capture"},
    {"kst-clean", "Names, as for kst-clean"},
    {"kst-fold", "Counting, as for kst-fold"},
    {"kst-svg", "The picture, as for kst-svg"},
    {"kst-count", "Exact counts, as for kst-count"}};

static const struct opt *
find(const struct options *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->row[i].name && strcmp(o->row[i].name, name) == 0)
			return &o->row[i];
	return NULL;
}

/* A line of --help=rows; short names are our own and kst-capture's. */
static void
add_row(struct options *o, enum step step, char *line)
{
	const char *letter = strsep(&line, "\t"), *name = strsep(&line, "\t");
	const char *arg = strsep(&line, "\t"), *words = strsep(&line, "\t");

	if (line == NULL || find(o, name) != NULL)
		return;
	*xpush(o->row, o->n, o->cap) = (struct opt){
	    .letter = step == STEP_CAPTURE && *letter != '-' ? *letter : 0,
	    .name = name,
	    .arg = *arg ? arg : NULL,
	    .words = *words ? words : NULL,
	    .help = *line ? line : NULL,
	    .kind = OPT_KIND_LIST,
	    .at = offsetof(struct options, handed) +
		  step * sizeof(struct opt_list)};
}

static void
add_rows(struct options *o, enum step step)
{
	char *const argv[] = {
	    (char *)(uintptr_t)steps[step].name, (char *)"--help=rows", NULL};
	char *rest, *line;

	if ((rest = o->text[step] = job_output(argv)) == NULL)
		exit(EXIT_SYSTEM);
	*xpush(o->row, o->n, o->cap) =
	    (struct opt){.help = steps[step].heading};
	while ((line = strsep(&rest, "\n")) != NULL)
		add_row(o, step, line);
}

/* Whether a word is an option of our own, in full, or none. */
static bool
is_own(const struct options *o, const char *w)
{
	bool is_long = strncmp(w, "--", 2) == 0;
	size_t n = is_long ? strcspn(w + 2, "=") : 0;

	if (*w != '-' || strcmp(w, "--version") == 0 || strcmp(w, "-V") == 0)
		return true;
	for (size_t i = 0; i < o->n; i++) {
		const struct opt *r = &o->row[i];

		if (r->name == NULL)
			continue;
		if (is_long ? strlen(r->name) == n &&
				  strncmp(r->name, w + 2, n) == 0
			    : r->letter && w[1] == r->letter)
			return true;
	}
	return false;
}

int
options_read(struct options *o, int argc, char **argv)
{
	struct opt_page page = {
	    .synopsis = "[options] [-- COMMAND [ARGUMENT ...]]",
	    .no_operands = true,
	    .about =
		"Samples a guest in QEMU and draws its flame graph: a running "
		"guest, or one that COMMAND starts, from its first "
		"instruction on.",
	    .examples =
		"kst flame -e kernel.elf -d 10\n"
		"kst flame -- qemu-system-x86_64 -kernel kernel.elf -m 512\n"
		"kst flame -e kernel.elf -o boot.svg --until login: -- "
		"./run.sh\n"
		"kst flame -e kernel.elf -- make run\n"};
	int i = 1;

	for (size_t k = 0; k < sizeof own / sizeof *own; k++)
		*xpush(o->row, o->n, o->cap) = own[k];
	/* Five commands are asked for their options only if some may be theirs.
	 */
	while (i < argc && is_own(o, argv[i]))
		i++;
	for (enum step s = 0; s < STEPS && i < argc; s++)
		add_rows(o, s);
	*xpush(o->row, o->n, o->cap) = (struct opt){0};
	page.rows = o->row;
	i = opt_read(&page, o, argc, argv);
	for (size_t k = 0; k < o->handed[STEP_COUNT].n; k++)
		o->traced |=
		    opt_word("last trace", o->handed[STEP_COUNT].use[k].name,
			strlen(o->handed[STEP_COUNT].use[k].name)) >= 0;
	if (o->traced && (o->exact || o->base || o->qemu_args || o->lines))
		opt_conflict("last trace", o->exact   ? "exact"
					   : o->base  ? "base"
					   : o->lines ? "lines"
						      : "qemu-args");
	o->exact |= o->traced;
	return i;
}

void
options_done(struct options *o)
{
	opt_list_done(&o->elf);
	for (enum step s = 0; s < STEPS; s++) {
		opt_list_done(&o->handed[s]);
		free(o->text[s]);
	}
	free(o->row);
}

void
options_words(struct words *w, const struct options *o, enum step step)
{
	const struct opt_list *l = &o->handed[step];

	words_add(w, steps[step].name);
	for (size_t i = 0; i < l->n; i++)
		if (find(o, l->use[i].name)->arg)
			words_addf(w, "--%s=%s", l->use[i].name, l->use[i].arg);
		else
			words_addf(w, "--%s", l->use[i].name);
}

const struct opt_use *
options_use(const struct options *o, enum step step, const char *names)
{
	const struct opt_list *l = &o->handed[step];

	for (size_t i = l->n; i-- > 0;)
		if (opt_word(names, l->use[i].name, strlen(l->use[i].name)) >=
		    0)
			return &l->use[i];
	return NULL;
}
