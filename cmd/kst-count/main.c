/* SPDX-License-Identifier: ISC */
/* kst-count: what a guest under QEMU's TCG executed, counted by a plugin. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/buf.h"
#include "base/msg.h"
#include "naming.h"
#include "opt/opt.h"
#include "run.h"

/* A whole number, also as 1e9. */
static int
take_number(void *field, const char *arg, struct buf *err)
{
	char *end;
	double n = strtod(arg, &end);

	if (*arg < '0' || *arg > '9' || *end || n < 1 || n > 1e18) {
		buf_adds(err, "is not a number of 1 to 1e18");
		return -1;
	}
	*(uint64_t *)field = (uint64_t)n;
	return 0;
}

static const struct opt rows[] = {
    {'e', "elf", "FILE",
	"names from this ELF file: the kernel, then programs [QEMU's -kernel]",
	OPT_LIST(elf)},
    {'o', "output", "FILE", "write to FILE, when it is complete",
	OPT_TEXT(output)},
    {0, "lines", NULL, "add the source line to each frame, as kst-sym does",
	OPT_FLAG(lines), .conflicts = "trace"},
    {0, "addresses", NULL,
	"keep each frame's address; without --elf, no file names any",
	OPT_FLAG(addresses)},
    {0, "no-demangle", NULL,
	"write names of C++ and Rust as the linker has them",
	OPT_FLAG(mangled)},
    {0, "what", "WHAT", "what to count", OPT_WORD(what, COUNT_UNITS)},
    {0, "also", "WHAT=FILE", "count another thing, too, and write it to FILE",
	OPT_CALL(also, naming_also), OPT_GIVEN(any_also)},
    {0, "base", "OLD.elf",
	"run the command with this kernel, too, in the place of its own or of "
	"$KST_KERNEL, and print what calls cost before and after; "
	"--output NAME.folded keeps NAME.before.folded and so on",
	OPT_TEXT(base),
	.conflicts = "what also every coverage trace addresses "
		     "selftest"},
    {0, "base-command", "COMMAND",
	"what starts the guest with that kernel, if an image has the kernel",
	OPT_TEXT(with), .requires = "base"},
    {.help = "What to count"},
    {0, "in", "FUNCTION", "only what is below this function", OPT_TEXT(in)},
    {0, "from", "PLACE",
	"begin at a function, an address, or line:TEXT of the log",
	OPT_TEXT(from)},
    {0, "until", "PLACE",
	"end at a function, an address, or line:TEXT of the log",
	OPT_TEXT(until)},
    {'n', "instructions", "N", "end after these instructions, such as 1e9",
	OPT_CALL(request.limit, take_number)},
    {'d', "duration", "SEC", "end after this time of the host",
	OPT_SECONDS(duration, 1)},
    {0, "every", "N", "a piece of time each N instructions",
	OPT_CALL(request.every, take_number)},
    {0, "coverage", "FILE",
	"also write to FILE which lines and branches were executed, for lcov",
	OPT_TEXT(coverage), .requires = "elf", .conflicts = "trace"},
    {0, "force", NULL, "replace a FILE that kst did not write", OPT_FLAG(force),
	.requires = "output also coverage"},
    {.help = "Call by call"},
    {0, "trace", NULL,
	"instead, write begins and ends of calls and exceptions as event text",
	OPT_FLAG(request.trace.on), .conflicts = "every what also"},
    {0, "last", "N", "with --trace: only the last N instructions",
	OPT_CALL(request.trace.last, take_number), .requires = "trace"},
    {0, "depth", "N", "with --trace: only N calls on each other",
	OPT_CALL(request.trace.depth, take_number), .requires = "trace"},
    {0, "only", "FUNCTION",
	"with --trace: only this function's calls; --in adds what they call",
	OPT_LIST(only), .requires = "trace"},
    {0, "min", "N", "with --trace: leave out calls of fewer instructions",
	OPT_CALL(request.trace.least, take_number), .requires = "trace"},
    {0, "by", "TRACK", "with --trace: tracks", OPT_WORD(by, "cpu stack"),
	.requires = "trace"},
    {.help = "QEMU"},
    {0, "serial", "FILE", "the guest's log, of QEMU [standard output]",
	OPT_TEXT(serial)},
    {0, "selftest", NULL,
	"see whether this QEMU counts right, with a small guest of kst's",
	OPT_FLAG(selftest),
	.conflicts =
	    "elf what also in from until instructions duration every coverage "
	    "trace serial no-icount output"},
    {0, "no-icount", NULL, "leave QEMU's clock to the host: not reproducible",
	OPT_UNSET(icount)},
    {0}};

static const struct opt_page page = {
    .synopsis = "[options] -- COMMAND [ARGUMENT ...]",
    .about =
	"Counts what a guest executes in QEMU's emulation (TCG), exactly, "
	"by stack, and writes folded text. COMMAND must start QEMU and pass "
	"on the options that are appended to it.",
    .rows = rows,
    .no_operands = true,
    .examples =
	"kst count -e kernel.elf -- qemu-system-x86_64 -kernel kernel.elf\n"
	"kst count -e kernel.elf --in sys_read -n 1e9 -- ./run.sh\n"};

int
main(int argc, char **argv)
{
	struct options o = {
	    .what = "instructions", .by = "cpu", .icount = true};
	int first, status;

	msg_init(argv[0]);
	o.command = opt_command(&argc, argv);
	first = opt_read(&page, &o, argc, argv);
	if (first < argc)
		opt_wrong("unexpected argument '%s': put -- before QEMU's "
			  "command, and -e before the kernel's file",
		    msg_str(argv[first]));
	if (o.command == NULL)
		opt_wrong("a command is missing after --");
	status =
	    o.base
		? base_run(&(struct base_ask){o.base, o.with, o.command, &o.elf,
		      o.output, o.in, o.from, o.until, o.serial,
		      o.request.limit, o.duration, o.icount, o.force, o.lines})
		: run(&o);
	opt_list_done(&o.elf);
	opt_list_done(&o.only);
	return status;
}
