/* SPDX-License-Identifier: ISC */
#include "cover/lcov.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "io/out.h"
#include "set/intern.h"

/* In the order of a tracefile. */
enum { FUNCTION, BRANCH, LINE };

/* Items of lines that are kept before they are added up. */
enum { MANY = 1 << 22 };

void
lcov_init(struct lcov *l)
{
	*l = (struct lcov){.files = intern_new()};
}

void
lcov_done(struct lcov *l)
{
	intern_free(l->files);
	free(l->v);
	buf_done(&l->names);
}

uint32_t
lcov_file(struct lcov *l, const char *path, size_t len)
{
	size_t n;
	const char *last = l->last < intern_count(l->files)
			       ? intern_str(l->files, l->last, &n)
			       : NULL;

	if (last == NULL || n != len || memcmp(last, path, len) != 0)
		l->last = intern_id(l->files, path, len);
	return l->last;
}

static int
compare(const void *a, const void *b)
{
	const struct lcov_item *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Sorts, and adds up the counts of each line. */
static void
gather(struct lcov *l)
{
	size_t n = 0;

	qsort(l->v, l->n, sizeof *l->v, compare);
	for (size_t i = 0; i < l->n; i++) {
		struct lcov_item *last = n > 0 ? &l->v[n - 1] : NULL;

		if (last && l->v[i].kind == LINE &&
		    compare(last, &l->v[i]) == 0)
			last->a += l->v[i].a;
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
}

void
lcov_line(struct lcov *l, const struct lcov_row *row, uint64_t n)
{
	const struct lcov_item *last = l->n > 0 ? &l->v[l->n - 1] : NULL;

	if (last && last->kind == LINE && last->file == row->file &&
	    last->line == row->line) {
		l->v[l->n - 1].a += n;
		return;
	}
	if (l->n == l->cap && l->n >= MANY)
		gather(l);
	*xpush(l->v, l->n, l->cap) = (struct lcov_item){
	    .file = row->file, .line = row->line, .kind = LINE, .a = n};
}

void
lcov_function(struct lcov *l, const struct lcov_row *row, const char *name,
    size_t len, uint64_t n)
{
	*xpush(l->v, l->n, l->cap) = (struct lcov_item){.file = row->file,
	    .line = row->line,
	    .kind = FUNCTION,
	    .a = n,
	    .key = l->names.len};
	buf_add(&l->names, name, len);
	buf_addc(&l->names, 0);
}

void
lcov_branch(
    struct lcov *l, const struct lcov_row *row, const struct lcov_branch *b)
{
	*xpush(l->v, l->n, l->cap) = (struct lcov_item){.file = row->file,
	    .line = row->line,
	    .kind = BRANCH,
	    .a = b->executed ? b->on : UINT64_MAX,
	    .b = b->taken,
	    .key = b->addr};
}

/* Text within a line. */
static void
put_text(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out_putc(
		    (unsigned char)p[i] < 0x20 || p[i] == 0x7f ? '?' : p[i]);
}

static void
put_functions(const struct lcov *l, const struct lcov_item *v, size_t n)
{
	size_t hit = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = l->names.p + v[i].key;

		out_printf("FN:%" PRIu32 ",", v[i].line);
		put_text(name, strlen(name));
		out_putc('\n');
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = l->names.p + v[i].key;

		out_printf("FNDA:%" PRIu64 ",", v[i].a);
		put_text(name, strlen(name));
		out_putc('\n');
		hit += v[i].a > 0;
	}
	out_printf("FNF:%zu\nFNH:%zu\n", n, hit);
}

static void
put_branches(const struct lcov_item *v, size_t n)
{
	size_t hit = 0, block = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t way[] = {v[i].a, v[i].b};

		block = i > 0 && v[i - 1].line == v[i].line ? block + 1 : 0;
		for (int k = 0; k < 2; k++) {
			out_printf(
			    "BRDA:%" PRIu32 ",%zu,%d,", v[i].line, block, k);
			if (v[i].a == UINT64_MAX)
				out_puts("-\n");
			else
				out_printf("%" PRIu64 "\n", way[k]);
			hit += v[i].a != UINT64_MAX && way[k] > 0;
		}
	}
	out_printf("BRF:%zu\nBRH:%zu\n", 2 * n, hit);
}

static void
put_lines(const struct lcov_item *v, size_t n)
{
	size_t hit = 0;

	for (size_t i = 0; i < n; i++) {
		out_printf("DA:%" PRIu32 ",%" PRIu64 "\n", v[i].line, v[i].a);
		hit += v[i].a > 0;
	}
	out_printf("LF:%zu\nLH:%zu\n", n, hit);
}

/* How many of the items from the first on have its file and that kind. */
static size_t
run_of(const struct lcov_item *v, size_t n, uint32_t of, uint32_t kind)
{
	size_t i = 0;

	while (i < n && v[i].file == of && v[i].kind == kind)
		i++;
	return i;
}

void
lcov_write(struct lcov *l)
{
	size_t len;

	gather(l);
	out_puts(LCOV_MARK);
	for (size_t i = 0; i < l->n;) {
		const uint32_t of = l->v[i].file;
		const char *path = intern_str(l->files, of, &len);
		size_t n;

		out_puts("SF:");
		put_text(path, len);
		out_putc('\n');
		n = run_of(l->v + i, l->n - i, of, FUNCTION);
		put_functions(l, l->v + i, n);
		i += n;
		n = run_of(l->v + i, l->n - i, of, BRANCH);
		put_branches(l->v + i, n);
		i += n;
		n = run_of(l->v + i, l->n - i, of, LINE);
		put_lines(l->v + i, n);
		i += n;
		out_puts("end_of_record\n");
	}
}
