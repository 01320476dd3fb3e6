/* SPDX-License-Identifier: ISC */
#include "rsp/rsppkt.h"
#include <stdbool.h>
#include <string.h>

/* A stub's packets are a few KiB; far longer ones do not come from a stub. */
enum { RAW_MAX = 1 << 20, PLAIN_MAX = 4 << 20, REPEAT_BASE = 29 };

void
rspin_done(struct rspin *in)
{
	buf_done(&in->raw);
	buf_done(&in->plain);
	in->pos = 0;
}

/* One more than a digit's value; 0: it is none. */
static const uint8_t digits[256] = {
    ['0'] = 1,
    ['1'] = 2,
    ['2'] = 3,
    ['3'] = 4,
    ['4'] = 5,
    ['5'] = 6,
    ['6'] = 7,
    ['7'] = 8,
    ['8'] = 9,
    ['9'] = 10,
    ['a'] = 11,
    ['b'] = 12,
    ['c'] = 13,
    ['d'] = 14,
    ['e'] = 15,
    ['f'] = 16,
    ['A'] = 11,
    ['B'] = 12,
    ['C'] = 13,
    ['D'] = 14,
    ['E'] = 15,
    ['F'] = 16,
};

int
rsp_unhex(uint8_t *to, const char *hex, size_t n)
{
	const uint8_t *p = (const uint8_t *)hex;
	bool bad = false;

	for (size_t i = 0; i < n; i++, p += 2) {
		const unsigned hi = digits[p[0]], lo = digits[p[1]];

		bad |= hi == 0 || lo == 0;
		to[i] = (uint8_t)((hi - 1) << 4 | ((lo - 1) & 15));
	}
	return bad ? -1 : 0;
}

static uint8_t
sum(const char *p, size_t n)
{
	uint8_t s = 0;

	for (size_t i = 0; i < n; i++)
		s = (uint8_t)(s + (uint8_t)p[i]);
	return s;
}

/* Undoes escapes and repetitions into in->plain. */
static int
expand(struct rspin *in, const char *p, size_t n)
{
	struct buf *b = &in->plain;

	b->len = 0;
	for (size_t i = 0; i < n; i++) {
		char c = p[i];

		if (c == '*') {
			int times = i + 1 < n ? (uint8_t)p[++i] : 0;

			times -= REPEAT_BASE;
			if (b->len == 0 || times < 1 || times > 97 ||
			    b->len > PLAIN_MAX)
				return -1;
			c = b->p[b->len - 1];
			while (times-- > 0)
				buf_addc(b, c);
		} else if (c == '}') {
			if (++i == n)
				return -1;
			buf_addc(b, (char)(p[i] ^ 0x20));
		} else {
			buf_addc(b, c);
		}
	}
	in->data = buf_str(b);
	in->len = b->len;
	return 0;
}

/* A packet begins after the `$` at p. */
static enum rsp_kind
take(struct rspin *in, const char *p, size_t left)
{
	const char *end = memchr(p, '#', left);
	uint8_t want;
	size_t n;

	if (end == NULL || (size_t)(end - p) + 3 > left) {
		/* Bytes that are done with would pile up. */
		memmove(in->raw.p, in->raw.p + in->pos, left + 1);
		in->raw.len = left + 1;
		in->pos = 0;
		return left > RAW_MAX ? RSP_BAD : RSP_MORE;
	}
	n = (size_t)(end - p);
	in->pos = (size_t)(end + 3 - in->raw.p);
	if (rsp_unhex(&want, end + 1, 1) != 0 || want != sum(p, n))
		return RSP_BAD;
	if (memchr(p, '*', n) != NULL || memchr(p, '}', n) != NULL)
		return expand(in, p, n) == 0 ? RSP_PACKET : RSP_BAD;
	in->data = p;
	in->len = n;
	return RSP_PACKET;
}

enum rsp_kind
rspin_next(struct rspin *in)
{
	while (in->pos < in->raw.len) {
		char c = in->raw.p[in->pos];

		if (c == '$')
			return take(in, in->raw.p + in->pos + 1,
			    in->raw.len - in->pos - 1);
		in->pos++;
		if (c == '+')
			return RSP_ACK;
		if (c == '-')
			return RSP_NAK;
	}
	in->raw.len = in->pos = 0;
	return RSP_MORE;
}

void
rsp_put(struct buf *b, const char *data)
{
	static const char hex[] = "0123456789abcdef";
	const size_t n = strlen(data);
	const uint8_t s = sum(data, n);

	buf_addc(b, '$');
	buf_add(b, data, n);
	buf_addc(b, '#');
	buf_addc(b, hex[s >> 4]);
	buf_addc(b, hex[s & 15]);
}
