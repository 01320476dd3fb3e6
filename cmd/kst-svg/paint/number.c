/* SPDX-License-Identifier: ISC */
#include "paint/number.h"

#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "text/trailer.h"

void
number_add(struct buf *b, weight w)
{
	struct count c = weight_count(w);

	count_commas(&c, b);
}

double
number_percent(double part, double whole)
{
	double v = whole > 0 ? part * 100 / whole : 0;

	return v > 100 ? 100 : v;
}

enum { PX_TEXT = 24 };

/* Where the text of a length begins, which ends with the array. */
static size_t
px_text(double v, char text[PX_TEXT])
{
	size_t i = PX_TEXT;
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
	if (v < 0 && (i != PX_TEXT - 1 || text[i] != '0'))
		text[--i] = '-';
	return i;
}

void
number_add_px(struct buf *b, double v)
{
	char text[PX_TEXT];
	size_t i = px_text(v, text);

	buf_add(b, text + i, sizeof text - i);
}

void
number_put_px(double v)
{
	char text[PX_TEXT];
	size_t i = px_text(v, text);

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

/* Units by their names: of how many ns or bytes; the same as format.js'. */
static const struct {
	const char *name;
	double size;
	bool bytes;
} units[] = {{"ns", 1, false}, {"nanoseconds", 1, false}, {"us", 1e3, false},
    {"µs", 1e3, false}, {"microseconds", 1e3, false}, {"ms", 1e6, false},
    {"milliseconds", 1e6, false}, {"s", 1e9, false}, {"sec", 1e9, false},
    {"seconds", 1e9, false}, {"bytes", 1, true}};

enum { N_UNITS = sizeof units / sizeof units[0] };

static size_t
unit_of(const char *countname)
{
	size_t i = 0;

	while (i < N_UNITS && strcmp(units[i].name, countname) != 0)
		i++;
	return i;
}

bool
number_is_exact(const char *countname)
{
	return unit_of(countname) < N_UNITS;
}

/* The value in the largest unit of which there is at least one. */
static void
add_scaled(struct buf *b, double v, bool bytes, int digits)
{
	static const char *const time[] = {"ns", "µs", "ms", "s"};
	static const char *const memory[] = {
	    "bytes", "KiB", "MiB", "GiB", "TiB"};
	double step = bytes ? 1024 : 1000;
	int i = 0;

	for (; i < (bytes ? 4 : 3) && v >= step; i++)
		v /= step;
	if (v < 1000 || digits > 4)
		buf_printf(b, "%.*g", digits, v);
	else
		number_add(b, (weight)(v + 0.5) * WEIGHT_ONE);
	buf_printf(b, " %s", bytes ? memory[i] : time[i]);
}

void
number_add_tick(struct buf *b, double v, const char *countname)
{
	size_t i = unit_of(countname);

	if (i == N_UNITS || units[i].bytes)
		buf_printf(b, "%.12g", v);
	else if (v == 0)
		buf_addc(b, '0');
	else
		add_scaled(b, v * units[i].size, false, 9);
}

/* `5 samples`, `1 sample`. */
static void
add_of(struct buf *b, weight w, const char *names)
{
	size_t len = strlen(names);
	bool cut = w == WEIGHT_ONE && len > 1 && names[len - 1] == 's';

	number_add(b, w);
	buf_addc(b, ' ');
	buf_add(b, names, len - cut);
}

void
number_add_unit(struct buf *b, weight w, const char *countname)
{
	size_t i = unit_of(countname);

	if (i < N_UNITS)
		add_scaled(
		    b, weight_double(w) * units[i].size, units[i].bytes, 4);
	else
		add_of(b, w, countname);
}

static bool
known(const struct trailer *t, const char *key, weight *w)
{
	struct count c;

	if (!trailer_count(t, key, &c))
		return false;
	*w = weight_of(&c);
	return true;
}

static void
add_hertz(struct buf *b, const char *before, double rate)
{
	buf_printf(b, rate < 1000 ? "%s%.3g" : "%s%.0f", before, rate);
}

/*
 * ` at 97.2 Hz of 99`: what was taken, and what was asked for if that is more;
 * ` at up to 99 Hz` where it is not known how long it took.
 */
static void
add_rate(struct buf *b, const struct trailer *t)
{
	weight captures, seconds, asked = 0;
	double want, rate;

	want = known(t, "rate", &asked) ? weight_double(asked) : 0;
	if (known(t, "captures", &captures) && known(t, "seconds", &seconds) &&
	    seconds > 0) {
		rate = (double)captures / (double)seconds;
		add_hertz(b, " at ", rate);
		buf_adds(b, " Hz");
		if (rate < 0.98 * want)
			add_hertz(b, " of ", want);
	} else if (want > 0) {
		add_hertz(b, " at up to ", want);
		buf_adds(b, " Hz");
	}
}

/* `, BEFORE part% of whole AFTER`, if there is some. */
static void
add_part(struct buf *b, weight part, weight whole, const char *before,
    const char *after)
{
	if (part && whole)
		buf_printf(b, "%s%s%.2g%% of %s", b->len ? ", " : "", before,
		    number_percent((double)part, (double)whole), after);
}

void
number_add_origin(struct buf *b, const struct trailer *t)
{
	weight samples = 0, n, seconds;
	bool counted = known(t, "samples", &samples);

	if (counted || known(t, "captures", &samples)) {
		add_of(b, samples, counted ? "samples" : "captures");
		add_rate(b, t);
		if (known(t, "cpus", &n)) {
			buf_adds(b, " on ");
			add_of(b, n, "CPUs");
		}
	}
	if (known(t, "seconds", &seconds) && known(t, "stopped", &n)) {
		add_part(b, n, seconds, "guest stopped ", "");
		if (n && seconds)
			add_scaled(b, weight_double(seconds) * 1e9, false, 4);
	}
	if (counted && known(t, "cut", &n))
		add_part(b, n, samples, "", "stacks cut");
	if (counted && known(t, "failed", &n))
		add_part(b, n, samples + n, "", "stacks not read");
}
