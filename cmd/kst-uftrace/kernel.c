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
#include "beside.h"

#include "base/uint.h"

enum { TYPE_PADDING = 29, TYPE_EXTEND, TYPE_STAMP };
enum { DELTA_BITS = 27, STAMP_BITS = 59 };

/* Of a page's word `commit`. */
static const uint64_t COMMIT = ((uint64_t)1 << 27) - 1,
		      MISSED = (uint64_t)1 << 31, STORED = 1 << 30;

/* The rest of the page is not read. */
static void
damaged(struct beside *b, struct beside_file *f)
{
	fault_say(&b->bad[KERNEL], &f->in, "%s", b->bad[KERNEL].what);
	f->pos = f->end;
}

static bool
next_page(struct beside *b, struct beside_file *f)
{
	const struct kheader *h = &b->header;
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
		damaged(b, f);
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
		damaged(b, f);
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

/* An event's data: false if it is to be skipped. */
static bool
take_data(struct beside *b, struct beside_file *f, const char *p, size_t len)
{
	const struct kheader *h = &b->header;
	const struct kformat *e = NULL;
	struct beside_record *r = &f->now;
	uint64_t id, pid, other = 0;

	if (load(h, &h->type, p, len, &id))
		e = kheader_format(h, id);
	*r = (struct beside_record){.time = f->time};
	if (e == NULL || !load(h, &e->pid, p, len, &pid) ||
	    (e->kind != RECORD_EVENT && !load(h, &e->func, p, len, &r->addr))) {
		b->unknown++;
		return false;
	}
	load(h, &e->other, p, len, &other);
	r->tid = (uint32_t)pid;
	r->other = (uint32_t)other;
	r->kind = e->kind;
	r->name = e->name;
	r->lost = f->lost;
	r->n_lost = f->n_lost;
	f->lost = false;
	f->n_lost = 0;
	return true;
}

/* Moves the file's time on. */
static void
take_time(struct beside_file *f, unsigned type, uint64_t delta, uint64_t word)
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
take_event(struct beside *b, struct beside_file *f)
{
	const char *p = f->in.p + f->pos;
	uint64_t left = f->end - f->pos, w, delta, word = 0, head = 4, len;
	bool big = b->header.big;
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
		damaged(b, f);
		return false;
	}
	f->pos += head + len;
	take_time(f, type, delta, word);
	return type < TYPE_PADDING && take_data(b, f, p + head, len);
}

bool
kernel_read(struct beside *b, struct beside_file *f)
{
	while (b->header.page) {
		if (f->pos < f->end) {
			if (take_event(b, f))
				return true;
		} else if (!next_page(b, f)) {
			break;
		}
	}
	return false;
}
