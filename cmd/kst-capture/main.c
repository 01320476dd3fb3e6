/* SPDX-License-Identifier: ISC */
/* kst-capture: samples the stacks of every CPU of a guest. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "guest/backend.h"
#include "wire/clock.h"
#include "elf/elfsym.h"
#include "base/msg.h"
#include "base/opt.h"
#include "guest/osfile.h"
#include "base/out.h"
#include "run.h"
#include "base/share.h"
#include "text/trace.h"

static const char help[] =
    "usage: kst-capture [options]\n"
    "Samples the stacks of every CPU of a guest in QEMU: trace text on stdout.\n"
    "\n"
    "  -r, --remote ADDR     the guest's gdb stub: host:port, :port or the path\n"
    "                        of a socket (:1234); qmp:PATH is a QMP monitor\n"
    "  -e, --elf FILE        the kernel, with symbols\n"
    "  -b, --backend NAME    how to sample: rsp, gdb or qmp (rsp)\n"
    "  -n, --samples N       how many (200; without limit with --duration)\n"
    "  -F, --frequency HZ    samples a second (99; 10 with gdb)\n"
    "  -i, --interval SEC    the same as a time; 0 is one after the other\n"
    "      --no-jitter       on a grid, not at random places of the intervals\n"
    "      --seed N          of these places\n"
    "  -d, --duration SEC    stop after this time\n"
    "      --one-shot        one sample\n"
    "  -o, --output FILE     write to FILE\n"
    "      --timeout SEC     limit of every wait for the guest or gdb (10)\n"
    "      --paused          the guest is paused: leave it so\n"
    "      --no-check        take an ELF file that is not the running kernel,\n"
    "                        go on when the guest reboots\n"
    "      --gdb PATH        backend gdb, with the gdb to run (gdb)\n"
    "      --raw             addresses without names; rsp and qmp\n"
    "      --stack-bytes N   memory read of each stack; rsp and qmp\n"
    "      --shared-dir DIR  where QEMU can write memory; qmp\n"
    "      --os FILE         how the kernel describes processes; rsp and qmp\n"
    "      --user-dir DIR    the programs of processes\n"
    "      --kernel-base A   lower addresses are user mode\n"
    "                        (0xffffffff80000000)\n"
    "      --kernel-only     only stacks of CPUs in the kernel\n"
    "      --user-only       only stacks of CPUs in user mode\n"
    "      --show-addresses  in frames around inlined calls, too\n"
    "  -q, --quiet           no progress and no summary\n"
    "  -v, --verbose         say more\n"
    "  -h, --help            print this\n"
    "  -V, --version         print the version\n"
    "\n"
    "Examples:\n"
    "  qemu-system-x86_64 -s ... &\n"
    "  kst-capture -e kernel.elf -d 10 > capture.txt\n"
    "  kst-capture -e kernel.elf | kst-clean | kst-fold | kst-svg > fg.svg\n";

struct options {
	struct target target;
	struct run_options run;
	const char *remote, *elf, *backend, *output, *os;
	struct osfile osfile;
	bool limited;  /* -n was given */
	bool paced;    /* -F or -i was given */
	bool seeded;   /* --seed was given */
	bool has_base; /* --kernel-base was given */
};

enum {
	ONE_SHOT = 256,
	NO_JITTER,
	SEED,
	TIMEOUT,
	PAUSED,
	NO_CHECK,
	GDB,
	RAW,
	STACK_BYTES,
	SHARED_DIR,
	OS_FILE,
	USER_DIR,
	KERNEL_BASE,
	KERNEL_ONLY,
	USER_ONLY,
	SHOW_ADDRESSES
};

