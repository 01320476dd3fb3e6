/* SPDX-License-Identifier: ISC */
/* Symbols as nm(1) prints them, which System.map is, and /proc/kallsyms. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "kimage/ksyms.h"

/* A line of the list; returns false if it is not one. */
static bool
add_line(struct ksyms *k, const char *p, size_t len)
{
	const char *space = memchr(p, ' ', len), *name, *end = p + len;
	struct ksym s;

	if (space == NULL || end - space < 4 || space[2] != ' ' ||
	    k->names.len > UINT32_MAX / 2 ||
	    num_hex(p, (size_t)(space - p), &s.addr) != 0)
		return false;
	name = space + 3;
	s.type = space[1];
	s.name = (uint32_t)k->names.len;
	/* the module comes after a tab */
	while (name<end && * name> ' ')
		buf_addc(&k->names, *name++);
	buf_addc(&k->names, 0);
	*xpush(k->v, k->n, k->cap) = s;
	return true;
}

static int
by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

bool
ksyms_list(const char *p, size_t len, struct ksyms *k, struct buf *err)
{
	const char *end = p + len;
	uint64_t any = 0;

	k->from = KSYMS_ZERO;
	buf_addc(&k->names, 0);
	for (size_t line = 1; p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const size_t n = (size_t)((nl ? nl : end) - p);

		if (!add_line(k, p, n)) {
			if (line > 1)
				buf_printf(err,
				    "line %zu is not `ADDRESS TYPE NAME'",
				    line);
			return false;
		}
		any |= k->v[k->n - 1].addr;
		p += n + (nl != NULL);
	}
	if (k->n > 0 && any == 0)
		buf_adds(err, "its addresses are all 0: /proc/kallsyms shows "
			      "them to root");
	if (any != 0)
		qsort(k->v, k->n, sizeof *k->v, by_address);
	return any != 0;
}

void
ksyms_move(struct ksyms *k, uint64_t by)
{
	for (size_t i = 0; i < k->n; i++)
		k->v[i].addr += by;
}

void
ksyms_done(struct ksyms *k)
{
	free(k->v);
	buf_done(&k->names);
}
