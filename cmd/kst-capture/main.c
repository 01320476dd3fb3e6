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
	"the kernel, with symbols or as it boots; then programs, which are recognised; "
	"FILE@ADDR: another file at an address, FILE@+OFFSET: moved up",
	OPT_LIST(elf)},
    {'b', "backend", "NAME", "how to sample",
	OPT_CHOICE(backend, BACKEND_RSP, "rsp gdb qmp")},
    {'n', "samples", "N", "how many; no limit with --duration",
	OPT_NUMBER(run.samples, 1, UINT64_MAX), OPT_GIVEN(limited)},
    {'F', "frequency", "HZ", "samples a second [99; 10 with gdb]",
	OPT_CALL(run.pace.step, frequency_option), OPT_GIVEN(paced)},
    {'i', "interval", "SEC", "the same as a time; 0: one after the other",
	OPT_SECONDS(run.pace.step, 0), OPT_GIVEN(paced)},
    {0, "no-jitter", NULL, "on a grid, not at random places of the intervals",
	OPT_UNSET(run.pace.jitter)},
    {0, "seed", "N", "seed of these places",
	OPT_NUMBER(run.pace.seed, 0, UINT64_MAX), OPT_GIVEN(seeded)},
    {'d', "duration", "SEC", "stop after this time",
	OPT_SECONDS(run.duration, 1)},
    {0, "one-shot", NULL, "one sample", OPT_FLAG(one_shot)},
    {'o', "output", "FILE", "write to FILE", OPT_TEXT(output)},
    {0, "force", NULL, "replace a FILE that kst-capture did not write",
	OPT_FLAG(force)},
    {0, "timeout", "SEC", "limit of every wait for the guest or gdb",
	OPT_SECONDS(target.timeout, 1)},
    {0, "paused", NULL, "the guest is paused: leave it so",
	OPT_FLAG(target.paused), .conflicts = "start"},
    {0, "start", NULL, "the guest is at its beginning, under -S: start it",
	OPT_FLAG(target.start)},
    {0, "no-check", NULL,
	"accept an ELF file that is not the running kernel, go on when the "
	"guest reboots",
	OPT_UNSET(target.check)},
    {0, "gdb", "PATH", "backend gdb, with the gdb to run", OPT_TEXT(target.gdb),
	OPT_GIVEN(has_gdb)},
    {0, "raw", NULL, "addresses without names; rsp and qmp",
	OPT_FLAG(target.raw)},
    {0, "no-debuginfod", NULL, "do not ask the servers of $DEBUGINFOD_URLS",
	OPT_FLAG(target.no_server)},
    {0, "stack-bytes", "N", "bytes to read of each stack; rsp and qmp",
	OPT_NUMBER(target.stack_bytes, 64, 1 << 24)},
    {0, "shared-dir", "DIR", "folder to which QEMU can write memory; qmp",
	OPT_TEXT(target.shared_dir)},
    {0, "os", "FILE",
	"an OS file: where stacks end, processes; none; rsp and qmp",
	OPT_TEXT(os)},
    {0, "user-dir", "DIR", "folder of the programs of processes",
	OPT_TEXT(target.user_dir)},
    {0, "sysroot", "DIR", "the guest's file system: programs, libraries; Linux",
	OPT_TEXT(target.sysroot)},
    {0, "kernel-base", "A",
	"lower addresses are user mode; without this, the lower half",
	OPT_ADDRESS(target.kernel_base), OPT_GIVEN(has_base)},
    {0, "kernel-only", NULL, "only stacks of CPUs in the kernel",
	OPT_FLAG(target.no_user), .conflicts = "user-only"},
    {0, "user-only", NULL, "only stacks of CPUs in user mode",
	OPT_FLAG(target.no_kernel)},
    {0, "show-addresses", NULL, "addresses of frames around inlined calls, too",
	OPT_FLAG(target.all_addresses)},
    {0, "show-skid", NULL,
	"vectors of interrupts that a CPU has executed nothing of; rsp and qmp",
	OPT_FLAG(target.skid)},
    {0, "summary-fd", "N", NULL, OPT_DO(summary_option),
	OPT_GIVEN(target.told)},
    {'q', "quiet", NULL, "no progress and no summary", OPT_FLAG(run.quiet)},
    {'v', "verbose", NULL, "say more", OPT_FLAG(target.verbose)}, {0}};

static const struct opt_page page = {.synopsis = "[options]",
    .about =
	"Samples the stacks of every CPU of a guest in QEMU: trace text on "
	"stdout.",
    .rows = rows,
    .examples =
	"qemu-system-x86_64 -s ... &\n"
	"kst-capture -e kernel.elf -d 10 > capture.txt\n"
	"kst-capture -e kernel.elf | kst-clean | kst-fold | kst-svg > fg.svg\n"};

int
main(int argc, char **argv)
{
	struct options o = {
	    .target = {.gdb = "gdb", .timeout = 10 * NS_PER_S, .check = true},
	    .run = {.samples = 200, .pace.jitter = true},
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
	status = out_end(status);
	summary_end(status);
	prepare_done(&o);
	return status;
}
