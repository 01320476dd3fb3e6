/* SPDX-License-Identifier: ISC */
/* Maps kst-capture's metadata to keys of the trailer. */
#include "profile/origin.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "io/out.h"
#include "text/folded.h"
#include "trace/trace.h"

static const uint64_t NS = 1000000000;

static bool
meta_u64(const char *line, size_t len, const char *key, uint64_t *n)
{
	const char *v;
	size_t v_len;

	return trace_meta_get(line, len, key, &v, &v_len) &&
	       num_u64(v, v_len, n) == 0;
}

/* A value with other bytes than letters, digits and `-` is left out. */
static void
take_word(const char *line, size_t len, const char *key, char to[TRAILER_TEXT])
{
	const char *v;
	size_t n, i = 0;

	if (!trace_meta_get(line, len, key, &v, &n) || n >= TRAILER_TEXT)
		return;
	while (i < n && (isalnum((unsigned char)v[i]) || v[i] == '-'))
		i++;
	if (i < n)
		return;
	memcpy(to, v, n);
	to[n] = 0;
}

void
origin_unit(struct origin *o, const char *line, size_t len)
{
	if (o->unit[0] == 0)
		take_word(line, len, "unit", o->unit);
}

static void
take_info(struct origin *o, const char *line, size_t len)
{
	const char *v;
	size_t v_len;
	uint64_t ns;

	origin_end(o);
	take_word(line, len, "build-id", o->build_id);
	if (trace_meta_get(line, len, "interval", &v, &v_len) &&
	    num_seconds(v, v_len, &ns) == 0 && ns > 0) {
		o->has_rate = true;
		o->rate = (1000 * NS + ns / 2) / ns;
	}
}

/* The share of the guest's time that made captures fewer, in percent. */
static void
take_most(struct origin *o, const char *line, size_t len)
{
	const char *v;
	size_t v_len;
	struct count c;

	o->has_most = trace_meta_get(line, len, "max-stop", &v, &v_len) &&
		      num_decimal(v, v_len, &c.whole, &c.frac) == 0 &&
		      c.whole <= 100;
	if (o->has_most)
		o->most = 1000 * c.whole + c.frac / (NS * NS / 1000);
}

void
origin_meta(struct origin *o, const char *line, size_t len)
{
	if (bytes_starts(line, len, "[kst-capture-info ")) {
		take_info(o, line, len);
	} else if (bytes_starts(line, len, "[kst-capture-summary ")) {
		o->has_wall = meta_u64(line, len, "wall-ns", &o->wall);
		o->has_failed = meta_u64(line, len, "failed", &o->failed);
		take_most(o, line, len);
	}
}

void
origin_capture(struct origin *o, const struct origin_capture *c)
{
	o->captures++;
	if (c->has_stop &&
	    !__builtin_add_overflow(o->stopped, c->stop, &o->stopped))
		o->stopped_captures++;
	if (!c->has_time)
		return;
	if (o->timed_captures == 0 || c->time < o->begin)
		o->begin = c->time;
	if (o->timed_captures == 0 || c->time > o->end)
		o->end = c->time;
	o->timed_captures++;
}

void
origin_stack(struct origin *o, int64_t cpu, bool cut)
{
	uint64_t *word, bit;

	o->samples++;
	o->cut += cut;
	if (cpu < 0 || cpu >= CPUS_MAX)
		return;
	word = &o->cpus[cpu / 64];
	bit = (uint64_t)1 << cpu % 64;
	o->n_cpus += (*word & bit) == 0;
	*word |= bit;
}

/* Adds a key with n / unit, a power of ten, if that is known. */
static void
add(struct buf *b, bool is_known, const char *key, uint64_t n, uint64_t unit)
{
	const uint64_t one = NS * NS; /* of a count's fraction */
	const struct count c = {n / unit, n % unit * (one / unit)};
	char text[48];

	if (is_known)
		buf_printf(b, ",%s=%.*s", key, (int)count_text(&c, text), text);
}

/* The run's trailer. */
static void
add_run(const struct origin *o, struct buf *b)
{
	bool some = o->captures > 0, timed = o->timed_captures == o->captures;

	buf_printf(
	    b, FOLDED_TRAILER "unit=%s", o->unit[0] ? o->unit : "samples");
	add(b, o->piece > 0, "piece", o->piece, NS);
	add(b, !o->unmarked, "captures", o->captures, 1);
	add(b, true, "samples", o->samples, 1);
	add(b, true, "cut", o->cut, 1);
	add(b, o->n_cpus > 0, "cpus", o->n_cpus, 1);
	add(b, o->has_rate, "rate", o->rate, 1000);
	if (o->build_id[0])
		buf_printf(b, ",build-id=%s", o->build_id);
	add(b, some && o->stopped_captures == o->captures, "stopped",
	    o->stopped, NS);
	add(b, some && timed, "begin", o->begin, NS);
	add(b, some && timed, "end", o->end, NS);
	add(b, o->has_wall && !o->no_run, "seconds", o->wall, NS);
	add(b, o->has_failed && !o->no_run, "failed", o->failed, 1);
	add(b, o->has_most && !o->no_run, "max-stop", o->most, 1000);
	if (o->is_part)
		buf_adds(b, ",part=1");
}

void
origin_end(struct origin *o)
{
	struct origin next = {.sum = o->sum,
	    .no_run = o->no_run,
	    .is_part = o->is_part,
	    .piece = o->piece};
	struct buf b = BUF_INIT;

	if (o->any) {
		add_run(o, &b);
		trailer_read(&next.sum, b.p, b.len);
	}
	*o = next;
	buf_done(&b);
}

void
origin_put(const struct origin *o)
{
	struct buf b = BUF_INIT;

	trailer_put(&o->sum, &b);
	if (o->is_part && b.len) { /* before LF */
		b.len--;
		buf_adds(&b, ",part=1\n");
	}
	out_put(b.p, b.len);
	buf_done(&b);
}
