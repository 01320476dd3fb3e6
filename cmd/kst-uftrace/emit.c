/* SPDX-License-Identifier: ISC */
/*
 * Nearly all records are entries and exits of functions seen just before: names
 * come from a small cache, and of a time only the last eight digits are made
 * again.
 */
#include "emit.h"
#include "thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/events.h"
#include "io/out.h"
#include "folder/spec.h"
#include "folder/module.h"
#include "folder/syms.h"
#include "set/intern.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { CACHE_BITS = 13, TAIL = 100000000, BLOCK = 32, TEXT_MAX = 44 };

/* A function at an address in a view. */
struct cached {
	uint64_t key;		     /* view + 1 << 48 | address; 0 = free */
	const char *name;	     /* escaped, LF: if longer than text */
	const struct spec *specs[2]; /* of arguments, of the result */
	uint32_t len;
	char text[TEXT_MAX]; /* the name and LF */
};

void
emit_init(struct emit *e, const struct data *d, struct range *range)
{
	*e = (struct emit){.data = d,
	    .cache = xcalloc((size_t)1 << CACHE_BITS, sizeof *e->cache),
	    .names = intern_new(),
	    .mangled = intern_new(),
	    .base = UINT64_MAX,
	    .range = range};
}

void
emit_done(struct emit *e)
{
	for (uint32_t i = 0; i < intern_count(e->mangled); i++)
		free(e->plain[i]);
	free(e->plain);
	free(e->cache);
	intern_free(e->names);
	intern_free(e->mangled);
	buf_done(&e->text);
	buf_done(&e->args);
}

void
emit_name(struct thread *t, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '\t');
	event_escape(&b, name, strlen(name));
	buf_adds(&b, "\tB\t");
	t->line_len = b.len;
	buf_room(&b, BLOCK);
	t->line = b.p;
}

/* Adds the function's name, demangled once, as uftrace shows it. */
static void
add_name(struct emit *e, const struct func *f)
{
	uint32_t known = intern_count(e->mangled), id;

	if (f->name[0] != '_' || e->data->mangled) {
		event_escape(&e->text, f->name, f->len);
		return;
	}
	id = intern_id(e->mangled, f->name, f->len);
	if (id == known) {
		char *name = xmemdup0(f->name, f->len);

		*xitem(e->plain, id, e->plain_cap) =
		    spec_demangled(name, false);
		free(name);
	}
	if (e->plain[id])
		event_escape(&e->text, e->plain[id], strlen(e->plain[id]));
	else
		event_escape(&e->text, f->name, f->len);
}

static void
fill_cache(struct emit *e, struct cached *c, uint64_t key, uint32_t view,
    uint64_t addr)
{
	struct syms *syms = e->data->syms;
	struct func f;
	size_t len;

	*c = (struct cached){.key = key};
	e->text.len = 0;
	if (syms_find(syms, view, addr, &f)) {
		add_name(e, &f);
		for (int k = 0; k < 2; k++)
			c->specs[k] = specs_find(e->data->specs, &f, k);
	} else {
		buf_printf(
		    &e->text, "%#" PRIx64, syms_full_addr(syms, view, addr));
	}
	buf_addc(&e->text, '\n');
	len = e->text.len;
	if (len <= TEXT_MAX)
		memcpy(c->text, e->text.p, len);
	else
		c->name = intern_str(
		    e->names, intern_id(e->names, e->text.p, len), &len);
	c->len = (uint32_t)len - 1;
}

static inline const char *
name_of(const struct cached *c)
{
	return c->name ? c->name : c->text;
}

static inline const struct cached *
find_func(struct emit *e, uint32_t view, uint64_t addr)
{
	uint64_t key = (uint64_t)(view + 1) << 48 | addr;
	uint64_t h = key * 0x9e3779b97f4a7c15u >> (64 - CACHE_BITS);
	struct cached *c = &e->cache[h & ~(uint64_t)1];

	/* Two places for each hash; the newer comes first. */
	if (c[0].key == key)
		return c;
	if (c[1].key == key)
		return c + 1;
	c[1] = c[0];
	fill_cache(e, c, key, view, addr);
	return c;
}

/* The eight digits of v < 10^8, in the lanes of one word. */
static inline void
put_tail(char *p, uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t q = (x * 10486 >> 20) & 0x0000007f0000007f;

	x = q | (x - q * 100) << 16;
	q = (x * 103 >> 10) & 0x000f000f000f000f;
	x = (q | (x - q * 10) << 8) + 0x3030303030303030;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(p, &x, sizeof x);
}

static void __attribute__((noinline)) set_base(struct emit *e, uint64_t time)
{
	e->base = time - time % TAIL;
	e->base_len = e->base ? event_u64(e->base_text, e->base / TAIL) : 0;
}

