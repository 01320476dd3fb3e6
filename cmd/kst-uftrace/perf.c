/* SPDX-License-Identifier: ISC */
/*
 * A perf record begins with
 *
 *      0  u32 type    4  u16 misc    6  u16 size, of all
 *
 * and, as uftrace asks for it, ends with
 *
 *      u32 pid  u32 tid  u64 time
 */
#include "perf.h"
#include "base/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/in.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum { HEAD = 8, TAIL = 16 };
enum { RECORD_LOST = 2, RECORD_SWITCH = 14, RECORD_SWITCH_CPU_WIDE = 15 };
enum { MISC_SWITCH_OUT = 1 << 13, MISC_SWITCH_OUT_PREEMPT = 1 << 14 };

struct perf_file {
	uint64_t cpu;
	struct in in;
	char *path;
	struct perf_switch now;
	bool done;
};

void
perf_init(struct perf *p, bool big)
{
	memset(p, 0, sizeof *p);
	p->big = big;
	p->done = true;
	p->damage.what = "damaged perf file";
}

void
perf_done(struct perf *p)
{
	for (size_t i = 0; i < p->n; i++) {
		in_done(&p->files[i].in);
		free(p->files[i].path);
	}
	free(p->files);
	memset(p, 0, sizeof *p);
}

static void
damaged(struct perf *p, struct perf_file *f, const char *what)
{
	f->in.line++; /* the number of the record, as in .dat files */
	fault_say(&p->damage, &f->in, "%s", what);
	f->in.p = f->in.end;
	f->done = true;
}

/* Takes a record; true for a switch, which is then in f->now. */
static bool
take_record(struct perf *p, struct perf_file *f, size_t size)
{
	const char *r = f->in.p, *tail = r + size - TAIL;
	uint64_t type = uint_load(r, 4, p->big),
		 misc = uint_load(r + 4, 2, p->big);

	f->in.p += size;
	f->in.line++;
	if (type == RECORD_LOST && size >= HEAD + 16)
		p->lost += uint_load(r + HEAD + 8, 8, p->big);
	if ((type != RECORD_SWITCH && type != RECORD_SWITCH_CPU_WIDE) ||
	    size < HEAD + TAIL)
		return false;
	f->now.tid = (uint32_t)uint_load(tail + 4, 4, p->big);
	f->now.time = uint_load(tail + 8, 8, p->big);
	f->now.kind = !(misc & MISC_SWITCH_OUT)	       ? PERF_IN
		      : misc & MISC_SWITCH_OUT_PREEMPT ? PERF_PREEMPTED
						       : PERF_OUT;
	return true;
}

/* Finds the file's next switch. */
static void
file_next(struct perf *p, struct perf_file *f)
{
	while (!f->done) {
		size_t left = in_fill(&f->in, HEAD), size;

		if (left == 0) {
			f->done = true;
			p->failed |= in_failed(&f->in);
			return;
		}
		size = left < HEAD ? HEAD : uint_load(f->in.p + 6, 2, p->big);
		if (size < HEAD || size % 8)
			damaged(p, f, "not a perf record");
		else if (in_fill(&f->in, size) < size)
			damaged(p, f, "cut off in a perf record");
		else if (take_record(p, f, size))
			return;
	}
}

/* At equal times, the lowest processor first. */
static void
find_first(struct perf *p)
{
	p->done = true;
	for (size_t i = 0; i < p->n; i++) {
		const struct perf_file *f = &p->files[i];

		if (f->done || (!p->done && f->now.time >= p->now.time))
			continue;
		p->done = false;
		p->first = i;
		p->now = f->now;
	}
}

void
perf_add(struct perf *p, uint64_t cpu, char *path)
{
	struct perf_file *f;

	p->files = xreallocn(p->files, p->n + 1, sizeof *p->files);
	f = &p->files[p->n++];
	memset(f, 0, sizeof *f);
	f->cpu = cpu;
	f->path = path;
}

static int
by_cpu(const void *pa, const void *pb)
{
	const struct perf_file *a = pa, *b = pb;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void
perf_start(struct perf *p)
{
	if (p->n > 0)
		qsort(p->files, p->n, sizeof *p->files, by_cpu);
	for (size_t i = 0; i < p->n; i++) {
		struct perf_file *f = &p->files[i];

		in_init_folder(&f->in, &f->path, 1, 1 << 14);
		file_next(p, f);
	}
	find_first(p);
}

void
perf_next(struct perf *p)
{
	file_next(p, &p->files[p->first]);
	find_first(p);
}
