/* SPDX-License-Identifier: ISC */
/* Which functions of two ELF files have other code: --compare. */
#include "sym.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "code/same.h"
#include "io/out.h"
#include "names/demangle.h"
#include "rights/rights.h"
#include "set/hash.h"
#include "text/folded.h"

/* A function of one file; hash: of its code without addresses. */
struct func {
	struct elfsym_func at;
	uint64_t hash;
};

struct funcs {
	struct func *v;
	size_t n, cap;
};

/* A line of the list; old: the one to compare with; NULL: there is none. */
struct change {
	const char *what;
	const struct func *f, *old;
};

struct changes {
	struct change *v;
	size_t n, cap;
	size_t places; /* with `old` */
};

/* Where more differ, such as of two compilers, their places tell little. */
enum { PLACES_OF = 200 };

static void
add_target(void *arg, uint64_t addr, struct buf *b)
{
	sym_add_target(arg, addr, b);
}

static int
compare(const void *pa, const void *pb)
{
	const struct func *a = pa, *b = pb;
	int c = bytes_cmp(a->at.name, a->at.len, b->at.name, b->at.len);

	return c != 0 ? c : a->hash < b->hash ? -1 : a->hash > b->hash;
}

static void
read_funcs(struct elfsym *s, struct funcs *to)
{
	struct same_code c;
	struct buf b = BUF_INIT;
	struct elfsym_func f;

	for (size_t i = 0; elfsym_nth(s, i, &f); i++) {
		if (!sym_code(s, &f, &c))
			continue;
		c.name = add_target;
		c.arg = s;
		b.len = 0;
		same_code(&c, &b);
		*xpush(to->v, to->n, to->cap) =
		    (struct func){f, hash_bytes(b.len ? b.p : "", b.len)};
	}
	buf_done(&b);
	if (to->n)
		qsort(to->v, to->n, sizeof *to->v, compare);
}

/* Control characters could end the line. */
static void
put_name(const char *p, size_t len)
{
	struct buf b = BUF_INIT;

	folded_add_name(&b, p, len);
	out_put(b.p, b.len);
	buf_done(&b);
}

/* `places` is empty if none are known. */
static void
put(const struct change *c, const struct buf *places)
{
	const struct elfsym_func *f = &c->f->at;
	struct buf readable = BUF_INIT;

	out_puts(c->what);
	out_putc('\t');
	put_name(f->name, f->len);
	if (demangle_name(f->name, f->len, &readable)) {
		out_putc('\t');
		put_name(readable.p, readable.len);
	} else if (places->len > 0) {
		out_putc('\t');
	}
	if (places->len > 0) {
		out_putc('\t');
		out_put(places->p, places->len);
	}
	out_putc('\n');
	buf_done(&readable);
}

static void
put_changes(const struct sym *s, const struct changes *all)
{
	const bool says = s->lines || all->places <= PLACES_OF;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < all->n; i++) {
		const struct change *c = &all->v[i];

		b.len = 0;
		if (c->old && says)
			sym_places(s->module[0], &c->old->at, s->module[1],
			    &c->f->at, &b);
		put(c, &b);
	}
	buf_done(&b);
}

/* How many from i on have the name of that one. */
static size_t
same_name(const struct funcs *f, size_t i)
{
	const struct elfsym_func *a = &f->v[i].at;
	size_t n = 1;

	while (i + n < f->n && bytes_same(a->name, a->len, f->v[i + n].at.name,
				   f->v[i + n].at.len))
		n++;
	return n;
}

static void
add(struct changes *all, const char *what, const struct func *f,
    const struct func *old)
{
	*xpush(all->v, all->n, all->cap) = (struct change){what, f, old};
	all->places += old != NULL;
}

/*
 * Functions of one name, such as static ones, are equal if all of them are, in
 * the order of their hashes. Compared are the first two without a partner.
 */
static void
add_differing(struct changes *all, const struct func *a, size_t n,
    const struct func *b, size_t m)
{
	size_t i = 0, k = 0, left[2] = {n, m};

	while (i < n || k < m) {
		const int c = i == n		      ? 1
			      : k == m		      ? -1
			      : a[i].hash < b[k].hash ? -1
						      : a[i].hash > b[k].hash;

		if (c < 0 && left[0] == n)
			left[0] = i;
		if (c > 0 && left[1] == m)
			left[1] = k;
		i += c <= 0;
		k += c >= 0;
	}
	if (left[0] < n || left[1] < m)
		add(all, "differs", left[1] < m ? b + left[1] : b,
		    left[0] < n && left[1] < m ? a + left[0] : NULL);
}

static void
find_changes(struct changes *all, const struct funcs *f)
{
	size_t i = 0, k = 0;

	while (i < f[0].n || k < f[1].n) {
		const struct func *a = f[0].v + i, *b = f[1].v + k;
		int c = i == f[0].n   ? 1
			: k == f[1].n ? -1
				      : bytes_cmp(a->at.name, a->at.len,
					    b->at.name, b->at.len);
		size_t n = c <= 0 ? same_name(&f[0], i) : 0;
		size_t m = c >= 0 ? same_name(&f[1], k) : 0;

		if (n == 0)
			add(all, "added", b, NULL);
		else if (m == 0)
			add(all, "removed", a, NULL);
		else
			add_differing(all, a, n, b, m);
		i += n;
		k += m;
	}
}

int
sym_compare(struct sym *s, const struct rights *keeps)
{
	struct elfsym *old = s->module[0], *new = s->module[1];
	struct funcs f[2] = {{0}};
	struct changes all = {0};
	bool failed;

	rights_keep(keeps);
	if (elfsym_code(old, 0).machine != elfsym_code(new, 0).machine) {
		msg("the two files are for two processors");
		return EXIT_FAILED;
	}
	if (!same_knows(elfsym_code(new, 0).machine)) {
		msg("code is compared for x86_64, i386, aarch64 and riscv, and "
		    "the two files are for another processor: kst flame "
		    "--base compares what is sampled");
		return EXIT_FAILED;
	}
	read_funcs(old, &f[0]);
	read_funcs(new, &f[1]);
	find_changes(&all, f);
	failed = !s->lines && sym_say_damage(s);
	put_changes(s, &all);
	failed |= s->lines && sym_say_damage(s);
	free(f[0].v);
	free(f[1].v);
	free(all.v);
	return out_end(failed ? EXIT_FAILED : EXIT_OK);
}
