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

void
number_put_hundredths(double v)
{
	uint64_t n = (uint64_t)(v * 100);
	double rest = v * 100 - (double)n;

	if (rest > 0.4999 && rest < 0.5001) { /* printf() rounds exactly */
		out_printf("%.2f", v);
		return;
	}
	n += rest > 0.5;
	if (n >= 10000)
		out_putc((char)('0' + n / 10000));
	if (n >= 1000)
		out_putc((char)('0' + n / 1000 % 10));
	out_putc((char)('0' + n / 100 % 10));
	out_putc('.');
	out_putc((char)('0' + n / 10 % 10));
	out_putc((char)('0' + n % 10));
}

static void
add_px(struct buf *b, double v)
{
	char text[24], *const end = text + sizeof text, *p = end;
	uint64_t n = (uint64_t)((v < 0 ? -v : v) * 100 + 0.5);
	bool is_negative = v < 0 && n > 0;

	if (n % 10)
		*--p = (char)('0' + n % 10);
	if (n % 100) {
		*--p = (char)('0' + n / 10 % 10);
		*--p = '.';
	}
	n /= 100;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	if (is_negative)
		*--p = '-';
	buf_add(b, p, (size_t)(end - p));
}

void
number_add_px(struct buf *b, const char *format, const double *v)
{
	for (; *format; format++)
		if (*format == '~')
			add_px(b, *v++);
		else
			buf_addc(b, *format);
}

void
number_put_px(const char *format, const double *v)
{
	struct buf b = BUF_INIT;

	number_add_px(&b, format, v);
	out_put(b.p, b.len);
	buf_done(&b);
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
	const double step = bytes ? 1024 : 1000;
	/* what three digits would round up to 1e+03 */
	const double most = digits == 3 ? 999.5 : 1000;
	int i = 0;

	for (; i < (bytes ? 4 : 3) && v >= (bytes ? step : most); i++)
		v /= step;
	if (v < most || digits > 4)
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
add_of(struct buf *b, const struct count *c, const char *names)
{
	size_t len = strlen(names);
	bool is_one = c->whole == 1 && c->frac == 0;

	count_commas(c, b);
	buf_addc(b, ' ');
	buf_add(b, names, len - (is_one && len > 1 && names[len - 1] == 's'));
}

void
number_add_unit(struct buf *b, weight w, const char *countname)
{
	const struct count c = weight_count(w);
	size_t i = unit_of(countname);

	if (i < N_UNITS)
		add_scaled(
		    b, weight_double(w) * units[i].size, units[i].bytes, 4);
	else
		add_of(b, &c, countname);
}

/* A number of the trailer in units of weight, or 0. */
static double
value(const struct trailer *t, const char *key)
{
	struct count c = {0};

	return trailer_count(t, key, &c) ? (double)weight_of(&c) : 0;
}

static void
add_hertz(struct buf *b, const char *before, double rate)
{
	buf_printf(b, rate < 1000 ? "%s%.3g" : "%s%.0f", before, rate);
}

/*
 * ` at 97.2 Hz of 99`: what was taken, and what was asked for if that is more,
 * and ` to stay below 3%` if that is why; ` at up to 99 Hz` where it is not
 * known how long it took.
 */
static void
add_rate(struct buf *b, const struct trailer *t)
{
	double want = value(t, "rate") * 1e-18, seconds = value(t, "seconds");
	const double most = value(t, "max-stop") * 1e-18;
	struct count captures;

	if (seconds > 0 && trailer_count(t, "captures", &captures)) {
		double rate = (double)weight_of(&captures) / seconds;

		add_hertz(b, " at ", rate);
		buf_adds(b, " Hz");
		if (rate < 0.98 * want)
			add_hertz(b, " of ", want);
		if (rate < 0.98 * want && most > 0)
			buf_printf(b, " to stay below %g%%", most);
	} else if (want > 0) {
		add_hertz(b, " at up to ", want);
		buf_adds(b, " Hz");
	}
}

/* `, BEFORE part% of AFTER`, if there is some. */
static void
add_part(struct buf *b, double part, double whole, const char *before,
    const char *after)
{
	if (part > 0 && whole > 0)
		buf_printf(b, "%s%s%.2g%% of %s", b->len ? ", " : "", before,
		    number_percent(part, whole), after);
}

void
number_add_origin(struct buf *b, const struct trailer *t)
{
	double seconds = value(t, "seconds"), stopped = value(t, "stopped");
	double samples = value(t, "samples"), failed = value(t, "failed");
	struct count n;
	bool is_counted = trailer_count(t, "samples", &n);

	if (is_counted || trailer_count(t, "captures", &n)) {
		add_of(b, &n, is_counted ? "samples" : "captures");
		add_rate(b, t);
	}
	if (b->len && trailer_count(t, "cpus", &n)) {
		buf_adds(b, " on ");
		add_of(b, &n, "CPUs");
	}
	add_part(b, stopped, seconds, "guest stopped ", "");
	if (stopped > 0 && seconds > 0)
		add_scaled(b, seconds * 1e-18 * 1e9, false, 4);
	add_part(b, value(t, "cut"), samples, "", "stacks cut");
	if (is_counted)
		add_part(b, failed, samples + failed, "", "stacks not read");
}

void
number_add_title(struct buf *b, const struct trailer *t)
{
	double seconds = value(t, "seconds");
	struct count n;

	if (trailer_count(t, "cpus", &n)) {
		buf_adds(b, ", ");
		add_of(b, &n, "CPUs");
	}
	if (seconds > 0) {
		buf_adds(b, ", ");
		add_scaled(b, seconds * 1e-18 * 1e9, false, 3);
	}
	if (trailer_count(t, "samples", &n)) {
		buf_adds(b, ", ");
		add_of(b, &n, "samples");
	}
}