static const struct option longs[] = {
    {"remote", required_argument, NULL, 'r'},
    {"elf", required_argument, NULL, 'e'},
    {"backend", required_argument, NULL, 'b'},
    {"samples", required_argument, NULL, 'n'},
    {"frequency", required_argument, NULL, 'F'},
    {"interval", required_argument, NULL, 'i'},
    {"no-jitter", no_argument, NULL, NO_JITTER},
    {"seed", required_argument, NULL, SEED},
    {"duration", required_argument, NULL, 'd'},
    {"one-shot", no_argument, NULL, ONE_SHOT},
    {"output", required_argument, NULL, 'o'},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"paused", no_argument, NULL, PAUSED},
    {"no-check", no_argument, NULL, NO_CHECK},
    {"gdb", required_argument, NULL, GDB},
    {"raw", no_argument, NULL, RAW},
    {"stack-bytes", required_argument, NULL, STACK_BYTES},
    {"shared-dir", required_argument, NULL, SHARED_DIR},
    {"os", required_argument, NULL, OS_FILE},
    {"user-dir", required_argument, NULL, USER_DIR},
    {"kernel-base", required_argument, NULL, KERNEL_BASE},
    {"kernel-only", no_argument, NULL, KERNEL_ONLY},
    {"user-only", no_argument, NULL, USER_ONLY},
    {"show-addresses", no_argument, NULL, SHOW_ADDRESSES},
    {"quiet", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void
take_option(struct options *o, int c)
{
	switch (c) {
	case 'r':
		o->remote = optarg;
		break;
	case 'e':
		o->elf = optarg;
		break;
	case 'b':
		o->backend = optarg;
		break;
	case 'n':
		o->run.samples = opt_u64("--samples", optarg, 1, UINT64_MAX);
		o->limited = true;
		break;
	case 'F':
		o->run.interval =
		    NS_PER_S / opt_u64("--frequency", optarg, 1, 1000000);
		o->paced = true;
		break;
	case 'i':
		o->run.interval = opt_seconds("--interval", optarg);
		o->paced = true;
		break;
	case NO_JITTER:
		o->run.jitter = false;
		break;
	case SEED:
		o->run.seed = opt_u64("--seed", optarg, 0, UINT64_MAX);
		o->seeded = true;
		break;
	case 'd':
		o->run.duration = opt_seconds("--duration", optarg);
		if (o->run.duration == 0)
			msg_die(EXIT_USAGE, "--duration: 0 is no time");
		break;
	case ONE_SHOT:
		o->run.samples = 1;
		o->limited = true;
		break;
	case 'o':
		o->output = optarg;
		break;
	case TIMEOUT:
		o->target.timeout = opt_seconds("--timeout", optarg);
		if (o->target.timeout == 0)
			msg_die(EXIT_USAGE, "--timeout: 0 is no time");
		break;
	case PAUSED:
		o->target.paused = true;
		break;
	case NO_CHECK:
		o->target.check = false;
		break;
	case GDB:
		o->target.gdb = optarg;
		o->backend = "gdb";
		break;
	case RAW:
		o->target.raw = true;
		break;
	case STACK_BYTES:
		o->target.stack_bytes =
		    (size_t)opt_u64("--stack-bytes", optarg, 64, 1 << 24);
		break;
	case SHARED_DIR:
		o->target.shared_dir = optarg;
		break;
	case OS_FILE:
		o->os = optarg;
		break;
	case USER_DIR:
		o->target.user_dir = optarg;
		break;
	case KERNEL_BASE:
		o->target.kernel_base = opt_addr("--kernel-base", optarg);
		o->has_base = true;
		break;
	case KERNEL_ONLY:
		o->target.no_user = true;
		break;
	case USER_ONLY:
		o->target.no_kernel = true;
		break;
	case SHOW_ADDRESSES:
		o->target.all_addresses = true;
		break;
	case 'q':
		o->run.quiet = true;
		break;
	case 'v':
		o->target.verbose = true;
		break;
	case 'h':
		opt_help(help);
	case 'V':
		opt_version();
	default:
		opt_usage();
	}
}

static void
read_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(
		    argc, argv, "r:e:b:n:F:i:d:o:qvhV", longs, NULL)) != -1)
		take_option(o, c);
	if (optind < argc)
		msg_die(EXIT_USAGE, "'%s' is no option", msg_str(argv[optind]));
	if (!o->limited && o->run.duration)
		o->run.samples = 0;
	if (strncmp(o->remote, "qmp:", 4) == 0) {
		o->remote += 4;
		o->backend = "qmp";
	}
	o->run.backend = backend_find(o->backend);
	if (o->target.no_kernel && o->target.no_user)
		msg_die(
		    EXIT_USAGE, "--kernel-only and --user-only leave nothing");
	if (o->run.backend == NULL)
		msg_die(EXIT_USAGE, "--backend: '%s' is none of %s",
		    msg_str(o->backend), backend_names());
	if (address_parse(&o->target.addr, o->remote) != 0)
		exit(EXIT_USAGE);
	if (!o->paced)
		o->run.interval = NS_PER_S / o->run.backend->hz;
	/* Without random numbers of the system the seed is 0. */
	if (!o->seeded &&
	    getrandom(&o->run.seed, sizeof o->run.seed, GRND_NONBLOCK) < 0)
		o->run.seed = 0;
}

