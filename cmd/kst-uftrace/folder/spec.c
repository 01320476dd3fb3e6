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
#include "folder/syms.h"
#include "base/bytes.h"
#include "names/demangle.h"
#include "names/name.h"
#include "names/rx.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { ARGS_MAX = 64, STRUCT_MAX = 4096 };

/* A value of so many bytes, or a string. */
struct spec_arg {
	bool is_str;
	uint16_t size;
};

struct spec {
	size_t n;
	struct spec_arg args[];
};

/* `NAME@SPEC` */
struct name_spec {
	bool is_auto; /* else NAME may be a pattern */
	char *name;
	char *bare;	   /* of an automatic one, if NAME is mangled */
	struct rx *rx;	   /* NULL: a plain name, or a glob pattern */
	struct spec *spec; /* NULL: what the automatic ones say */
};

struct specs {
	bool glob;
	struct name_specs {
		struct name_spec *v;
		size_t n, cap;
	} of[2]; /* arguments, results */
};

struct specs *
specs_new(void)
{
	return xcalloc(1, sizeof(struct specs));
}

void
specs_free(struct specs *s)
{
	for (int k = 0; s && k < 2; k++) {
		for (size_t i = 0; i < s->of[k].n; i++) {
			struct name_spec *r = &s->of[k].v[i];

			rx_free(r->rx);
			free(r->name);
			free(r->bare);
			free(r->spec);
		}
		free(s->of[k].v);
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
		a->size = (uint16_t)bits;
		return bits >= 0 && bits <= STRUCT_MAX;
	}
	if (*p < '0' || *p > '9') {
		const char fmt = *p++;

		if (fmt == 0 || strchr("diuxosScfpeP", fmt) == NULL)
			return false;
		a->is_str = fmt == 's' || fmt == 'S';
		a->size = fmt == 'c'			       ? 1
			  : fmt == 'f' || (lp64 && fmt != 'P') ? 8
							       : 4;
		if (fmt == 'e')
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

	*a = (struct spec_arg){.size = lp64 ? 8 : 4};
	if (is_ret) {
		p += 6;
	} else if (strncmp(p, "arg", 3) == 0 || strncmp(p, "fparg", 5) == 0) {
		if (*p == 'f')
			a->size = 8;
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

char *
spec_demangled(const char *name, bool parameters)
{
	struct buf plain = BUF_INIT, bare = BUF_INIT;

	if (!demangle_name(name, strlen(name), &plain)) {
		buf_done(&plain);
		return NULL;
	}
	if (parameters)
		return buf_str(&plain);
	name_strip(plain.p, plain.len, NAME_PARAMETERS, &bare);
	buf_done(&plain);
	return buf_str(&bare);
}

static void
add_name(struct specs *s, int k, bool is_auto, const char *p, size_t len,
    struct spec *sp)
{
	struct name_specs *of = &s->of[k];
	struct name_spec *r = xpush(of->v, of->n, of->cap);
	struct buf err = BUF_INIT;

	*r = (struct name_spec){
	    .is_auto = is_auto, .name = xmemdup0(p, len), .spec = sp};
	if (is_auto)
		r->bare = spec_demangled(r->name, false);
	else if (!s->glob && strpbrk(r->name, "^$.[]*+?|{}\\"))
		/* a wrong pattern leaves payloads to be searched */
		r->rx = rx_new(p, len, &err);
	buf_done(&err);
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
		struct spec *sp = NULL;

		if (at && at > p)
			sp = spec_parse(
			    at + 1, (size_t)(stop - at - 1), lp64, k == 1);
		at = at ? at : stop;
		if (at > p)
			add_name(s, k, is_auto, p, (size_t)(at - p), sp);
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
	if (r->is_auto || r->spec == NULL)
		return false;
	if (r->rx)
		return rx_match(r->rx, name, strlen(name)) > 0;
	if (s->glob)
		return fnmatch(r->name, name, 0) == 0;
	return strcmp(r->name, name) == 0;
}

/* The first rule that matches; then dbg; then the last automatic one. */
static const struct spec *
find_name(
    const struct specs *s, const char *name, const struct spec *dbg, bool ret)
{
	const struct name_specs *of = &s->of[ret];

	for (size_t i = 0; i < of->n; i++)
		if (rule_matches(s, &of->v[i], name))
			return of->v[i].spec;
	for (size_t i = of->n; dbg == NULL && i-- > 0;)
		if (of->v[i].is_auto && strcmp(of->v[i].name, name) == 0)
			return of->v[i].spec;
	/*
	 * A mangled name stands for all functions of its demangled name, as
	 * uftrace has it: `_ZdlPv` for `operator delete(void*, unsigned long)`.
	 */
	for (size_t i = 0; dbg == NULL && i < of->n; i++)
		if (of->v[i].bare && strcmp(of->v[i].bare, name) == 0)
			return of->v[i].spec;
	return dbg;
}

const struct spec *
specs_find(const struct specs *s, const struct func *f, bool ret)
{
	const struct spec *found;
	char *name, *plain;

	if (s->of[ret].n == 0)
		return f->specs[ret];
	name = xmemdup0(f->name, f->len);
	found = find_name(s, name, f->specs[ret], ret);
	for (int bare = 0; found == NULL && bare < 2; bare++) {
		plain = spec_demangled(name, !bare);
		if (plain)
			found = find_name(s, plain, NULL, ret);
		free(plain);
	}
	free(name);
	return found;
}

long
spec_size(const struct spec *sp, struct dat *d)
{
	size_t at = 0;

	for (size_t i = 0; i < sp->n; i++) {
		size_t size = sp->args[i].size;
		const char *p;

		if (size == 0)
			continue;
		if (sp->args[i].is_str) {
			if ((p = dat_payload(d, at + 2)) == NULL)
				return -1;
			size = uint_load(p + at, 2, d->big);
			at += 2;
		}
		at = (at + size + 3) & ~(size_t)3;
	}
	return (long)at;
}
