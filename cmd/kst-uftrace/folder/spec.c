/* SPDX-License-Identifier: ISC */
/*
 * A record does not tell the layout of its payload: values are packed, each
 * padded to 4 bytes, strings after a 16-bit length.
 */
#include "folder/spec.h"

#include <stdlib.h>
#include <string.h>
#include <fnmatch.h>

#include "base/buf.h"
#include "folder/dat.h"
#include "base/bytes.h"
#include "set/intern.h"
#include "names/demangle.h"
#include "names/name.h"
#include "names/rx.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { ARGS_MAX = 64, STRUCT_MAX = 4096 };

/* fmt: as in the text (d i u x o s S c f p e t P), or 'd'. */
struct spec_arg {
	char fmt;
	uint16_t size;
};

struct spec {
	struct spec *next; /* of all that struct specs owns */
	size_t n;
	struct spec_arg args[];
};

/* `NAME@SPEC` where NAME may be a pattern. */
struct name_spec {
	char *name;
	struct rx *rx;	   /* NULL: a plain name, or a glob pattern */
	struct spec *spec; /* NULL: what the automatic ones say */
};

struct name_specs {
	struct name_spec *v;
	size_t n, cap;
};

/* Exact names to specs. */
struct autos {
	struct intern *names;
	struct spec **v; /* by name number */
	size_t cap;
};

struct specs {
	bool glob;
	struct spec *all;
	struct name_specs rules[2]; /* arguments, results */
	struct autos autos[2];
};

struct specs *
specs_new(void)
{
	struct specs *s = xcalloc(1, sizeof *s);

	s->autos[0].names = intern_new();
	s->autos[1].names = intern_new();
	return s;
}

void
specs_free(struct specs *s)
{
	if (s == NULL)
		return;
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < s->rules[k].n; i++) {
			struct name_spec *r = &s->rules[k].v[i];

			rx_free(r->rx);
			free(r->name);
		}
		free(s->rules[k].v);
		free(s->autos[k].v);
		intern_free(s->autos[k].names);
	}
	for (struct spec *sp = s->all, *next; sp; sp = next) {
		next = sp->next;
		free(sp);
	}
	free(s);
}

/* `/FORMAT[BITS]` after `argN`, `fpargN` or `retval`. */
static bool
parse_format(const char *p, struct spec_arg *a, bool lp64)
{
	char *end;
	long bits;

	if (*p == 0 || *p == '%')
		return true;
	if (*p++ != '/')
		return false;
	if (*p == 't') {
		bits = strtol(p + 1, &end, 10);
		if (bits < 0 || bits > STRUCT_MAX)
			return false;
		a->fmt = 't';
		a->size = (uint16_t)bits;
		return true;
	}
	if (*p < '0' || *p > '9') {
		a->fmt = *p;
		if (*p++ == 0 || strchr("diuxosScfpeP", a->fmt) == NULL)
			return false;
		a->size = lp64 || a->fmt == 'f' ? 8 : 4;
		if (a->fmt == 'c')
			a->size = 1;
		if (a->fmt == 'P')
			a->size = 4;
		if (a->fmt == 'e')
			return true;
	}
	bits = strtol(p, &end, 10);
	if (end == p)
		return true;
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 80)
		return false;
	a->size = (uint16_t)(bits / 8);
	return true;
}

/* One comma-separated piece: 1, 0 if it concerns something else, -1 wrong. */
static int
parse_arg(char *p, struct spec_arg *a, bool lp64, bool ret)
{
	bool is_ret = strncmp(p, "retval", 6) == 0;

	a->fmt = 'd';
	a->size = lp64 ? 8 : 4;
	if (is_ret) {
		p += 6;
	} else if (strncmp(p, "arg", 3) == 0 || strncmp(p, "fparg", 5) == 0) {
		if (*p == 'f') {
			a->fmt = 'f';
			a->size = 8;
		}
		p = strchr(p, 'g') + 1;
		if (*p < '0' || *p > '9')
			return 0;
		p += strspn(p, "0123456789");
	} else {
		return 0;
	}
	if (!parse_format(p, a, lp64))
		return -1;
	return is_ret == ret;
}

struct spec *
spec_parse(const char *text, size_t len, bool lp64, bool ret)
{
	struct spec *sp = xcalloc(1, sizeof *sp + ARGS_MAX * sizeof *sp->args);
	char *copy = xmemdup0(text, len), *save = NULL;
	bool wrong = false;

	for (char *p = strtok_r(copy, ",", &save); p && sp->n < ARGS_MAX;
	     p = strtok_r(NULL, ",", &save)) {
		int k = parse_arg(p, &sp->args[sp->n], lp64, ret);

		wrong |= k < 0;
		sp->n += k > 0;
	}
	free(copy);
	if (wrong || sp->n == 0) {
		free(sp);
		return NULL;
	}
	return sp;
}

static void
add_rule(struct specs *s, int k, const char *name, size_t len, struct spec *sp)
{
	struct name_specs *rs = &s->rules[k];
	struct name_spec *r = xpush(rs->v, rs->n, rs->cap);
	struct buf err = BUF_INIT;

	*r = (struct name_spec){.name = xmemdup0(name, len), .spec = sp};
	/* A wrong pattern leaves payloads to be searched. */
	if (!s->glob && strpbrk(r->name, "^$.[]*+?|{}\\"))
		r->rx = rx_new(name, len, &err);
	buf_done(&err);
}