/* The OS file, by its name or path. Returns -1 after a message. */
static int
read_os(struct options *o)
{
	struct target *t = &o->target;
	struct buf path = BUF_INIT;
	int status = -1;

	if (o->os == NULL)
		return 0;
	if (share_find("os", o->os, ".os", &path) == 0)
		status = osfile_read(&o->osfile, buf_str(&path));
	else
		msg_errno("%s", msg_str(o->os));
	buf_done(&path);
	if (o->osfile.has_base && !o->has_base)
		t->kernel_base = o->osfile.kernel_base;
	t->os = &o->osfile;
	return status;
}

/* Finds the ELF file and its build-id. Returns -1 after a message. */
static int
find_elf(struct options *o, struct buf *build_id)
{
	struct buf err = BUF_INIT;

	if (o->elf == NULL)
		return 0;
	o->target.elf = realpath(o->elf, NULL);
	if (o->target.elf == NULL) {
		msg_errno("%s", msg_str(o->elf));
		return -1;
	}
	o->target.code = elfsym_load(o->target.elf, 0, &err);
	if (o->target.code == NULL) {
		msg("%s", msg_text(err.p, err.len));
		buf_done(&err);
		return -1;
	}
	buf_adds(build_id, elfsym_build_id(o->target.code));
	buf_done(&err);
	return 0;
}

/* The line that begins the trace text. */
static void
write_info(const struct options *o, const struct buf *build_id, struct buf *b)
{
	buf_printf(b,
	    "[kst-capture-info version=%s backend=%s interval=%g remote=",
	    KST_VERSION, o->run.backend->name, (double)o->run.interval / 1e9);
	trace_meta_add(b, o->remote, strlen(o->remote));
	if (o->target.elf) {
		buf_adds(b, " elf=");
		trace_meta_add(b, o->target.elf, strlen(o->target.elf));
	}
	if (build_id->len) {
		buf_adds(b, " build-id=");
		buf_add(b, build_id->p, build_id->len);
	}
	if (o->run.jitter)
		buf_printf(b, " seed=%" PRIu64, o->run.seed);
	buf_adds(b, "]\n");
}

int
main(int argc, char **argv)
{
	struct options o = {
	    .target = {.gdb = "gdb",
		.timeout = 10 * NS_PER_S,
		.check = true,
		.kernel_base = 0xffffffff80000000},
	    .run = {.samples = 200, .jitter = true},
	    .remote = ":1234",
	    .backend = "rsp",
	};
	struct buf build_id = BUF_INIT, info = BUF_INIT;
	int status = EXIT_FAILED;

	msg_init(argv[0]);
	read_options(&o, argc, argv);
	if (read_os(&o) == 0 && find_elf(&o, &build_id) == 0) {
		if (o.output && out_open(o.output) != 0) {
			msg_errno("%s", msg_str(o.output));
		} else {
			signals_init();
			write_info(&o, &build_id, &info);
			o.run.info = buf_str(&info);
			o.run.check = o.target.check;
			status = run(&o.run, &o.target);
		}
	}
	if (out_close() != 0)
		status = EXIT_FAILED;
	free((char *)(uintptr_t)o.target.elf);
	elfsym_free(o.target.code);
	address_done(&o.target.addr);
	buf_done(&build_id);
	buf_done(&info);
	return status;
}
