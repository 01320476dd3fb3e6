/* SPDX-License-Identifier: ISC */
#include "beside.h"

#include <stdlib.h>

#include "base/uint.h"
#include "base/xalloc.h"
#include "folder/data.h"

/*
 * A record of perf begins with
 *
 *      0  u32 type    4  u16 misc    6  u16 size, of all
 *
 * and, as uftrace asks for it, ends with
 *
 *      u32 pid  u32 tid  u64 time
 */
enum { HEAD = 8, TAIL = 16 };
enum { PERF_LOST = 2, PERF_SWITCH = 14, PERF_SWITCH_CPU_WIDE = 15 };
enum { MISC_SWITCH_OUT = 1 << 13, MISC_SWITCH_OUT_PREEMPT = 1 << 14 };

/* Takes a record; true for a switch. */
static bool
take_switch(struct beside *b, struct beside_file *f, size_t size)
{
	const char *r = f->in.p, *tail = r + size - TAIL;
	uint64_t type = uint_load(r, 4, b->big),
		 misc = uint_load(r + 4, 2, b->big);

	f->in.p += size;
	f->in.line++; /* the number of the record, as in .dat files */
	if (type == PERF_LOST && size >= HEAD + 16)
		b->lost += uint_load(r + HEAD + 8, 8, b->big);
	if ((type != PERF_SWITCH && type != PERF_SWITCH_CPU_WIDE) ||
	    size < HEAD + TAIL)
		return false;
	f->now = (struct beside_record){.kind = RECORD_SWITCH,
	    .tid = (uint32_t)uint_load(tail + 4, 4, b->big),
	    .time = uint_load(tail + 8, 8, b->big),
	    .name = !(misc & MISC_SWITCH_OUT)	     ? NULL
		    : misc & MISC_SWITCH_OUT_PREEMPT ? PREEMPTED
						     : SCHEDULE};
	return true;
}

static bool
switch_read(struct beside *b, struct beside_file *f)
{
	size_t left, size;

	while ((left = in_fill(&f->in, HEAD)) > 0) {
		size = left < HEAD ? HEAD : uint_load(f->in.p + 6, 2, b->big);
		if (size >= HEAD && size % 8 == 0 &&
		    in_fill(&f->in, size) >= size) {
			if (take_switch(b, f, size))
				return true;
			continue;
		}
		f->in.line++;
		fault_say(&b->bad[PERF], &f->in,
		    size < HEAD || size % 8 ? "not a perf record"
					    : "cut off in a perf record");
		f->in.p = f->in.end;
		return false;
	}
	return false;
}

/* Reads the file's next record of a task that has a file. */
static void
next(struct beside *b, struct beside_file *f)
{
	struct beside_record *r = &f->now;

	while (f->of == KERNEL ? kernel_read(b, f) : switch_read(b, f)) {
		r->thread = b->find(b->threads, r->tid);
		if (r->thread == NULL && r->other)
			r->thread = b->find(b->threads, r->other);
		if (r->thread)
			return;
	}
	f->done = true;
	b->failed |= in_failed(&f->in);
}

static void
find_first(struct beside *b)
{
	b->first = NULL;
	for (size_t i = 0; i < b->n; i++) {
		struct beside_file *f = &b->files[i];

		if (!f->done && (!b->first || f->now.time < beside_time(b)))
			b->first = f;
	}
}

void
beside_add(struct beside *b, enum beside_kind of, uint64_t cpu, char *path)
{
	b->files = xreallocn(b->files, b->n + 1, sizeof *b->files);
	b->files[b->n++] =
	    (struct beside_file){.of = of, .cpu = cpu, .path = path};
}

static int
by_kind_and_cpu(const void *pa, const void *pb)
{
	const struct beside_file *a = pa, *b = pb;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void
beside_start(struct beside *b, const char *dir, bool big,
    struct thread *(*find)(const void *threads, uint32_t tid),
    const void *threads)
{
	b->find = find;
	b->threads = threads;
	b->big = big;
	b->bad[KERNEL].what = "damaged page of kernel records";
	b->bad[PERF].what = "damaged perf file";
	if (b->n)
		qsort(b->files, b->n, sizeof *b->files, by_kind_and_cpu);
	for (size_t i = 0; i < b->n; i++) {
		struct beside_file *f = &b->files[i];

		if (f->of == KERNEL && b->header.page == 0 &&
		    !b->header.failed) {
			kheader_read(&b->header, dir, big);
			b->failed |= b->header.failed;
		}
		in_init_folder(&f->in, &f->path, 1, 1 << 14);
		next(b, f);
	}
	find_first(b);
}

void
beside_next(struct beside *b)
{
	next(b, b->first);
	find_first(b);
}

void
beside_done(struct beside *b)
{
	for (size_t i = 0; i < b->n; i++) {
		in_done(&b->files[i].in);
		free(b->files[i].path);
	}
	free(b->files);
	kheader_done(&b->header);
}
