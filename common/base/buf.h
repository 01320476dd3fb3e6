/* SPDX-License-Identifier: ISC */
/*
 * A byte string that grows. Open, because hot paths append in place; `p` may be
 * NULL while `cap` is 0. NUL is a byte like others.
 */
#ifndef KST_BUF_H
#define KST_BUF_H

#include <stddef.h>
#include <string.h>

struct buf {
	char *p;
	size_t len, cap;
};

#define BUF_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Makes room for n more bytes after the string. */
void buf_room(struct buf *b, size_t n);

/* Frees the memory and leaves an empty, usable struct. */
void buf_done(struct buf *b);

void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline void
buf_add(struct buf *b, const char *p, size_t n)
{
	if (b->cap - b->len < n)
		buf_room(b, n);
	if (n)
		memcpy(b->p + b->len, p, n);
	b->len += n;
}

static inline void
buf_addc(struct buf *b, char c)
{
	if (b->cap == b->len)
		buf_room(b, 1);
	b->p[b->len++] = c;
}

static inline void
buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

/* The contents as a C string; its NUL is not counted. */
static inline char *
buf_str(struct buf *b)
{
	if (b->cap == b->len)
		buf_room(b, 1);
	b->p[b->len] = 0;
	return b->p;
}

#endif
