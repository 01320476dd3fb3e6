/* SPDX-License-Identifier: ISC */
/* Which functions of two ELF files have other code: --compare. */
#include "sym.h"

#include <inttypes.h>
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
	const char *name;
	size_t len;
	uint64_t hash;
};

struct funcs {
	struct func *v;
	size_t n, cap;
};

/* The name of a function, or of another's place in it. */
static void
add_place(void *arg, uint64_t addr, struct buf *b)
{
	struct elfsym *s = arg;
	struct elfsym_func f;

	if (elfsym_find(s, addr, &f)) {
		buf_add(b, f.name, f.len);
		buf_printf(b, "+%" PRIx64, addr - f.start);
	}
}

static int
compare(const void *pa, const void *pb)
{
	const struct func *a = pa, *b = pb;
	int c = bytes_cmp(a->name, a->len, b->name, b->len);

	return c != 0 ? c : a->hash < b->hash ? -1 : a->hash > b->hash;
}

static void
read_funcs(struct elfsym *s, struct funcs *to)
{
	struct same_code c = {.name = add_place, .arg = s};
	struct buf b = BUF_INIT;
	struct elfsym_func f;

	for (size_t i = 0; elfsym_nth(s, i, &f); i++) {
		const struct elfsym_code code = elfsym_code(s, f.start);

		if (code.p == NULL)
			continue;
		c.machine = code.machine;
		c.low = code.low;
		c.high = code.high;
		c.addr = f.start;
		c.p = code.p;
		c.n = code.n;
		if (c.n > f.end - f.start)
			c.n = (size_t)(f.end - f.start);
		b.len = 0;
		same_code(&c, &b);
		*xpush(to->v, to->n, to->cap) = (struct func){
		    f.name, f.len, hash_bytes(b.len ? b.p : "", b.len)};
	}
	buf_done(&b);
	if (to->n)
		qsort(to->v, to->n, sizeof *to->v, compare);
}

static void
put(const char *what, const struct func *f)
{
	struct buf b = BUF_INIT, readable = BUF_INIT;

	out_puts(what);
	out_putc('\t');
	folded_add_name(&b, f->name, f->len);
	out_put(b.p, b.len);
	if (demangle_name(f->name, f->len, &readable)) {
		b.len = 0;
		folded_add_name(&b, readable.p, readable.len);
		out_putc('\t');
		out_put(b.p, b.len);
	}
	out_putc('\n');
	buf_done(&b);
	buf_done(&readable);
}

/* How many from i on have the name of that one. */
static size_t
same_name(const struct funcs *f, size_t i)
{
	size_t n = 1;

	while (i + n < f->n && bytes_same(f->v[i].name, f->v[i].len,
				   f->v[i + n].name, f->v[i + n].len))
		n++;
	return n;
}

/* Functions of one name, such as static ones, are equal if all of them are. */
static bool
equal(const struct func *a, size_t n, const struct func *b, size_t m)
{
	for (size_t i = 0; n == m && i < n; i++)
		if (a[i].hash != b[i].hash)
			return false;
	return n == m;
}

int
sym_compare(struct sym *s, const struct rights *keeps)
{
	struct elfsym *old = s->module[0], *new = s->module[1];
	struct funcs f[2] = {{0}};
	size_t i = 0, k = 0;

	rights_keep(keeps);
	if (elfsym_code(old, 0).machine != elfsym_code(new, 0).machine ||
	    !same_knows(elfsym_code(new, 0).machine)) {
		msg("code is compared in two files for x86_64, i386, aarch64 "
		    "or riscv64, both for one of them");
		return EXIT_FAILED;
	}
	read_funcs(old, &f[0]);
	read_funcs(new, &f[1]);
	while (i < f[0].n || k < f[1].n) {
		const struct func *a = f[0].v + i, *b = f[1].v + k;
		int c = i == f[0].n ? 1
			: k == f[1].n
			    ? -1
			    : bytes_cmp(a->name, a->len, b->name, b->len);
		size_t n = c <= 0 ? same_name(&f[0], i) : 0;
		size_t m = c >= 0 ? same_name(&f[1], k) : 0;

		if (n == 0)
			put("added", b);
		else if (m == 0)
			put("removed", a);
		else if (!equal(a, n, b, m))
			put("differs", b);
		i += n;
		k += m;
	}
	free(f[0].v);
	free(f[1].v);
	return out_end(sym_say_damage(s) ? EXIT_FAILED : EXIT_OK);
}
