/* SPDX-License-Identifier: ISC */
/*
 * A page begins with its time and how many bytes of events follow. Each event
 * begins with a word, of 5 bits type and 27 bits ns since the event before:
 *
 *      0       a word with the length of the data, and its own; the data
 *      1-28    that many words of data
 *      29      nothing, as many bytes as the next word says; at 0 ns to the end
 *      30      the next word is the upper part of the ns
 *      31      the same, of the time itself
 */
#include "kernel.h"

#include <stdlib.h>

#include "set/bound.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "thread.h"

enum { TYPE_PADDING = 29, TYPE_EXTEND, TYPE_STAMP };
enum { DELTA_BITS = 27, STAMP_BITS = 59 };

/* Of a page's word `commit`. */
static const uint64_t COMMIT = ((uint64_t)1 << 27) - 1,
		      MISSED = (uint64_t)1 << 31, STORED = 1 << 30;

/* The rest of the page is not read. */
static void
damaged(struct kernel *k, struct kernel_file *f)
{
	fault_say(&k->bad, &f->in, "%s", k->bad.what);
	f->pos = f->end;
}

static bool
next_page(struct kernel *k, struct kernel_file *f)
{
	const struct kheader *h = &k->header;
	const char *p;
	uint64_t commit;
	size_t left;

	f->in.p += f->size;
	left = in_fill(&f->in, h->page);
	f->size = left < h->page ? left : h->page;
	f->pos = f->end = 0;
	if (left == 0)
		return false;
	f->in.line++; /* the number of the page */
	if (f->size < h->data.at) {
		damaged(k, f);
		return true;
	}
	p = f->in.p;
	f->time = uint_load(p + h->time.at, 8, h->big);
	commit = uint_load(p + h->commit.at, h->commit.size, h->big);
	f->pos = h->data.at;
	f->end = f->pos + (commit & COMMIT);
	f->lost |= (commit & MISSED) != 0;
	if (f->end > f->size) {
		f->end = f->pos;
		damaged(k, f);
	} else if (commit & MISSED && commit & STORED &&
		   f->size - f->end >= h->commit.size) {
		f->n_lost += uint_load(p + f->end, h->commit.size, h->big);
	}
	return true;
}

static bool
load(const struct kheader *h, const struct kfield *at, const char *p,
    size_t len, uint64_t *v)
{
	if (at->size == 0 || at->size > 8 || at->at + at->size > len)
		return false;
	*v = uint_load(p + at->at, at->size, h->big);
	return true;
}

static struct thread *
find_thread(const struct kernel *k, uint64_t tid)
{
	size_t i = bound_above(k->threads, k->n_threads, sizeof *k->threads,
	    offsetof(struct thread, tid), tid);

	return i && k->threads[i - 1].tid == tid ? &k->threads[i - 1] : NULL;
}

/* An event's data: false if it is to be skipped. */
static bool
take_data(struct kernel *k, struct kernel_file *f, const char *p, size_t len)
{
	const struct kheader *h = &k->header;
	const struct kformat *e = NULL;
	struct kernel_record *r = &f->now;
	uint64_t id, pid, other = 0;

	if (load(h, &h->type, p, len, &id))
		e = kheader_format(h, id);
	*r = (struct kernel_record){
	    .format = e, .time = f->time, .lost = f->lost, .n_lost = f->n_lost};
	if (e == NULL || !load(h, &e->pid, p, len, &pid) ||
	    (e->kind != EVENT_INSTANT &&
		!load(h, &e->func, p, len, &r->addr))) {
		k->unknown++;
		return false;
	}
	load(h, &e->other, p, len, &other);
	f->lost = false;
	f->n_lost = 0;
	r->thread = find_thread(k, pid);
	if (r->thread == NULL && other)
		r->thread = find_thread(k, other);
	return r->thread != NULL;
}

/* Moves the file's time on. */
static void
take_time(struct kernel_file *f, unsigned type, uint64_t delta, uint64_t word)
{
	if (type >= TYPE_EXTEND)
		delta |= word << DELTA_BITS;
	if (type == TYPE_STAMP) /* its upper bits are not stored */
		f->time = (f->time >> STAMP_BITS << STAMP_BITS) | delta;
	else
		f->time += delta;
}

/* Takes an event of the page; true for a record, which is then in f->now. */
static bool
take_event(struct kernel *k, struct kernel_file *f)
{
	const char *p = f->in.p + f->pos;
	uint64_t left = f->end - f->pos, w, delta, word = 0, head = 4, len;
	bool big = k->header.big;
	unsigned type;

	w = left < 4 ? 0 : uint_load(p, 4, big);
	type = (unsigned)(big ? w >> DELTA_BITS : w & 31);
	delta = big ? w & COMMIT : w >> 5;
	if (type == TYPE_PADDING && delta == 0) {
		f->pos = f->end;
		return false;
	}
	if (type == 0 || type >= TYPE_PADDING) {
		head = 8;
		word = left < head ? 0 : uint_load(p + 4, 4, big);
	}
	len = type == TYPE_PADDING || type == 0 ? ((word + 3) & ~3ull) - 4
	      : type < TYPE_PADDING		? type * 4
						: 0;
	if (left < head || len > left - head) {
		damaged(k, f);
		return false;
	}
	f->pos += head + len;
	take_time(f, type, delta, word);
	return type < TYPE_PADDING && take_data(k, f, p + head, len);
}

/* Reads the file's next record of a task that has a file. */
static void
next(struct kernel *k, struct kernel_file *f)
{
	while (k->header.page) {
		if (f->pos < f->end) {
			if (take_event(k, f))
				return;
		} else if (!next_page(k, f)) {
			break;
		}
	}
	f->done = true;
	k->failed |= in_failed(&f->in);
}

/* By time, then by processor. */
static bool
is_before(const struct kernel_file *a, const struct kernel_file *b)
{
	if (a->now.time != b->now.time)
		return a->now.time < b->now.time;
	return a->cpu < b->cpu;
}

static void
find_first(struct kernel *k)
{
	k->first = NULL;
	for (size_t i = 0; i < k->n; i++) {
		struct kernel_file *f = &k->files[i];

		if (!f->done && (!k->first || is_before(f, k->first)))
			k->first = f;
	}
}

void
kernel_add(struct kernel *k, uint64_t cpu, char *path)
{
	k->files = xreallocn(k->files, k->n + 1, sizeof *k->files);
	k->files[k->n++] = (struct kernel_file){.cpu = cpu, .path = path};
}

void
kernel_start(struct kernel *k, const char *dir, bool big,
    struct thread *threads, size_t n)
{
	k->threads = threads;
	k->n_threads = n;
	k->bad.what = "damaged page of kernel records";
	if (k->n)
		kheader_read(&k->header, dir, big);
	k->failed = k->header.failed;
	for (size_t i = 0; i < k->n; i++) {
		struct kernel_file *f = &k->files[i];

		in_init_folder(&f->in, &f->path, 1, 1 << 14);
		next(k, f);
	}
	find_first(k);
}

void
kernel_next(struct kernel *k)
{
	next(k, k->first);
	find_first(k);
}

void
kernel_done(struct kernel *k)
{
	for (size_t i = 0; i < k->n; i++) {
		in_done(&k->files[i].in);
		free(k->files[i].path);
	}
	free(k->files);
	kheader_done(&k->header);
}
