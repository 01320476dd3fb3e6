/* SPDX-License-Identifier: ISC */
#include "profile/pieces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/folded.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "io/out.h"
#include "base/xalloc.h"
#include "profile/table.h"

static const uint64_t NS = 1000000000;

/* Times that are so far apart are not told apart. */
static const uint64_t PIECES_MAX = INT64_MAX / 4;

/* Begins preliminary names: no frame of the input has such a byte. */
static const char MARK = 1;

static int64_t
number_of(const struct pieces *p, uint64_t first, uint64_t time)
{
	uint64_t n = time >= first ? (time - first) / p->width
				   : (first - time - 1) / p->width + 1;
	int64_t number = (int64_t)(n < PIECES_MAX ? n : PIECES_MAX);

	return time < first ? -number : number;
}

uint32_t
pieces_name(struct pieces *p, struct table *t, uint64_t first, uint64_t time)
{
	int64_t piece = number_of(p, first, time);
	struct buf b = BUF_INIT;

	if (p->any && piece == p->piece)
		return p->name;
	p->last = piece > p->last ? piece : p->last;
	p->before = -piece > p->before ? -piece : p->before;
	p->any = true;
	p->piece = piece;
	buf_printf(&b, "%c%" PRId64, MARK, piece);
	p->name = table_name(t, b.p, b.len);
	buf_done(&b);
	return p->name;
}

/* After the last time: appends the frame of a piece, at most 31 bytes. */
static void
pieces_text(const struct pieces *p, int64_t number, struct buf *b)
{
	uint64_t ns = (uint64_t)(number + p->before) * p->width, unit = 1000;
	uint64_t end = (uint64_t)(p->last + p->before) * p->width;
	int seconds = 1, places = 9;

	for (uint64_t s = end / NS; s >= 10; s /= 10)
		seconds++;
	for (; places > 3 && p->width % unit == 0; unit *= 1000)
		places -= 3;
	buf_printf(b, "[%0*" PRIu64 ".%09" PRIu64, seconds, ns / NS, ns % NS);
	b->len -= (size_t)(9 - places);
	buf_adds(b, "s]");
}

bool
pieces_is(const char *frame, size_t len, uint64_t *ns)
{
	return len > 3 && frame[0] == '[' && bytes_ends(frame, len, "s]") &&
	       num_seconds(frame + 1, len - 3, ns) == 0;
}

static uint32_t
final_name(const struct pieces *p, struct table *t, uint32_t name)
{
	struct buf b = BUF_INIT;
	uint64_t number;
	size_t len;
	const char *text = table_name_text(t, name, &len);
	bool before = len > 1 && text[1] == '-';

	if (len < 2 || text[0] != MARK ||
	    num_u64(text + 1 + before, len - 1 - before, &number) != 0)
		return name;
	pieces_text(p, before ? -(int64_t)number : (int64_t)number, &b);
	name = table_name(t, b.p, b.len);
	buf_done(&b);
	return name;
}

void
pieces_finish(const struct pieces *p, struct table *t, size_t at)
{
	for (uint32_t i = 0; i < table_stacks(t); i++) {
		size_t n;
		uint32_t *ids = table_edit(t, i, &n);

		if (n > at)
			ids[at] = final_name(p, t, ids[at]);
	}
}

void
failures_done(struct failures *f)
{
	free(f->v);
	*f = (struct failures){0};
}

/* Adds to the last one if it is of the same piece. */
static void
add(struct failures *f, const struct failure *one)
{
	struct failure *last = f->n ? &f->v[f->n - 1] : NULL;

	if (last && last->number == one->number &&
	    strcmp(last->piece, one->piece) == 0) {
		if (__builtin_add_overflow(last->n, one->n, &last->n))
			last->n = UINT64_MAX;
		return;
	}
	*xpush(f->v, f->n, f->cap) = *one;
}

void
failures_add(
    struct failures *f, struct pieces *p, uint64_t first, uint64_t time)
{
	int64_t number = number_of(p, first, time);
	struct failure one = {.n = 1};

	one.number = number < -p->before ? -p->before : number;
	p->last = one.number > p->last ? one.number : p->last;

	add(f, &one);
}

bool
failures_read(struct failures *f, const char *line, size_t len)
{
	static const char key[] = "failed=";
	char sep;
	const char *piece = folded_trailer(line, len, &sep), *end = line + len;
	const char *at =
	    piece ? memchr(piece, sep, (size_t)(end - piece)) : NULL;
	struct failure one = {.number = 0};
	uint64_t ns;
	size_t n;

	if (at == NULL || *piece != '[' ||
	    !bytes_starts(at + 1, (size_t)(end - at - 1), key))
		return false;
	if (end[-1] == '\r')
		end--;
	n = (size_t)(at - piece);
	at += sizeof key;
	if (n >= sizeof one.piece || !pieces_is(piece, n, &ns) ||
	    num_u64(at, (size_t)(end - at), &one.n) != 0 || one.n == 0)
		return false;
	memcpy(one.piece, piece, n);
	add(f, &one);
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	return strcmp(x->piece, y->piece);
}

void
failures_finish(struct failures *f, const struct pieces *p)
{
	struct buf b = BUF_INIT;
	size_t n = f->n;

	for (size_t i = 0; i < n; i++) {
		if (f->v[i].piece[0])
			continue;
		b.len = 0;
		pieces_text(p, f->v[i].number, &b);
		if (b.len < sizeof f->v[i].piece)
			memcpy(f->v[i].piece, b.p, b.len);
		f->v[i].number = 0;
	}
	buf_done(&b);
	if (n)
		qsort(f->v, n, sizeof *f->v, compare);
	f->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct failure one = f->v[i];

		add(f, &one);
	}
}

void
failures_put(const struct failures *f)
{
	for (size_t i = 0; i < f->n; i++)
		out_printf(FOLDED_TRAILER "%s,failed=%" PRIu64 "\n",
		    f->v[i].piece, f->v[i].n);
}
