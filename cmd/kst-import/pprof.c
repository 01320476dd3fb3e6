/* SPDX-License-Identifier: ISC */
/* pprof's format: one message of protobuf, mostly packed by gzip. */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "pprof.pb-c.h"
#include "set/intern.h"
#include "text/folded.h"

enum { ID = sizeof(uint64_t) };

/* Appends the unpacked file. */
static const char *
read_file(struct import *im, struct buf *b)
{
	struct in *in = &im->in;
	const unsigned file = in->file_no;
	bool gzip = bytes_starts(in->p, (size_t)(in->end - in->p), "\x1f\x8b");
	z_stream z = {0};
	int status = gzip ? inflateInit2(&z, 16 + MAX_WBITS) : Z_OK;

	while (status == Z_OK && b->len <= PPROF_MAX && in_more(in, file)) {
		size_t have = (size_t)(in->end - in->p);

		if (!gzip) {
			buf_add(b, in->p, have);
			in->p += have;
			continue;
		}
		buf_room(b, 1 << 16);
		z.next_in = (unsigned char *)(uintptr_t)in->p;
		z.avail_in = (unsigned)have;
		z.next_out = (unsigned char *)b->p + b->len;
		z.avail_out = 1 << 16;
		status = inflate(&z, Z_NO_FLUSH);
		in->p = (const char *)z.next_in;
		b->len = (size_t)((char *)z.next_out - b->p);
		if (status == Z_STREAM_END && in_more(in, file))
			status = inflateReset(&z); /* a further member */
	}
	if (status == Z_MEM_ERROR)
		msg_die(EXIT_SYSTEM, "out of memory");
	inflateEnd(&z);
	return b->len > PPROF_MAX		? "too large to be held"
	       : gzip && status != Z_STREAM_END ? "cut, or not gzip's format"
						: NULL;
}

/* protobuf-c's memory, from `left` bytes; messages are freed together. */
static void *
take(void *left, size_t size)
{
	size_t *n = left;

	if (size > *n)
		return NULL;
	*n -= size;
	return xmalloc(size);
}

static void
give(void *left, void *p)
{
	(void)left;
	free(p);
}

/* A text of the profile, empty where there is none. */
static const char *
text(const Pprof__Profile *p, int64_t i, size_t *len)
{
	*len = 0;
	if ((uint64_t)i >= p->n_string_table)
		return "";
	*len = p->string_table[i].len;
	return *len ? (const char *)p->string_table[i].data : "";
}

static bool
is_text(const Pprof__Profile *p, int64_t i, const char *word)
{
	size_t len;
	const char *s = text(p, i, &len);

	return bytes_is(s, len, word);
}

/*
 * Which value counts: the one asked for or, as in pprof, the default one or the
 * last; but samples where they are counted. -1: there is none of that name.
 */
static int64_t
choose_type(const struct import *im, const Pprof__Profile *p)
{
	int64_t best = im->o->type ? -1 : (int64_t)p->n_sample_type - 1;
	const char *word = im->o->type ? im->o->type : "samples";

	for (size_t i = p->n_sample_type; i > 0; i--) {
		int64_t type = p->sample_type[i - 1]->type;

		if (is_text(p, type, word) ||
		    (!im->o->type && type == p->default_sample_type && type))
			best = (int64_t)i - 1;
	}
	return best;
}

static void
add_trailer(
    struct import *im, const Pprof__Profile *p, const Pprof__ValueType *t)
{
	size_t len;
	const char *s;

	for (size_t i = 0; i < p->n_comment && im->said.len == 0; i++) {
		s = text(p, p->comment[i], &len);
		buf_add(&im->said, s, len);
	}
	buf_adds(&im->unit, FOLDED_TRAILER "unit=");
	s = text(p, t->type, &len);
	if (is_text(p, t->unit, "nanoseconds"))
		buf_adds(&im->unit, "ns");
	else if (is_text(p, t->unit, "bytes"))
		buf_adds(&im->unit, "bytes");
	else
		buf_add(&im->unit, s, len);
}

