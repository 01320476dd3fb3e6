/* SPDX-License-Identifier: ISC */
/*
 * Arguments are packed by a signature of one letter each (c b B h H i I q Q ? f
 * d P, 50p a counted string in 50 bytes, * a blob), and printed by a format as
 * OSv's strace does.
 */
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/uint.h"
#include "base/xalloc.h"

/* The most bytes of an argument: a blob's length has 16 bits. */
enum { THREAD_LEN = 16, ARGS_MAX = 64, ARG_BYTES_MAX = 2 + 65535 };

/* An argument in the packed bytes. */
struct arg {
	char type; /* letter of the signature */
	const char *p;
	size_t len; /* of the value; of the text for p and * */
};

static size_t
size_of(char type)
{
	switch (type) {
	case 'c':
	case 'b':
	case 'B':
	case '?':
		return 1;
	case 'h':
	case 'H':
		return 2;
	case 'i':
	case 'I':
	case 'f':
		return 4;
	case 'q':
	case 'Q':
	case 'd':
	case 'P':
		return 8;
	default:
		return 0;
	}
}

/* A slot of a counted string: the count, the text, unused bytes. */
static int
next_slot(size_t slot, const char *packed, size_t len, size_t *at,
    struct arg *a, size_t *want)
{
	size_t n;

	*want = *at + slot;
	if (slot == 0 || slot > ARG_BYTES_MAX) {
		*want = 0;
		return -1;
	}
	if (*want > len)
		return -1;
	n = (unsigned char)packed[*at];
	a->type = 'p';
	a->p = packed + *at + 1;
	a->len = n < slot ? n : slot - 1;
	*at += slot;
	return 1;
}

static int
next_blob(const char *packed, size_t len, size_t *at, bool big, struct arg *a,
    size_t *want)
{
	*at += *at & 1;
	*want = *at + 2;
	if (*want > len)
		return -1;
	a->type = '*';
	a->len = uint_load(packed + *at, 2, big);
	*want += a->len;
	if (*want > len)
		return -1;
	a->p = packed + *at + 2;
	*at = *want;
	return 1;
}

/*
 * Takes the next argument of the signature, packed at *at. Returns 1; 0 at the
 * signature's end; or -1, with *want the bytes that are needed from the
 * beginning of the arguments, or 0 if the signature is wrong.
 */
static int
arg_next(const char **sig, const char *sig_end, const char *packed, size_t len,
    size_t *at, bool big, struct arg *a, size_t *want)
{
	size_t slot = 0, size;

	if (*sig == sig_end)
		return 0;
	while (*sig < sig_end && **sig >= '0' && **sig <= '9' && slot < 100000)
		slot = slot * 10 + (size_t)(*(*sig)++ - '0');
	a->type = *sig < sig_end ? *(*sig)++ : 0;
	if (a->type == 'p')
		return next_slot(slot, packed, len, at, a, want);
	if (a->type == '*' && slot == 0)
		return next_blob(packed, len, at, big, a, want);
	size = size_of(a->type);
	*want = 0;
	if (size == 0 || slot > 1)
		return -1;
	*at = (*at + size - 1) / size * size;
	*want = *at + size;
	if (*want > len)
		return -1;
	a->p = packed + *at;
	a->len = size;
	*at += size;
	return 1;
}

/* Formatting --------------------------------------------------------------- */

struct spec {
	bool alt, zero, left;
	size_t width;
	char conv;
};

static void
pad(struct buf *b, char c, size_t n)
{
	while (n-- > 0)
		buf_addc(b, c);
}

static void
add_padded(struct buf *b, const struct spec *s, const char *p, size_t len)
{
	size_t n = s->width > len ? s->width - len : 0;

	if (!s->left)
		pad(b, ' ', n);
	buf_add(b, p, len);
	if (s->left)
		pad(b, ' ', n);
}

static void
add_int(struct buf *b, const struct spec *s, const struct arg *a, bool big)
{
	uint64_t v = uint_load(a->p, a->len, big);
	bool negative = false, hex = s->conv == 'x' || s->conv == 'p';
	unsigned base = hex ? 16 : s->conv == 'o' ? 8 : 10;
	char text[80];
	size_t at = sizeof text, digits;

	if (memchr("bhiq", a->type, 4) && a->len < 8 && v >> (a->len * 8 - 1)) {
		v |= UINT64_MAX << (a->len * 8);
		if (base != 10)
			v &= UINT32_MAX;
	}
	if (base == 10 && memchr("bhiq", a->type, 4) && v >> 63) {
		negative = true;
		v = -v;
	}
	do
		text[--at] = "0123456789abcdef"[v % base];
	while ((v /= base) != 0);
	digits = s->zero && !s->left && s->width < 64 ? s->width : 0;
	while (sizeof text - at < digits)
		text[--at] = '0';
	if (hex && (s->conv == 'p' || s->alt)) {
		text[--at] = 'x';
		text[--at] = '0';
	}
	if (negative)
		text[--at] = '-';
	add_padded(b, s, text + at, sizeof text - at);
}

