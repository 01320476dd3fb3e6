/* SPDX-License-Identifier: ISC */
#include "number.h"

#include <string.h>

#include "base/buf.h"
#include "base/out.h"

void
number_add(struct buf *b, weight w)
{
	struct count c = weight_count(w);
	char text[48];
	size_t len = count_text(&c, text), whole = 0;

	while (whole < len && text[whole] != '.')
		whole++;
	for (size_t i = 0; i < len; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			buf_addc(b, ',');
		buf_addc(b, text[i]);
	}
}

void
number_put(weight w)
{
	struct buf b = BUF_INIT;

	number_add(&b, w);
	out_put(b.p, b.len);
	buf_done(&b);
}

double
number_percent(double part, double whole)
{
	double v = whole > 0 ? part * 100 / whole : 0;

	return v > 100 ? 100 : v;
}

void
number_put_percent(double part, double whole)
{
	out_printf("%.2f%%", number_percent(part, whole));
}

void
number_put_px(double v)
{
	char text[24];
	size_t i = sizeof text;
	long long n = (long long)(v < 0 ? -v * 100 + 0.5 : v * 100 + 0.5);
	unsigned cents = (unsigned)(n % 100);

	if (cents) {
		if (cents % 10)
			text[--i] = (char)('0' + cents % 10);
		text[--i] = (char)('0' + cents / 10);
		text[--i] = '.';
	}
	n /= 100;
	do
		text[--i] = (char)('0' + n % 10);
	while (n /= 10);
	if (v < 0 && (i != sizeof text - 1 || text[i] != '0'))
		text[--i] = '-';
	out_put(text + i, sizeof text - i);
}

void
number_put_all_px(const char *format, const double *v)
{
	const char *at;

	for (; (at = strchr(format, '~')) != NULL; format = at + 1) {
		out_put(format, (size_t)(at - format));
		number_put_px(*v++);
	}
	out_puts(format);
}
