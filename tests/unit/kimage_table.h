/* SPDX-License-Identifier: ISC */
/* For kimage_kallsyms.c and kimage_flat.c: makes tables of kallsyms. */
#ifndef KIMAGE_TABLE_H
#define KIMAGE_TABLE_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

/*
 * kallsyms: N names, the type `t` and letters, each a token of its own. One is
 * so long that its length has two bytes, one has a token of three letters.
 */
enum { N = 600, STEP = 16, HEAD = 4096, LONG = 7, TOKEN = 9 };
#define BASE UINT64_C(0xffffffff81000000)
#define BASE32 UINT64_C(0xc0009000)

/* The bytes of a word of the kernel: 8, or 4. */
static unsigned word = 8;

/* What is wrong with it. */
enum fault {
	GOOD,
	FEW,	    /* less than 256 names */
	BAD_MARKER, /* one is not where it says */
	BAD_TYPE,   /* of a symbol */
	NO_NAME,    /* of length 0 */
	BAD_TOKEN,  /* one does not end where the next one begins */
	FALLING,    /* addresses that do not rise */
	NO_MARKERS, /* but at once the tokens */
	SAME,	    /* all addresses */
	NOT_ZERO    /* the first distance */
};

/* Where the addresses are, and what they count from; IMAGE: AFTER, from 0. */
enum layout { BEFORE, AFTER, PLACES, PERCPU, IMAGE };

static void
put(struct buf *b, uint64_t v, unsigned bytes)
{
	while (bytes-- > 0) {
		buf_addc(b, (char)v);
		v >>= 8;
	}
}

static void
pad(struct buf *b, size_t to)
{
	while (b->len % to != 0)
		buf_addc(b, 0);
}

static void
put_addresses(struct buf *b, enum layout layout, enum fault fault, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t v = i * STEP;

		/* the first two are absolute, the others are odd */
		if (layout == PERCPU && i > 1)
			v = ~(v - 2 * STEP + 1);
		else if (layout == PLACES)
			v = HEAD + i * STEP - (uint32_t)b->len;
		if (fault == SAME)
			v = layout == PLACES ? HEAD - (uint32_t)b->len : 0;
		if (fault == FALLING && i == n / 2)
			v -= 2 * STEP;
		if (fault == NOT_ZERO && i == 0)
			v++;
		put(b, v, 4);
	}
	if (layout == PLACES)
		return;
	pad(b, word);
	put(b, layout == IMAGE ? 0 : word == 4 ? BASE32 : BASE, word);
}

/* The name of symbol i, with its type; `raw`, as it is in the table. */
static const char *
name_of_symbol(unsigned i, bool raw)
{
	static char name[700];
	int n;

	if (i == 20 || i == 24)
		return i == 20 ? "D__start_notes" : "D__stop_notes";
	n = snprintf(name, sizeof name, "%cname%u", i % 4 ? 't' : 'D', i);
	if (i == LONG)
		snprintf(name + n, sizeof name - (size_t)n, "%0600d", 1);
	if (i == LONG && !raw)
		name[513] = 0; /* what is kept of it, with the type */
	if (i == TOKEN)
		strcpy(name + n, raw ? "\001" : "q1");
	return name;
}

static void
put_names(struct buf *b, enum fault fault, unsigned n)
{
	struct buf names = BUF_INIT, marks = BUF_INIT;

	for (unsigned i = 0; i < n; i++) {
		const char *name = name_of_symbol(i, true);
		const size_t len = strlen(name);

		if (i % 256 == 0)
			put(&marks,
			    names.len + (fault == BAD_MARKER && i == 512), 4);
		if (len > 127)
			put(&names, (len << 1 & 0xff00) | (len & 0x7f) | 0x80,
			    2);
		else
			put(&names, fault == NO_NAME && i == 9 ? 0 : len, 1);
		buf_adds(&names, name);
		if (fault == BAD_TYPE && i == 9)
			names.p[names.len - len] = 'x';
	}
	put(b, n, 4);
	pad(b, word);
	buf_add(b, names.p, names.len);
	pad(b, word);
	if (fault != NO_MARKERS)
		buf_add(b, marks.p, marks.len);
	pad(b, word);
	buf_done(&names);
	buf_done(&marks);
}

static void
put_tokens(struct buf *b, enum fault fault)
{
	struct buf index = BUF_INIT;
	const size_t from = b->len;

	for (int i = 0; i < 256; i++) {
		put(&index, b->len - from + (fault == BAD_TOKEN && i == 99), 2);
		if (i > ' ' && i < 127)
			buf_addc(b, (char)i);
		else
			buf_printf(b, "q%d", i);
		buf_addc(b, 0);
	}
	pad(b, word);
	buf_add(b, index.p, index.len);
	buf_done(&index);
}

/* An image of that; what is before the table looks like nothing. */
static struct buf
make_names(enum layout layout, enum fault fault, unsigned n)
{
	struct buf b = BUF_INIT;

	buf_room(&b, HEAD + N * STEP);
	memset(b.p, 0xcc, HEAD + N * STEP);
	b.len = HEAD + N * STEP;
	if (layout == BEFORE || layout == PERCPU)
		put_addresses(&b, layout, fault, n);
	put_names(&b, fault, n);
	put_tokens(&b, fault);
	if (layout == AFTER || layout == PLACES || layout == IMAGE)
		put_addresses(&b, layout, fault, n);
	return b;
}

static struct buf
make_table(enum layout layout, enum fault fault)
{
	return make_names(layout, fault, fault == FEW ? 255 : N);
}

/* The bytes, after which nothing can be read. */
static uint8_t *
guarded(const void *p, size_t len, size_t *room)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *to;

	*room = (len + page - 1) / page * page + page;
	to = mmap(NULL, *room, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(to != MAP_FAILED &&
	      mprotect(to + *room - page, page, PROT_NONE) == 0);
	to += *room - page - len;
	if (len)
		memcpy(to, p, len);
	return to;
}

static void
release(uint8_t *p, size_t room)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	munmap((void *)((uintptr_t)p & ~(page - 1)), room);
}

#endif
