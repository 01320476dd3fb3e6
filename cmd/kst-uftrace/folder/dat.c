/* SPDX-License-Identifier: ISC */
#include "folder/dat.h"
#include "io/fault.h"

#include <stdlib.h>

#include "base/num.h"

/* A time is plausible up to this much after the last record's. */
static const uint64_t MAX_GAP = (uint64_t)3600 * 1000000000;

void
dat_init(struct dat *d, char *path, bool big, size_t buf_size)
{
	*d = (struct dat){.path = path,
	    .big = big,
	    .swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
	in_init_folder(&d->in, &d->path, 1, buf_size);
}

void
dat_done(struct dat *d)
{
	in_done(&d->in);
	free(d->path);
}

static uint64_t
word(const struct dat *d, const char *p)
{
	return uint_load(p, 8, d->big);
}

static bool
looks_right(const struct dat *d, const char *p)
{
	uint64_t time = word(d, p), data = word(d, p + 8);

	if ((data >> 3 & 7) != 5)
		return false;
	if (d->n == 0)
		return time != 0;
	return time >= d->time && time - d->time <= MAX_GAP;
}

/* A record, followed by another unless a payload or the end follows. */
static bool
starts_records(const struct dat *d, const char *p, size_t left)
{
	if (!looks_right(d, p))
		return false;
	if (word(d, p + 8) >> 2 & 1 || left < 2 * DAT_SIZE)
		return true;
	return looks_right(d, p + DAT_SIZE);
}

static void
find_records(struct dat *d)
{
	size_t left;

	while ((left = in_fill(&d->in, 2 * DAT_SIZE)) >= DAT_SIZE) {
		if (starts_records(d, d->in.p, left))
			return;
		d->in.p += 8;
	}
}

static void
fault(struct dat *d, const char *what)
{
	d->in.line = d->n;
	fault_say(d->resync, &d->in, "%s", what);
}

int
dat_next_slow(struct dat *d)
{
	size_t left = in_fill(&d->in, DAT_SIZE);

	if (left >= DAT_SIZE && (word(d, d->in.p + 8) >> 3 & 7) != 5) {
		fault(d, "no record follows; searching for the next one");
		find_records(d);
		left = in_fill(&d->in, DAT_SIZE);
	}
	if (left < DAT_SIZE) {
		if (left > 0) {
			fault(d, "cut off in a record");
			d->in.p = d->in.end;
		}
		return 0;
	}
	d->time = word(d, d->in.p);
	d->data = word(d, d->in.p + 8);
	d->in.p += DAT_SIZE;
	d->n++;
	return 1;
}

const char *
dat_payload(struct dat *d, size_t n)
{
	return in_fill(&d->in, n) >= n ? d->in.p : NULL;
}

void
dat_skip(struct dat *d, size_t n)
{
	size_t left;

	n = (n + 7) & ~(size_t)7;
	left = in_fill(&d->in, n);
	if (left < n) {
		fault(d, "cut off in a payload");
		n = left;
	}
	d->in.p += n;
}

void
dat_search(struct dat *d)
{
	fault(d, "payload of unknown layout; searching for the next record");
	find_records(d);
}
