/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/share.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/backend.h"
#include "linux/tasks.h"
#include "trace/trace.h"
#include "wire/clock.h"

/* Returns -1 after a message. */
static int
add_file(struct target *t, const char *spec)
{
	struct target_image *i;
	struct buf err = BUF_INIT;
	struct elfsym *sym = elfsym_load(spec,
	    t->raw ? 0
		   : ELFSYM_INLINE | ELFSYM_TAILS |
			 (t->no_server ? 0 : ELFSYM_SERVER),
	    &err);

	if (sym == NULL)
		msg("%s", msg_text(err.p, err.len));
	buf_done(&err);
	if (sym == NULL)
		return -1;
	t->image = xreallocn(t->image, t->n_image + 1, sizeof *t->image);
	i = &t->image[t->n_image++];
	*i = (struct target_image){sym, strcmp(elfsym_path(sym), spec) != 0};
	return 0;
}

int
frequency_option(void *interval, const char *arg, struct buf *err)
{
	uint64_t hz;

	if (num_u64(arg, strlen(arg), &hz) != 0 || hz < 1 || hz > 1000000) {
		buf_adds(err, "is not a whole number from 1 to 1000000");
		return -1;
	}
	*(uint64_t *)interval = NS_PER_S / hz;
	return 0;
}

int
max_stop_option(void *share, const char *arg, struct buf *err)
{
	char *end;
	const double percent = strtod(arg, &end);

	if (strspn(arg, "0123456789.") == 0 || !(percent > 0) ||
	    percent > 100 || (end[0] != 0 && strcmp(end, "%") != 0)) {
		buf_adds(err, "is not a share of more than 0 %, up to 100 %");
		return -1;
	}
	*(double *)share = percent < 100 ? percent / 100 : 0;
	return 0;
}

/* Ends the command if an option asks for what gdb would not do. */
static void
check_gdb(const struct options *o, const struct target *t)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {{"start", t->start}, {"raw", t->raw},
	    {"stack-bytes", t->stack_bytes}, {"os", o->os},
	    {"user-dir", t->user_dir}, {"sysroot", t->sysroot},
	    {"kernel-base", o->has_base}, {"kernel-only", t->no_user},
	    {"user-only", t->no_kernel}, {"show-addresses", t->all_addresses},
	    {"show-skid", t->skid}, {"threads", t->threads}};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given)
			opt_wrong("--%s: backend gdb cannot do that",
			    options[i].name);
	if (o->elf.n > 1)
		opt_wrong("--elf: backend gdb takes one file");
}

void
prepare_options(struct options *o)
{
#define ROW(id, word, backend) &backend,
	static const struct backend *const backends[] = {BACKENDS(ROW)};

	if (o->one_shot) {
		o->run.samples = 1;
	} else if (o->run.duration && !o->limited) {
		o->run.samples = 0;
	}
	if (o->has_gdb)
		o->backend = BACKEND_GDB;
	if (strncmp(o->remote, "qmp:", 4) == 0) {
		o->remote += 4;
		o->backend = BACKEND_QMP;
	}
	o->run.backend = backends[o->backend];
	if (o->backend == BACKEND_GDB)
		check_gdb(o, &o->target);
	if (o->target.shared_dir && o->backend != BACKEND_QMP)
		opt_wrong("--shared-dir requires backend qmp");
	if (address_parse(&o->target.addr, o->remote) != 0)
		opt_usage();
	if (!o->paced)
		o->run.pace.step = NS_PER_S / o->run.backend->hz;
	else if (!o->bounded)
		o->run.max_stop = 0;
	o->run.free_stop = o->bounded ? 0 : FREE_STOP;
	/* Without random numbers of the system the seed is 0. */
	if (!o->seeded &&
	    getentropy(&o->run.pace.seed, sizeof o->run.pace.seed) != 0)
		o->run.pace.seed = 0;
}

struct finding {
	struct options *o;
	const struct elfsym *kernel;
};

static bool
try_os(void *finding, const char *path)
{
	const struct finding *f = finding;
	struct osfile *os = &f->o->osfile;

	osfile_done(os);
	if (osfile_read(os, path, f->kernel) == 0 && os->known &&
	    f->o->target.verbose)
		msg("OS file %s", path);
	return !os->known;
}

