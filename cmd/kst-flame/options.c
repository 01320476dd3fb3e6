/* SPDX-License-Identifier: ISC */
/* The table of options: those of the steps are handed on by their names. */
#include "flame.h"

#include <string.h>

static const struct opt rows[] = {
    {'e', "elf", "FILE",
	"the kernel, with symbols; then programs, as for kst-capture; without "
	"this, QEMU's -kernel, if that is an ELF file",
	OPT_LIST(elf)},
    {'o', "output", "FILE",
	"what to make: .svg a picture, .folded counted stacks, .txt the "
	"capture, .json OSDK's profile",
	OPT_TEXT(output)},
    {0, "keep", "FILE", "keep the capture, too", OPT_TEXT(keep)},
    {0, "open", NULL, "show the output when it is there", OPT_FLAG(open)},
    {.help = "A guest that is started after --"},
    {0, "qemu-args", "HOW",
	"how QEMU gets kst's options: end (of the command), env (only "
	"$KST_QEMU_ARGS), or a word with {} in their place",
	OPT_TEXT(qemu_args)},
    {0, "from", "REGEX", "begin at this line of the serial log",
	OPT_TEXT(from)},
    {0, "until", "REGEX", "end at this line", OPT_TEXT(until)},
    {0, "serial", "FILE",
	"the log; without this, the command's standard output",
	OPT_TEXT(serial), .requires = "from until"},
    {.help = "Sampling, as for kst-capture"},
    {'r', "remote", "ADDR", "the guest; without this, the one that runs here",
	OPT_TEXT(remote)},
    {'d', "duration", "SEC", "end after this time", OPT_LIST(capture),
	OPT_GIVEN(limited)},
    {'n', "samples", "N", "how many", OPT_LIST(capture), OPT_GIVEN(limited)},
    {'F', "frequency", "HZ", "samples a second", OPT_LIST(capture)},
    {'b', "backend", "NAME", "rsp, gdb or qmp", OPT_LIST(capture)},
    {0, "os", "FILE", "how the kernel describes processes", OPT_LIST(capture)},
    {0, "user-dir", "DIR", "the programs of processes", OPT_LIST(capture)},
    {0, "kernel-only", NULL, "only CPUs in the kernel", OPT_LIST(capture)},
    {0, "user-only", NULL, "only CPUs in user mode", OPT_LIST(capture)},
    {0, "timeout", "SEC", "limit of waits", OPT_LIST(capture)},
    {0, "no-check", NULL, "accept an ELF file that does not fit",
	OPT_LIST(capture)},
    {.help = "Names, as for kst-clean"},
    {0, "rules", "FILE|NAME", "apply a rule file", OPT_LIST(clean)},
    {0, "demangle", NULL, "demangle C++ and Rust", OPT_LIST(clean)},
    {0, "trim-unknown", NULL, "take ?? off the root side", OPT_LIST(clean)},
    {0, "skip-to", "REGEX", "cut the leaf side", OPT_LIST(clean)},
    {0, "cut-below", "REGEX", "cut the root side", OPT_LIST(clean)},
    {0, "skip", "REGEX", "take frames out", OPT_LIST(clean)},
    {0, "drop", "REGEX", "leave out stacks", OPT_LIST(clean)},
    {0, "collapse", "REGEX", "keep one of equal frames in a row",
	OPT_LIST(clean)},
    {0, "rename", "REGEX=TEXT", "replace in names", OPT_LIST(clean)},
    {.help = "Counting, as for kst-fold"},
    {0, "by", "WHAT", "root frames: cpu, thread, state, process",
	OPT_LIST(fold)},
    {0, "cpus", "SET", "only these CPUs", OPT_LIST(fold)},
    {0, "state", "STATE", "all, running or halted", OPT_LIST(fold)},
    {.help = "The picture, as for kst-svg"},
    {0, "title", "TEXT", "the title", OPT_LIST(svg)},
    {0, "subtitle", "TEXT", "a line below it", OPT_LIST(svg)},
    {0, "colors", "NAME", "the palette", OPT_LIST(svg)},
    {0, "inverted", NULL, "root at the top", OPT_LIST(svg)},
    {0, "reverse", NULL, "callers upward", OPT_LIST(svg)}, {0}};

const struct opt_page flame_page = {
    .synopsis = "[options] [-- COMMAND [ARGUMENT ...]]",
    .about =
	"From a guest in QEMU to its flame graph: a running guest, or one that "
	"COMMAND starts, from its first instruction on.",
    .rows = rows,
    .examples =
	"kst flame -e kernel.elf -d 10\n"
	"kst flame -- qemu-system-x86_64 -kernel kernel.elf -m 512\n"
	"kst flame -e kernel.elf -o boot.svg --until login: -- ./run.sh\n"
	"kst flame -e kernel.elf -- make run\n"};

void
options_words(struct words *w, const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct opt_use *u = &list->use[i];
		const struct opt *r = rows;

		while (r->name == NULL || strcmp(r->name, u->name) != 0)
			r++;
		if (r->arg)
			words_addf(w, "--%s=%s", u->name, u->arg);
		else
			words_addf(w, "--%s", u->name);
	}
}