/* Copies in blocks: reads and writes up to BLOCK bytes too many. */
static inline char *
put_block(char *p, const char *text, size_t len)
{
	memcpy(p, text, BLOCK);
	if (len > BLOCK)
		memcpy(p + BLOCK, text + BLOCK, len - BLOCK);
	return p + len;
}

/* Writes a line: time, track, B or E, function. */
static inline void
put_line(struct emit *e, const struct thread *t, bool is_exit,
    const struct cached *c)
{
	size_t need = 20 + t->line_len + c->len + 1 + 2 * BLOCK;
	char *p;

	if (out.cap - out.len < need)
		out_room(need);
	p = out.p + out.len;
	if (t->dat.time - e->base >= TAIL)
		set_base(e, t->dat.time);
	if (e->base_len) {
		memcpy(p, e->base_text, sizeof e->base_text);
		p += e->base_len;
		put_tail(p, (uint32_t)(t->dat.time - e->base));
		p += 8;
	} else {
		p += event_u64(p, t->dat.time);
	}
	p = put_block(p, t->line, t->line_len);
	p[-2] = is_exit ? 'E' : 'B';
	p = put_block(p, name_of(c), c->len + 1);
	out.len = (size_t)(p - out.p);
}

/* An event of the track, with e->args, if it is in the range. */
static void
emit_event(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, const char *name, size_t len)
{
	struct event ev = {.time = time,
	    .kind = kind,
	    .track = t->line + 1,
	    .track_len = t->line_len - 4,
	    .name = name,
	    .name_len = len,
	    .args = e->args.p,
	    .args_len = e->args.len};

	if (!e->quiet)
		event_put(&ev);
}

/* So many records were lost; 0: unknown. */
static void
put_lost(struct emit *e, struct thread *t)
{
	uint64_t n = dat_addr(&t->dat);
	char digits[20];
	struct event_args a = {.mark = EVENT_VALUE, .text = digits};

	e->args.len = 0;
	if (n) {
		a.len = event_u64(digits, n);
		event_add_args(&e->args, &a);
	}
	emit_event(e, t, t->dat.time, EVENT_LOST, "records", 7);
	if (dat_more(&t->dat))
		dat_search(&t->dat);
}

static void
put_instant(struct emit *e, struct thread *t)
{
	uint64_t id = dat_addr(&t->dat);
	const char *p, *name = data_event_name(e->data, id);
	char number[32];

	snprintf(number, sizeof number, "event:%" PRIu64, id);
	name = name ? name : number;
	e->text.len = e->args.len = 0;
	event_escape(&e->text, name, strlen(name));
	emit_event(e, t, t->dat.time, EVENT_INSTANT, e->text.p, e->text.len);
	if (!dat_more(&t->dat))
		return;
	p = dat_payload(&t->dat, 2);
	if (p)
		dat_skip(&t->dat, 2 + uint_load(p, 2, t->dat.big));
	else
		dat_search(&t->dat);
}

void
emit_repaired(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, uint64_t addr)
{
	const struct cached *c = find_func(e, t->view, addr & MASK48);
	const struct event_args a = {.repaired = true};

	e->args.len = 0;
	event_add_args(&e->args, &a);
	emit_event(e, t, time, kind, name_of(c), c->len);
}

/* A call or a return, then its arguments or result, which are skipped. */
static void
put_with_args(struct emit *e, struct thread *t, bool is_exit)
{
	const struct cached *c = find_func(e, t->view, dat_addr(&t->dat));
	const struct spec *sp = c->specs[is_exit];
	long len = sp ? spec_size(sp, &t->dat) : -1;

	e->args.len = 0;
	emit_event(e, t, t->dat.time, is_exit ? EVENT_END : EVENT_BEGIN,
	    name_of(c), c->len);
	if (len >= 0)
		dat_skip(&t->dat, (size_t)len);
	else
		dat_search(&t->dat);
}

static void __attribute__((noinline)) put_rare(struct emit *e, struct thread *t)
{
	enum dat_type type = dat_type(&t->dat);

	if (type == DAT_LOST)
		put_lost(e, t);
	else if (type == DAT_EVENT)
		put_instant(e, t);
	else
		put_with_args(e, t, type == DAT_EXIT);
}

void
emit_record(struct emit *e, struct thread *t)
{
	enum dat_type type = dat_type(&t->dat);

	if (type > DAT_EXIT || dat_more(&t->dat))
		put_rare(e, t);
	else if (!e->quiet)
		put_line(e, t, type == DAT_EXIT,
		    find_func(e, t->view, dat_addr(&t->dat)));
}
