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

uint64_t
pieces_number(struct pieces *p, uint64_t ns)
{
	uint64_t piece = ns / p->width;

	if (piece > p->last)
		p->last = piece;
	return piece;
}

uint32_t
pieces_name(struct pieces *p, struct table *t, uint64_t ns)
{
	uint64_t piece = pieces_number(p, ns);
	struct buf b = BUF_INIT;

	if (p->any && piece == p->piece)
		return p->name;
	p->any = true;
	p->piece = piece;
	buf_printf(&b, "%c%" PRIu64, MARK, piece);
	p->name = table_name(t, b.p, b.len);
	buf_done(&b);
	return p->name;
}

void
pieces_text(const struct pieces *p, uint64_t number, struct buf *b)
{
	uint64_t ns = number * p->width, unit = 1000;
	int seconds = 1, places = 9;

	for (uint64_t s = p->last * p->width / NS; s >= 10; s /= 10)
		seconds++;
	for (; places > 3 && p->width % unit == 0; unit *= 1000)
		places -= 3;
	buf_printf(b, "[%0*" PRIu64 ".%09" PRIu64, seconds, ns / NS, ns % NS);
	b->len -= (size_t)(9 - places);
	buf_adds(b, "s]");
}

static uint32_t
last_name(void *arg, struct table *t, uint32_t name)
{
	struct buf b = BUF_INIT;
	uint64_t number;
	size_t len;
	const char *text = table_name_text(t, name, &len);

	if (len < 2 || text[0] != MARK ||
	    num_u64(text + 1, len - 1, &number) != 0)
		return name;
	pieces_text(arg, number, &b);
	name = table_name(t, b.p, b.len);
	buf_done(&b);
	return name;
}

void
pieces_finish(struct pieces *p, struct table *t, size_t at)
{
	table_rename(t, at, last_name, p);
}