static void
add_float(struct buf *b, const struct arg *a, bool big)
{
	uint64_t bits = uint_load(a->p, a->len, big);
	uint32_t bits32 = (uint32_t)bits;
	double d;
	float f;

	if (a->type == 'd') {
		memcpy(&d, &bits, sizeof d);
	} else {
		memcpy(&f, &bits32, sizeof f);
		d = (double)f;
	}
	buf_printf(b, "%g", d);
}

/* As OSv prints it: `{45 00 }`. */
static void
add_blob(struct buf *b, const struct arg *a)
{
	static const char digit[] = "0123456789abcdef";

	buf_addc(b, '{');
	for (size_t i = 0; i < a->len; i++) {
		unsigned char c = (unsigned char)a->p[i];

		buf_addc(b, digit[c >> 4]);
		buf_addc(b, digit[c & 15]);
		buf_addc(b, ' ');
	}
	buf_addc(b, '}');
}

static void
add_arg(struct buf *b, const struct spec *s, const struct arg *a, bool big)
{
	if (a->type == 'p')
		add_padded(b, s, a->p, a->len);
	else if (a->type == '*')
		add_blob(b, a);
	else if (a->type == 'f' || a->type == 'd')
		add_float(b, a, big);
	else if (a->type == 'c' || s->conv == 'c')
		buf_addc(b, (char)uint_load(a->p, a->len, big));
	else
		add_int(b, s, a, big);
}

/* Reads what follows a `%`; returns its end. */
static const char *
read_spec(const char *p, const char *end, struct spec *s)
{
	memset(s, 0, sizeof *s);
	for (; p < end && strchr("#0- +", *p) && *p; p++) {
		s->alt |= *p == '#';
		s->zero |= *p == '0';
		s->left |= *p == '-';
	}
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		s->width = s->width < 100 ? s->width * 10 + (size_t)(*p - '0')
					  : s->width;
	while (p < end && strchr(".0123456789hlzjtqL", *p) && *p)
		p++;
	if (p < end)
		s->conv = *p++;
	return p;
}

/* Appends the format's text with the n arguments filled in. */
static void
args_format(struct buf *b, const char *format, size_t format_len,
    const struct arg *args, size_t n, bool big)
{
	const char *p = format, *end = format + format_len;
	struct spec s;

	while (p < end) {
		if (*p != '%') {
			buf_addc(b, *p++);
			continue;
		}
		p = read_spec(p + 1, end, &s);
		if (s.conv == '%') {
			buf_addc(b, '%');
		} else if (n > 0) {
			add_arg(b, &s, args++, big);
			n--;
		}
	}
}

/* Points ------------------------------------------------------------------- */

void
points_init(struct points *p)
{
	memset(p, 0, sizeof *p);
	p->keys = intern_new();
}

static void
point_done(struct point *pt)
{
	buf_done(&pt->name);
	buf_done(&pt->signature);
	buf_done(&pt->format);
}

void
points_done(struct points *p)
{
	for (size_t i = 0; i < p->n; i++)
		point_done(&p->v[i]);
	free(p->v);
	intern_free(p->keys);
}

struct point *
points_add(struct points *p, uint64_t key)
{
	size_t n = intern_id(p->keys, (const char *)&key, sizeof key);

	if (n == p->n) {
		p->v = xgrow(p->v, n + 1, &p->cap, sizeof *p->v);
		p->n++;
	} else {
		point_done(&p->v[n]);
	}
	memset(&p->v[n], 0, sizeof *p->v);
	return &p->v[n];
}

const struct point *
points_find(const struct points *p, uint64_t key)
{
	uint32_t id = intern_find(p->keys, (const char *)&key, sizeof key);

	return id == UINT32_MAX ? NULL : &p->v[id];
}

bool
point_is_good(const struct point *pt)
{
	return pt->name.len > 0 && !memchr(pt->name.p, 0, pt->name.len) &&
	       !memchr(pt->name.p, '\n', pt->name.len);
}

long
point_args(const struct point *pt, const char *p, size_t len, bool big,
    struct buf *text, size_t *want)
{
	const char *sig = pt->signature.len ? pt->signature.p : "";
	const char *end = sig + pt->signature.len;
	struct arg args[ARGS_MAX + 1];
	size_t n = 0, at = 0;
	int more;

	*want = 0;
	while (n <= ARGS_MAX && (more = arg_next(&sig, end, p, len, &at, big,
				     &args[n], want)) != 0) {
		if (more < 0)
			return -1;
		n++;
	}
	if (n > ARGS_MAX)
		return -1;
	args_format(text, pt->format.len ? pt->format.p : "", pt->format.len,
	    args, n, big);
	return (long)at;
}

struct record
point_record(
    const struct point *pt, const char *head, bool big, const struct buf *args)
{
	return (struct record){.ptr = uint_load(head + 8, 8, big),
	    .thread = head + 16,
	    .thread_len = strnlen(head + 16, THREAD_LEN),
	    .time = uint_load(head + 32, 8, big),
	    .cpu = (uint32_t)uint_load(head + 40, 4, big),
	    .name = pt->name.p,
	    .name_len = pt->name.len,
	    .args = args->p,
	    .args_len = args->len};
}
