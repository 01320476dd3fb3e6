/* SPDX-License-Identifier: ISC */
/* The table of symbols; lists as nm(1) prints them, and /proc/kallsyms. */
#include "kimage/ksyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"

enum {
	FUNC_MAX = 256 << 10, /* of a function */
	FUNC_LAST = 4096      /* of one after which no other symbol is near */
};

void
ksyms_add(struct ksyms *k, uint64_t addr, char type, size_t name)
{
	const char *text = k->names.p + name;
	/* not what only ends a section of code */
	const bool code = strchr("tTwW", type) != NULL &&
			  strcmp(text, "_etext") != 0 &&
			  strcmp(text, "_einittext") != 0;

	if (k->n == 0)
		*xpush(k->v, k->n, k->cap) = (Elf64_Sym){0};
	*xpush(k->v, k->n, k->cap) = (Elf64_Sym){.st_name = (Elf64_Word)name,
	    .st_info = ELF64_ST_INFO(STB_GLOBAL, code ? STT_FUNC : STT_OBJECT),
	    .st_shndx = type == 'a' || type == 'A' ? SHN_ABS : 1,
	    .st_value = addr};
}

/* A line of the list; returns false if it is not one. */
static bool
add_line(struct ksyms *k, const char *p, size_t len)
{
	const char *space = memchr(p, ' ', len), *name, *end = p + len;
	const size_t from = k->names.len;
	uint64_t addr;

	if (space == NULL || end - space < 4 || space[2] != ' ' ||
	    from > UINT32_MAX / 2 ||
	    num_hex(p, (size_t)(space - p), &addr) != 0)
		return false;
	/* the module comes after a tab */
	for (name = space + 3; name < end && (unsigned char)*name > ' ';)
		buf_addc(&k->names, *name++);
	buf_addc(&k->names, 0);
	ksyms_add(k, addr, space[1], from);
	return true;
}

static int
by_address(const void *a, const void *b)
{
	const Elf64_Sym *x = a, *y = b;

	if (x->st_value != y->st_value)
		return x->st_value < y->st_value ? -1 : 1;
	return (x->st_name > y->st_name) - (x->st_name < y->st_name);
}

void
ksyms_end(struct ksyms *k)
{
	if (k->n > 0)
		qsort(k->v, k->n, sizeof *k->v, by_address);
	ksyms_move(k, 0);
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
		any |= k->v[k->n - 1].st_value;
		p += n + (nl != NULL);
	}
	if (any != 0) {
		ksyms_end(k);
	} else if (k->n > 0) {
		buf_adds(err,
		    "its addresses are all 0: /proc/kallsyms shows the real "
		    "ones only to root");
	}
	return any != 0;
}

void
ksyms_move(struct ksyms *k, uint64_t by)
{
	uint64_t next = 0, last = 0;

	for (size_t i = k->n; i-- > 1;) {
		Elf64_Sym *s = &k->v[i];

		s->st_value += by;
		if (s->st_value != last)
			next = last;
		last = s->st_value;
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			s->st_size =
			    next - last < FUNC_MAX ? next - last : FUNC_LAST;
	}
}

void
ksyms_done(struct ksyms *k)
{
	free(k->v);
	buf_done(&k->names);
}
