/* SPDX-License-Identifier: ISC */
/* What perf script prints, as Firefox Profiler and kst-perf read it. */
#include "export.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "io/out.h"

enum {
	PIDS = 1 << 22,	    /* Linux has no greater numbers */
	LINES_MAX = 1 << 20 /* of counts that are written as so many samples */
};

/*
 * All is UTF-8, or Firefox Profiler refuses the file.
 * `shell 3/3 [1]`, of `User PID=3 (shell)` and `CPU#1`; else `CPU#1 0/4194306
 * [1]`: the threads of CPUs and processes need numbers that differ.
 */
static void
put_thread(struct export *e, const uint32_t *labels)
{
	size_t cpu_len, len, pid_len;
	const char *cpu =
	    table_name_text(e->fold.table, labels[LABEL_CPU], &cpu_len);
	const char *process =
	    table_name_text(e->fold.table, labels[LABEL_PROCESS], &len);
	const char *pid = memmem(process, len, " PID=", 5);

	/* as trace_fold.c writes it; without a number it is `?` */
	if (pid && *(pid += 5) != '?') {
		pid_len = strcspn(pid, " ");
		len -= (size_t)(pid - process) + pid_len;
		out_printf("%s %.*s/%.*s",
		    export_utf8(e, pid + pid_len + 2, len - 3), (int)pid_len,
		    pid, (int)pid_len, pid);
	} else {
		out_printf("%s 0/%" PRIu32, export_utf8(e, cpu, cpu_len),
		    intern_find(e->labels, cpu, cpu_len) + PIDS + 1);
	}
	if (bytes_starts(cpu, cpu_len, "CPU#"))
		out_printf(" [%.*s]", (int)cpu_len - 4, cpu + 4);
}

/* A function without an address is inlined into the next one that has one. */
static void
put_frames(struct export *e, const uint32_t *ids, size_t n)
{
	uint64_t address = 0;
	size_t found = 0; /* frames up to the one with the address */

	for (size_t i = 0; i < n; i++) {
		struct frame_place p = export_place(e, ids[i]);

		if (found <= i)
			address = 0;
		for (; found < n && address == 0; found++)
			address = export_place(e, ids[found]).at.address;
		out_printf("\t%16" PRIx64 " %s (%s)\n", address,
		    export_utf8(e, p.name, p.name_len),
		    address == 0	? "[unknown]"
		    : p.at.address == 0 ? "inlined"
		    : p.at.is_user	? "[user]"
					: "[kernel.kallsyms]");
	}
	out_putc('\n');
}

/* One sample, which Firefox Profiler shows as one, whatever its count. */
static void
put_sample(struct export *e, uint32_t stack, uint64_t ns, uint64_t count,
    const char *unit)
{
	size_t n;
	const uint32_t *ids = table_stack(e->stacks, stack, &n);

	put_thread(e, ids);
	out_printf(" %" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " %s:\n",
	    ns / 1000000000, ns % 1000000000, count, unit);
	put_frames(e, ids + LABELS, n - LABELS);
}

static void
write_perf_script(struct export *e)
{
	const char *unit = export_unit(e);
	bool each = e->stacks->total.whole <= LINES_MAX, some = false;
	uint64_t ns = 0;

	if (strcmp(unit, "ns") == 0)
		unit = "cpu-clock";
	for (size_t i = 1; i < e->n_marks; i++) {
		const struct mark *m = &e->marks[i];
		uint64_t count = export_whole(e, &m->count);
		uint64_t copies = each && count ? count : 1;

		some |= copies < count;
		for (uint64_t k = 0; k < copies; k++) {
			ns = e->untimed ? ns + 1000 : m->time + k * 1000;
			put_sample(e, m->stack, ns, count / copies, unit);
		}
	}
	if (some)
		msg("the counts exceed %d in all, and Firefox Profiler shows "
		    "each line as one sample: -f speedscope keeps counts",
		    LINES_MAX);
}

const struct export_format format_perf_script = {.write = write_perf_script,
    .addresses = true,
    .marks = true,
    .roots = true};