/* A later spec of a name takes the place of an earlier one. */
static void
add_auto(struct autos *a, const char *name, size_t len, struct spec *sp)
{
	uint32_t id = intern_id(a->names, name, len);

	*xitem(a->v, id, a->cap) = sp;
}

/* uftrace's demangled name, without parameters; nothing if it is not mangled.
 */
static void
add_bare(struct buf *bare, const char *name, size_t len)
{
	struct buf plain = BUF_INIT;

	if (demangle_name(name, len, &plain))
		name_strip(plain.p, plain.len,
		    (struct name_parts){.parameters = true}, bare);
	buf_done(&plain);
}

/*
 * A mangled name stands for all functions of its demangled name, as uftrace has
 * it: `_ZdlPv` for `operator delete(void*, unsigned long)`, too.
 */
static void
add_bare_auto(struct autos *a, const char *name, size_t len, struct spec *sp)
{
	struct buf bare = BUF_INIT;

	add_bare(&bare, name, len);
	if (bare.len && intern_find(a->names, bare.p, bare.len) == UINT32_MAX)
		add_auto(a, bare.p, bare.len, sp);
	buf_done(&bare);
}

/* `NAME@SPEC;NAME@SPEC…` */
static void
add_list(
    struct specs *s, const char *p, size_t len, bool lp64, int k, bool is_auto)
{
	const char *end = p + len;

	while (p < end) {
		const char *semi = memchr(p, ';', (size_t)(end - p));
		const char *stop = semi ? semi : end;
		const char *at = memchr(p, '@', (size_t)(stop - p));
		const char *name_end = at ? at : stop;
		const size_t n = (size_t)(name_end - p);
		struct spec *sp = NULL;

		if (at && at > p)
			sp = spec_parse(
			    at + 1, (size_t)(stop - at - 1), lp64, k == 1);
		if (sp) {
			sp->next = s->all;
			s->all = sp;
		}
		if (n > 0 && is_auto) {
			add_auto(&s->autos[k], p, n, sp);
			add_bare_auto(&s->autos[k], p, n, sp);
		} else if (n > 0) {
			add_rule(s, k, p, n, sp);
		}
		p = stop + 1;
	}
}

void
specs_line(struct specs *s, const char *line, size_t len, bool lp64)
{
	static const struct {
		const char *key;
		int k;
		bool is_auto;
	} keys[] = {{"argspec:", 0, false}, {"retspec:", 1, false},
	    {"argauto:", 0, true}, {"retauto:", 1, true}};

	if (bytes_starts(line, len, "pattern_type:glob"))
		s->glob = true;
	for (size_t i = 0; i < 4; i++) {
		size_t n = strlen(keys[i].key);

		if (!bytes_starts(line, len, keys[i].key))
			continue;
		if (bytes_starts(line + n, len - n, "lines="))
			return;
		add_list(
		    s, line + n, len - n, lp64, keys[i].k, keys[i].is_auto);
	}
}

static bool
rule_matches(const struct specs *s, const struct name_spec *r, const char *name)
{
	if (r->rx)
		return rx_match(r->rx, name, strlen(name)) > 0;
	if (s->glob)
		return fnmatch(r->name, name, 0) == 0;
	return strcmp(r->name, name) == 0;
}

/* The spec for a name; dbg goes before the lists, and after all else. */
static const struct spec *
find_name(struct specs *s, const char *name, size_t len, const struct spec *dbg,
    bool ret)
{
	const struct name_specs *rs = &s->rules[ret];
	char *copy = xmemdup0(name, len);
	const struct spec *found = NULL;
	uint32_t id;

	for (size_t i = 0; i < rs->n && found == NULL; i++) {
		if (rs->v[i].spec && rule_matches(s, &rs->v[i], copy))
			found = rs->v[i].spec;
	}
	free(copy);
	if (found || dbg)
		return found ? found : dbg;
	id = intern_find(s->autos[ret].names, name, len);
	return id == UINT32_MAX ? NULL : s->autos[ret].v[id];
}

const struct spec *
specs_find(struct specs *s, const char *name, size_t len,
    const struct spec *dbg, bool ret)
{
	const struct spec *found = find_name(s, name, len, dbg, ret);
	struct buf plain = BUF_INIT, bare = BUF_INIT;

	/* uftrace's demangled names, with and without parameters */
	if (found == NULL && demangle_name(name, len, &plain)) {
		found = find_name(s, plain.p, plain.len, NULL, ret);
		add_bare(&bare, name, len);
		if (found == NULL && bare.len)
			found = find_name(s, bare.p, bare.len, NULL, ret);
	}
	buf_done(&plain);
	buf_done(&bare);
	return found;
}

long
spec_read(const struct spec *sp, struct dat *d, struct buf *b)
{
	size_t at = 0;

	for (size_t i = 0; i < sp->n; i++) {
		const struct spec_arg *a = &sp->args[i];
		bool is_str = a->fmt == 's' || a->fmt == 'S';
		size_t size = a->size;
		const char *p;

		if (size == 0)
			continue;
		if (i)
			buf_adds(b, ", ");
		if (is_str) {
			if ((p = dat_payload(d, at + 2)) == NULL)
				return -1;
			size = uint_load(p + at, 2, d->big);
			at += 2;
		}
		if ((p = dat_payload(d, at + size)) == NULL)
			return -1;
		if (is_str) {
			buf_addc(b, '"');
			buf_add(b, p + at, strnlen(p + at, size));
			buf_addc(b, '"');
		} else {
			value_put(b, d, a->fmt, a->size, p + at);
		}
		at = (at + size + 3) & ~(size_t)3;
	}
	return (long)at;
}
