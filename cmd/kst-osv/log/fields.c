/* SPDX-License-Identifier: ISC */
/*
 * Fields of binary files, and arguments. These are packed by a signature of one
 * letter each (c b B h H i I q Q ? f d P, 50p a counted string in 50 bytes, * a
 * blob), and printed by a format as OSv's strace does.
 */
#include "log/fields.h"

#include <string.h>

#include "base/num.h"

/* Fields ------------------------------------------------------------------- */

const char *
cursor_bytes(struct cursor *c, size_t n)
{
	const char *p = c->p + c->at;

	if (c->len - c->at < n)
		return NULL;
	c->at += n;
	return p;
}

bool
cursor_number(struct cursor *c, size_t size, uint64_t *v)
{
	size_t from = c->at;

	if (c->aligned)
		from += (c->base - from) & (size - 1);
	if (c->len < from || c->len - from < size)
		return false;
	*v = uint_load(c->p + from, size, c->big);
	c->at = from + size;
	return true;
}

bool
cursor_str(struct cursor *c, struct piece *text)
{
	const char *p;
	uint64_t len;

	if (!cursor_number(c, 2, &len) || !(p = cursor_bytes(c, len)))
		return false;
	*text = (struct piece){p, len};
	return true;
}

/* Arguments ---------------------------------------------------------------- */

/* The most bytes of a slot: a blob's length has 16 bits. */
enum { SLOT_MAX = 2 + 65535 };

/* An argument in the packed bytes. */
struct arg {
	char type;     /* letter of the signature */
	uint64_t v;    /* a number */
	const char *p; /* p and *: the text */
	size_t len;    /* of the value */
};

/* The bytes of a number; 0 for another type. */
static size_t
size_of(char type)
{
	static const char types[] = "cbB?hHiIfqQdP";
	static const unsigned char sizes[] = "\1\1\1\1\2\2\4\4\4\10\10\10\10";
	const char *at = type ? strchr(types, type) : NULL;

	return at ? sizes[at - types] : 0;
}

/* A slot of a counted string: the count, the text, unused bytes. */
static bool
take_slot(struct cursor *c, size_t slot, struct arg *a)
{
	if (slot == 0 || slot > SLOT_MAX) {
		c->wrong = "unknown signature of a tracepoint";
		return false;
	}
	a->p = cursor_bytes(c, slot);
	if (a->p == NULL)
		return false;
	a->len = (unsigned char)*a->p++;
	if (a->len >= slot)
		a->len = slot - 1;
	return true;
}

static bool
take_blob(struct cursor *c, struct arg *a)
{
	uint64_t len;

	if (!cursor_number(c, 2, &len))
		return false;
	a->len = (size_t)len;
	a->p = cursor_bytes(c, a->len);
	return a->p != NULL;
}

/* Takes the next argument of the signature, of which *sig is what is left. */
static bool
take_arg(struct cursor *c, const char **sig, const char *sig_end, struct arg *a)
{
	size_t slot = 0;

	while (*sig < sig_end && **sig >= '0' && **sig <= '9' && slot < 100000)
		slot = slot * 10 + (size_t)(*(*sig)++ - '0');
	a->type = *sig < sig_end ? *(*sig)++ : 0;
	if (a->type == 'p')
		return take_slot(c, slot, a);
	if (a->type == '*' && slot == 0)
		return take_blob(c, a);
	a->len = size_of(a->type);
	if (a->len == 0 || slot > 1) {
		c->wrong = "unknown signature of a tracepoint";
		return false;
	}
	return cursor_number(c, a->len, &a->v);
}

/* Formatting --------------------------------------------------------------- */

struct spec {
	bool alt, zero, left;
	size_t width;
	char conv;
};

static void
add_padded(struct buf *b, const struct spec *s, const char *p, size_t len)
{
	size_t n = s->width > len ? s->width - len : 0;

	for (; n > 0 && !s->left; n--)
		buf_addc(b, ' ');
	buf_add(b, p, len);
	for (; n > 0; n--)
		buf_addc(b, ' ');
}

static void
add_int(struct buf *b, const struct spec *s, const struct arg *a)
{
	uint64_t v = a->v;
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
add_float(struct buf *b, const struct arg *a)
{
	uint32_t bits32 = (uint32_t)a->v;
	double d;
	float f;

	if (a->type == 'd') {
		memcpy(&d, &a->v, sizeof d);
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
	buf_addc(b, '{');
	for (size_t i = 0; i < a->len; i++)
		buf_printf(b, "%02x ", (unsigned char)a->p[i]);
	buf_addc(b, '}');
}

static void
add_arg(struct buf *b, const struct spec *s, const struct arg *a)
{
	if (a->type == 'p')
		add_padded(b, s, a->p, a->len);
	else if (a->type == '*')
		add_blob(b, a);
	else if (a->type == 'f' || a->type == 'd')
		add_float(b, a);
	else if (a->type == 'c' || s->conv == 'c')
		buf_addc(b, (char)a->v);
	else
		add_int(b, s, a);
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

/* Arguments beyond those of the format are taken, too: a record follows. */
bool
args_put(const struct point *pt, struct cursor *c, struct buf *text)
{
	const char *sig = pt->signature.len ? pt->signature.p : "";
	const char *sig_end = sig + pt->signature.len;
	const char *p = pt->format.len ? pt->format.p : "";
	const char *end = p + pt->format.len;
	struct spec s;
	struct arg a;

	while (p < end) {
		if (*p != '%') {
			buf_addc(text, *p++);
			continue;
		}
		p = read_spec(p + 1, end, &s);
		if (s.conv == '%') {
			buf_addc(text, '%');
		} else if (sig < sig_end) {
			if (!take_arg(c, &sig, sig_end, &a))
				return false;
			add_arg(text, &s, &a);
		}
	}
	while (sig < sig_end)
		if (!take_arg(c, &sig, sig_end, &a))
			return false;
	return true;
}
