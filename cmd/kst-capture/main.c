/* SPDX-License-Identifier: ISC */
/* kst-capture: samples the stacks of every CPU of a guest. */

#include "opt/each.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "base/summary.h"
#include "io/whole.h"
#include "capture.h"
#include "wire/clock.h"

static const struct opt rows[] = {
    {'r', "remote", "ADDR",
	"the guest's gdb stub: host:port, :port or the path of a socket; "
	"qmp:PATH is a QMP monitor",
	OPT_TEXT(remote)},
    {'e', "elf", "FILE",
	"file with symbols: first the kernel (ELF, or vmlinuz), then programs "
	"and libraries; may be repeated; FILE@ADDR and FILE@+OFFSET give a "
	"load address",
	OPT_LIST(elf)},
    {'b', "backend", "NAME", "how to sample", OPT_CHOICE(backend, BACKENDS)},
    {'n', "samples", "N", "stop after N samples; no limit with --duration",
	OPT_NUMBER(run.samples, 1, UINT64_MAX), OPT_GIVEN(limited)},
    {'F', "frequency", "HZ", "samples per second [99; 10 with gdb]",
	OPT_CALL(run.pace.step, frequency_option), OPT_GIVEN(paced)},
    {'i', "interval", "SEC",
	"seconds between samples, instead of -F; 0: no pause",
	OPT_SECONDS(run.pace.step, 0), OPT_GIVEN(paced)},
    {0, "max-stop", "SHARE",
	"stop the guest for at most this share of its time, with fewer samples "
	"if need be [3%; with -F or -i 100%]",
	OPT_CALL(run.max_stop, max_stop_option), OPT_GIVEN(bounded)},
    {0, "no-jitter", NULL,
	"sample at equal distances, not at a random time in each interval",
	OPT_UNSET(run.pace.jitter)},
    {0, "seed", "N", "seed of the random sampling times",
	OPT_NUMBER(run.pace.seed, 0, UINT64_MAX), OPT_GIVEN(seeded)},
    {'d', "duration", "SEC", "stop after this time",
	OPT_SECONDS(run.duration, 1)},
    {0, "one-shot", NULL, "take one sample", OPT_FLAG(one_shot)},
    {'o', "output", "FILE", "write to FILE", OPT_TEXT(output)},
    {0, "force", NULL, "replace a FILE that kst-capture did not write",
	OPT_FLAG(force)},
    {0, "timeout", "SEC", "wait at most this long for the guest or gdb",
	OPT_SECONDS(target.timeout, 1)},
    {0, "paused", NULL, "sample a guest that is paused, and do not resume it",
	OPT_FLAG(target.paused), .conflicts = "start"},
    {0, "start", NULL,
	"start a guest that QEMU holds with -S, and sample it from its first "
	"instruction",
	OPT_FLAG(target.start)},
    {0, "no-check", NULL,
	"do not check that the ELF file is the running kernel, and go on "
	"after a reboot",
	OPT_UNSET(target.check)},
    {0, "gdb", "PATH", "use backend gdb, and run this gdb",
	OPT_TEXT(target.gdb), OPT_GIVEN(has_gdb)},
    {0, "raw", NULL, "write addresses without names (not with gdb)",
	OPT_FLAG(target.raw)},
    {0, "no-debuginfod", NULL, "do not ask the servers of $DEBUGINFOD_URLS",
	OPT_FLAG(target.no_server)},
    {0, "stack-bytes", "N", "read N bytes of each stack (not with gdb)",
	OPT_NUMBER(target.stack_bytes, 64, 1 << 24)},
    {0, "shared-dir", "DIR", "folder to which QEMU can write memory (with qmp)",
	OPT_TEXT(target.shared_dir)},
    {0, "os", "FILE",
	"file that tells where the kernel's stacks end and how to find "
	"processes, or 'none' (not with gdb)",
	OPT_TEXT(os), .data = "os"},
    {0, "user-dir", "DIR", "find the programs of processes in this folder",
	OPT_TEXT(target.user_dir)},
    {0, "sysroot", "DIR",
	"copy of the guest's file system, to find programs and libraries in "
	"(Linux guests)",
	OPT_TEXT(target.sysroot)},
    {0, "threads", "WHICH",
	"also write the threads that are not on a CPU (Linux, xv6, LK): waiting has one "
	"frame for those that have not run since the capture began, all has "
	"their stacks, too; try and try-waiting are all and waiting where "
	"the kernel has threads that kst can find, else CPUs only",
	OPT_CHOICE(target.threads, THREADS)},
    {0, "kernel-base", "A",
	"addresses below A are user mode, if the CPU does not tell; default: "
	"the lower half",
	OPT_ADDRESS(target.kernel_base), OPT_GIVEN(has_base)},
    {0, "kernel-only", NULL, "write only stacks of CPUs in the kernel",
	OPT_FLAG(target.no_user), .conflicts = "user-only"},
    {0, "user-only", NULL, "write only stacks of CPUs in user mode",
	OPT_FLAG(target.no_kernel), .conflicts = "threads"},
    {0, "show-addresses", NULL,
	"also write the addresses of frames around inlined calls",
	OPT_FLAG(target.all_addresses)},
    {0, "show-skid", NULL,
	"show samples at an interrupt's first instruction there, instead of "
	"at what it interrupted (not with gdb)",
	OPT_FLAG(target.skid)},
    {0, "summary-fd", "N", NULL, OPT_DO(summary_option),
	OPT_GIVEN(target.told)},
    {'q', "quiet", NULL, "print no progress and no summary",
	OPT_FLAG(run.quiet)},
    {'v', "verbose", NULL, "say more", OPT_FLAG(target.verbose)}, {0}};

static const struct opt_page page = {.synopsis = "[options]",
    .about =
	"Samples the stacks of every CPU of a guest in QEMU: trace text on "
	"stdout.",
    .rows = rows,
    .examples = "qemu-system-x86_64 -s ... &\n"
		"kst-capture -e kernel.elf -d 10 > capture.txt\n"
		"kst-capture -e kernel.elf | kst-clean | kst-fold | kst-svg > "
		"fg.svg\n"};

int
main(int argc, char **argv)
{
	struct options o = {
	    .target = {.gdb = "gdb", .timeout = 10 * NS_PER_S, .check = true},
	    .run = {.samples = 200, .pace.jitter = true, .max_stop = MAX_STOP},
	    .remote = ":1234",
	};
	int first, status = EXIT_FAILED;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (first < argc)
		opt_wrong("unexpected argument '%s'", msg_str(argv[first]));
	prepare_options(&o);
	if (prepare_files(&o) == 0)
		status = out_open(&(struct out_file){.path = o.output,
		    .mark = MARK_CAPTURE,
		    .force = o.force,
		    .leave = true,
		    .sync = true});
	if (status == EXIT_OK) {
		signals_init();
		status = run(&o.run, &o.target);
	}
	prepare_done(&o);
	status = out_end(status);
	summary_end(status);
	return status;
}
