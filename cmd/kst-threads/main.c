/* SPDX-License-Identifier: ISC */
/* kst-threads: what all CPUs and threads do or wait for, at one moment. */
#include "base/msg.h"
#include "io/out.h"
#include "opt/opt.h"
#include "threads.h"

static const struct opt rows[] = {
    {'e', "elf", "FILE",
	"look at the running guest with this kernel; programs may follow, as "
	"for kst-capture",
	OPT_LIST(elf)},
    {'r', "remote", "ADDR",
	"look at the guest at this address; by default it is found in the "
	"list of processes",
	OPT_TEXT(remote)},
    {0, "os", "FILE",
	"OS file, which tells where the kernel's threads are, as for "
	"kst-capture",
	OPT_TEXT(os)},
    {0, "sysroot", "DIR",
	"copy of the guest's file system: shows functions of programs, too "
	"(Linux guests)",
	OPT_TEXT(sysroot)},
    {'s', "state", "STATE",
	"show only CPUs and threads in this state; running is not idle",
	OPT_CHOICE(state, TRACE_STATES)},
    {0, "no-threads", NULL, "show only CPUs", OPT_FLAG(no_threads)},
    {'l', "lines", NULL,
	"show source lines: those that the text has and, with --elf, those "
	"that its files tell",
	OPT_FLAG(lines)},
    {0, "brief", NULL, "show a stack on one line, leaf first", OPT_FLAG(brief)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Shows the stacks of all CPUs and threads at one moment: of a "
	     "running guest, or of the last capture in trace text. Equal "
	     "stacks are shown once.",
    .rows = rows,
    .examples = "kst-threads -e vmlinuz\n"
		"kst-threads --state disk capture.txt\n"};

int
main(int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if ((o.remote || (o.elf.n && !o.lines)) && first < argc)
		opt_wrong("--elf and --remote look at a guest, and exclude "
			  "files to read%s",
		    o.remote ? "" : " without --lines");
	if (o.remote && o.lines && !o.elf.n)
		opt_wrong("--lines of a guest needs --elf, with the kernel");
	if ((o.sysroot || o.os) && !o.elf.n)
		opt_wrong("%s needs --elf, with the kernel",
		    o.sysroot ? "--sysroot" : "--os");
	status = run(&o, argv + first, argc - first);
	opt_list_done(&o.elf);
	return out_end(status);
}
