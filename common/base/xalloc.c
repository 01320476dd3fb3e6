/* SPDX-License-Identifier: ISC */
#include "base/xalloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"

static void *
check(void *p, size_t size)
{
	if (p == NULL && size != 0)
		msg_die(EXIT_SYSTEM, "out of memory (%zu bytes)", size);
	return p;
}

void
xalloc_check(void)
{
	if (errno == ENOMEM)
		msg_die(EXIT_SYSTEM, "out of memory");
}

void *
xmalloc(size_t size)
{
	return check(malloc(size), size);
}

void *
xcalloc(size_t n, size_t size)
{
	return check(calloc(n, size), n && size ? n : 0);
}

void *
xreallocn(void *p, size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return check(reallocarray(p, n, size), n);
}

void *
xgrow_past(void *v, size_t n, size_t *cap, size_t size)
{
	if (*cap < 8)
		*cap = 8;
	while (*cap < n)
		*cap = *cap > SIZE_MAX / 2 ? n : *cap * 2;
	return xreallocn(v, *cap, size);
}

void *
xgrow0(void *v, size_t n, size_t *cap, size_t size)
{
	size_t old = *cap;

	v = xgrow(v, n, cap, size);
	if (*cap > old)
		memset((char *)v + old * size, 0, (*cap - old) * size);
	return v;
}

char *
xmemdup0(const char *p, size_t len)
{
	char *s = xmalloc(len + 1);

	if (len)
		memcpy(s, p, len);
	s[len] = 0;
	return s;
}

char *
xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}
