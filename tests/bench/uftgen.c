/* SPDX-License-Identifier: ISC */
/*
 * Writes a uftrace.data directory as QEMU's plugin lays it out, of any size:
 * uftgen DIR RECORDS [CPUS [FUNCTIONS [walk]]]. The calls are those of a
 * program, the same each time: a loop over 16 requests, below which every
 * function calls its own up to two callees in turn, one in eight of which is
 * left out by chance; up to 40 deep. Or, with `walk`, any function calls any,
 * and nearly every stack is new.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 40, REQUESTS = 16, FUNC_SIZE = 0x40 };
static const uint64_t TEXT = 0xffff81000000, START = 1700000000000000000;

static FILE *
create(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f == NULL) {
		perror(path);
		exit(1);
	}
	return f;
}

static void
finish(FILE *f)
{
	if (ferror(f) || fclose(f) != 0) {
		perror("uftgen");
		exit(1);
	}
}

static void
write_info(const char *dir, unsigned cpus)
{
	static const unsigned char header[40] = {'F', 't', 'r', 'a', 'c', 'e',
	    '!', 0, 4, 0, 0, 0, 40, 0, 1, 2, 0x63, 0x02, 0, 0, 0, 0, 0, 0, 0xff,
	    0x7b, 0, 0, 0, 0, 0, 0, 0, 4};
	FILE *f = create(dir, "info");

	fwrite(header, sizeof header, 1, f);
	fprintf(f,
	    "exename:\nbuild_id:%040d\nexit_status:\ncmdline:\n"
	    "cpuinfo:lines=2\ncpuinfo:nr_cpus=\ncpuinfo:desc=\n"
	    "meminfo:\nosinfo:lines=3\nosinfo:kernel=\n"
	    "osinfo:hostname=\nosinfo:distro=\ntaskinfo:lines=2\n"
	    "taskinfo:nr_tid=%u\ntaskinfo:tids=",
	    0, cpus);
	for (unsigned i = 1; i <= cpus; i++)
		fprintf(f, "%s%u", i > 1 ? "," : "", i * 100);
	fprintf(f, "\nusageinfo:lines=6\nusageinfo:systime=\n"
		   "usageinfo:usrtime=\nusageinfo:ctxsw=\nusageinfo:maxrss=\n"
		   "usageinfo:pagefault=\nusageinfo:iops=\nloadinfo:\n"
		   "record_date:\nelapsed_time:\npattern_type:regex\n"
		   "uftrace_version:\nutc_offset:\n");
	finish(f);
	f = create(dir, "task.txt");
	for (unsigned i = 0; i < cpus; i++)
		fprintf(f,
		    "SESS timestamp=0.0 pid=%u sid=0 exename=\"cpu%u\"\n"
		    "TASK timestamp=0.0 tid=%u pid=%u\n",
		    (i + 1) * 100, i, (i + 1) * 100, (i + 1) * 100);
	finish(f);
}

static void
write_symbols(const char *dir, unsigned funcs)
{
	static const char *const parts[] = {
	    "page", "sched", "vfs", "net", "task", "irq", "timer", "slab"};
	FILE *f = create(dir, "vmlinux.sym");

	for (unsigned i = 0; i < funcs; i++)
		fprintf(f, "%012" PRIx64 " T %s_%s_%u\n",
		    TEXT + (uint64_t)i * FUNC_SIZE, parts[i % 8],
		    parts[i / 8 % 8], i);
	fprintf(f, "%012" PRIx64 " ? __sym_end\n",
	    TEXT + (uint64_t)funcs * FUNC_SIZE);
	finish(f);
	f = create(dir, "sid-0.map");
	fprintf(f,
	    "# map\n# of the guest\n"
	    "ffffffffffff-ffffffffffff rw-p 00000000 00:00 0 [stack]\n"
	    "000000000000-%012" PRIx64
	    " r--p 00000000 00:00 0 /build/vmlinux\n",
	    TEXT + (uint64_t)funcs * FUNC_SIZE);
	finish(f);
}

static uint64_t
next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void
put(FILE *f, uint64_t time, unsigned type, unsigned depth, uint64_t addr)
{
	uint64_t w[2] = {time, type | 5 << 3 | depth << 6 | addr << 16};

	fwrite(w, sizeof w, 1, f);
}

/* An open call, and which of its callees comes next. */
struct frame {
	uint64_t func;
	unsigned next;
};

static unsigned
callees(uint64_t func, unsigned depth)
{
	static const unsigned n[] = {0, 0, 0, 1, 1, 1, 2, 2};
	uint64_t h = (func + depth * 977) * 0x9e3779b97f4a7c15;

	return depth < 4 ? 2 : n[h >> 61];
}

static void
write_cpu(const char *dir, unsigned cpu, uint64_t n, unsigned funcs, bool walk)
{
	uint64_t rnd = 0x123456789abcdef + cpu, time = START + cpu;
	struct frame stack[DEPTH_MAX], *f;
	unsigned depth = 0, request = 0;
	char name[32];
	FILE *out;

	snprintf(name, sizeof name, "%u.dat", (cpu + 1) * 100);
	out = create(dir, name);
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	while (n > 0) {
		uint64_t r = next(&rnd), func = request;

		f = depth ? &stack[depth - 1] : NULL;
		if (f && (depth == DEPTH_MAX ||
			     (walk ? r >> 63 == 0
				   : f->next == callees(f->func, depth)))) {
			time += 20 + r % 200;
			depth--;
			put(out, time, 1, depth,
			    TEXT + f->func * FUNC_SIZE + 4);
			n--;
			continue;
		}
		if (walk) {
			func = r >> 20;
		} else if (f) {
			func = f->func * 31 + f->next++ * 7 + 1;
			if (r >> 61 == 0)
				continue;
		} else {
			request = (request + 1) % REQUESTS;
		}
		time += 20 + r % 200;
		stack[depth] = (struct frame){func % funcs, 0};
		func = stack[depth++].func;
		put(out, time, 0, depth, TEXT + func * FUNC_SIZE + 4);
		n--;
	}
	finish(out);
}

int
main(int argc, char **argv)
{
	unsigned cpus = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
	unsigned funcs = argc > 4 ? (unsigned)atoi(argv[4]) : 2000;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	bool walk = argc > 5 && strcmp(argv[5], "walk") == 0;

	if (n == 0 || cpus == 0 || cpus > 1000 || funcs == 0) {
		fprintf(stderr,
		    "usage: uftgen DIR RECORDS [CPUS [FUNCTIONS [walk]]]\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	write_info(argv[1], cpus);
	write_symbols(argv[1], funcs);
	for (unsigned i = 0; i < cpus; i++)
		write_cpu(argv[1], i, n / cpus, funcs, walk);
	return 0;
}