/* Adds a location's frames, the outermost first; returns the new length. */
static size_t
add_location(struct import *im, const Pprof__Profile *p,
    const struct intern *functions, const Pprof__Location *l, size_t n)
{
	char address[24];
	size_t len;

	for (size_t i = l->n_line; i > 0 && n <= STACK_MAX; i--) {
		uint32_t f = intern_find(
		    functions, (const char *)&l->line[i - 1]->function_id, ID);
		const char *name = f == UINT32_MAX
				       ? NULL
				       : text(p, p->function[f]->name, &len);

		*xpush(im->key, n, im->key_cap) =
		    table_any_name(im->table, name, name ? len : 0);
	}
	if (l->n_line == 0) {
		snprintf(address, sizeof address, "0x%" PRIx64, l->address);
		*xpush(im->key, n, im->key_cap) =
		    table_any_name(im->table, address, strlen(address));
	}
	return n;
}

/* False if the sample does not fit the profile. */
static bool
add_sample(struct import *im, const Pprof__Profile *p,
    struct intern *const of[2], const Pprof__Sample *s, size_t type)
{
	struct count count = {0};
	size_t n = 0;

	if (type >= s->n_value)
		return false;
	for (size_t i = s->n_location_id; i > 0; i--) {
		uint32_t l = intern_find(
		    of[0], (const char *)&s->location_id[i - 1], ID);

		if (l == UINT32_MAX || n > STACK_MAX)
			return false;
		n = add_location(im, p, of[1], p->location[l], n);
	}
	im->frames += n;
	if (n > STACK_MAX || im->frames > FRAMES_MAX)
		return false;
	count.whole = (uint64_t)s->value[type];
	im->negative += s->value[type] < 0;
	if (s->value[type] > 0)
		im->overflows += table_add(im->table, im->key, n, &count) != 0;
	return true;
}

/* The numbers of the interns are those of the arrays: an id comes once. */
static const char *
add_profile(struct import *im, const Pprof__Profile *p)
{
	struct intern *const of[2] = {intern_new(), intern_new()};
	int64_t type = choose_type(im, p);
	bool good = type < 0 ||
		    (uint64_t)p->sample_type[type]->type < p->n_string_table;

	im->frames = 0;
	for (size_t i = 0; i < p->n_location; i++)
		good &= intern_id(of[0], (char *)&p->location[i]->id, ID) == i;
	for (size_t i = 0; i < p->n_function; i++)
		good &=
		    intern_id(of[1], (char *)&p->function[i]->id, ID) == i &&
		    (uint64_t)p->function[i]->name < p->n_string_table;
	for (size_t i = 0; i < p->n_sample && good && type >= 0; i++)
		good = add_sample(im, p, of, p->sample[i], (size_t)type);
	intern_free(of[0]);
	intern_free(of[1]);
	if (type >= 0)
		add_trailer(im, p, p->sample_type[type]);
	return type < 0 ? "it has no values of that type"
	       : good	? NULL
	       : im->frames > FRAMES_MAX
		   ? "its stacks are too large to be held"
		   : "its samples, locations, functions and names do not fit";
}

const char *
pprof_read(struct import *im)
{
	size_t left = MEMORY_MAX;
	ProtobufCAllocator memory = {take, give, &left};
	struct buf b = BUF_INIT;
	const char *why = read_file(im, &b);
	Pprof__Profile *p = NULL;

	if (why == NULL) {
		p = pprof__profile__unpack(
		    &memory, b.len, (const uint8_t *)b.p);
		why = p ? add_profile(im, p)
			: "not a profile of pprof, or a damaged one";
	}
	if (p)
		pprof__profile__free_unpacked(p, &memory);
	buf_done(&b);
	return why;
}
