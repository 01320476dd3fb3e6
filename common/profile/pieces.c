/* SPDX-License-Identifier: ISC */
#include "profile/pieces.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "profile/table.h"

static const uint64_t NS = 1000000000;

/* Begins preliminary names: no frame of the input has such a byte. */
static const char MARK = 1;

uint32_t
pieces_name(struct pieces *p, struct table *t, uint64_t ns)
{
	uint64_t piece = ns / p->width;
	struct buf b = BUF_INIT;

	if (p->any && piece == p->piece)
		return p->name;
	if (!p->any || piece > p->last)
		p->last = piece;
	p->any = true;
	p->piece = piece;
	buf_printf(&b, "%c%" PRIu64, MARK, piece);
	p->name = table_name(t, b.p, b.len);
	buf_done(&b);
	return p->name;
}

struct digits {
	const struct pieces *p;
	int seconds, places;
};

static uint32_t
last_name(void *arg, struct table *t, uint32_t name)
{
	const struct digits *d = arg;
	struct buf b = BUF_INIT;
	uint64_t ns;
	size_t len;
	const char *text = table_name_text(t, name, &len);

	if (len < 2 || text[0] != MARK || num_u64(text + 1, len - 1, &ns) != 0)
		return name;
	ns *= d->p->width;
	buf_printf(
	    &b, "[%0*" PRIu64 ".%09" PRIu64, d->seconds, ns / NS, ns % NS);
	b.len -= (size_t)(9 - d->places);
	buf_adds(&b, "s]");
	name = table_name(t, b.p, b.len);
	buf_done(&b);
	return name;
}

void
pieces_finish(const struct pieces *p, struct table *t, size_t at)
{
	struct digits d = {p, 1, 9};
	uint64_t unit = 1000;

	for (uint64_t s = p->last * p->width / NS; s >= 10; s /= 10)
		d.seconds++;
	for (; d.places > 3 && p->width % unit == 0; unit *= 1000)
		d.places -= 3;
	table_rename(t, at, last_name, &d);
}
