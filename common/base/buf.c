/* SPDX-License-Identifier: ISC */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/xalloc.h"

void
buf_room(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 64;

	if (b->cap - b->len >= n)
		return;
	if (n > SIZE_MAX / 4 || b->len > SIZE_MAX / 4)
		msg_die(EXIT_SYSTEM, "out of memory (%zu bytes)", n);
	while (cap - b->len < n)
		cap *= 2;
	b->p = xreallocn(b->p, cap, 1);
	b->cap = cap;
}

void
buf_done(struct buf *b)
{
	free(b->p);
	b->p = NULL;
	b->len = b->cap = 0;
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	buf_room(b, 1);
	va_start(ap, fmt);
	n = vsnprintf(b->p + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= b->cap - b->len) {
		buf_room(b, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(b->p + b->len, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}