/* The OS file, by its name or path, or that of the kernel. */
static int
read_os(struct options *o, const struct elfsym *kernel)
{
	struct target *t = &o->target;
	struct buf path = BUF_INIT;
	int status = 0;

	if (o->os == NULL && kernel != NULL)
		/* the first that knows the kernel's functions */
		share_each("os", ".os", try_os, &(struct finding){o, kernel});
	else if (o->os == NULL || strcmp(o->os, "none") == 0)
		return 0;
	else if (share_find("os", o->os, ".os", &path) == 0)
		status = osfile_read(&o->osfile, buf_str(&path), kernel);
	else
		status = (share_missing("os", o->os, ".os"), -1);
	buf_done(&path);
	if (o->os == NULL && !o->osfile.known)
		return 0;
	if (o->osfile.kernel_base != 0 && !o->has_base)
		t->kernel_base = o->osfile.kernel_base;
	t->os = &o->osfile;
	return status;
}

/* Linux tells of its processes by itself, if its file has types. */
static void
read_tasks(const struct options *o, struct target *t)
{
	const char *why = "the kernel was not given with -e";

	if (o->os == NULL && !t->user_dir && !t->sysroot && t->n_image < 2)
		return;
	if (t->n_image > 0)
		t->tasks = tasks_new(t->image[0].sym, &why);
	if (t->tasks == NULL && (t->user_dir || t->sysroot))
		msg("%s has no effect: %s; give programs with -e instead",
		    t->sysroot ? "--sysroot" : "--user-dir", why);
	else if (t->sysroot && !tasks_of_cpus(t->tasks))
		msg("--sysroot: on riscv64 only the programs of threads that "
		    "wait are found (--threads)");
}

/* Whether --threads looks for threads in this kernel. */
static bool
knows_threads(const struct options *o)
{
	const struct target *t = &o->target;
	const bool listed = t->os != NULL && t->os->threads.n_source > 0;
	const unsigned char *p;
	uint64_t addr, size;

	return t->n_image > 0 && o->backend != BACKEND_GDB &&
	       elfsym_section(t->image[0].sym, listed ? ".debug_info" : ".BTF",
		   &addr, &size, &p);
}

/* The line that begins the trace text. */
static void
write_info(const struct options *o, struct buf *b)
{
	const struct elfsym *kernel =
	    o->target.n_image ? o->target.image[0].sym : NULL;

	buf_printf(b,
	    "[kst-capture-info version=%s backend=%s interval=%g remote=",
	    KST_VERSION, o->run.backend->name, (double)o->run.pace.step / 1e9);
	trace_meta_add(b, o->remote, strlen(o->remote));
	if (kernel != NULL) {
		char *path = realpath(elfsym_path(kernel), NULL);

		buf_adds(b, " elf=");
		trace_meta_add(b, path ? path : "", path ? strlen(path) : 0);
		free(path);
		if (elfsym_build_id(kernel)[0])
			buf_printf(b, " build-id=%s", elfsym_build_id(kernel));
	}
	if (knows_threads(o))
		buf_adds(b, " threads=known");
	if (o->run.pace.jitter)
		buf_printf(b, " seed=%" PRIu64, o->run.pace.seed);
	buf_adds(b, "]\n");
}

int
prepare_files(struct options *o)
{
	struct target *t = &o->target;

	for (size_t i = 0; i < o->elf.n; i++)
		if (add_file(t, o->elf.use[i].arg) != 0)
			return -1;
	if (read_os(o, t->n_image > 0 ? t->image[0].sym : NULL) != 0)
		return -1;
	if (t->os == NULL || !osfile_processes(t->os))
		read_tasks(o, t);
	write_info(o, &o->run.info);
	return 0;
}

void
prepare_done(struct options *o)
{
	for (size_t i = 0; i < o->target.n_image; i++) {
		struct elfsym *sym = o->target.image[i].sym;
		const char *what = elfsym_damage(sym);

		if (what != NULL)
			msg("%s: %s", msg_str(elfsym_path(sym)), what);
		elfsym_free(sym);
	}
	free(o->target.image);
	tasks_free(o->target.tasks);
	osfile_done(&o->osfile);
	opt_list_done(&o->elf);
	buf_done(&o->run.info);
	address_done(&o->target.addr);
}
