/* SPDX-License-Identifier: ISC */
#include "range.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "opt/opt.h"

int
range_end_option(void *end, const char *arg, struct buf *err)
{
	struct range_end *e = end;

	e->given = true;
	e->relative = *arg == '+';
	arg += e->relative;
	if (num_duration(arg, strlen(arg), 1000000000, &e->ns) == 0)
		return 0;
	buf_adds(err, "is not a time such as 1.5s or +200ms");
	return -1;
}

int
range_length_option(void *ns, const char *arg, struct buf *err)
{
	uint64_t *to = ns;

	if (num_duration(arg, strlen(arg), 1, to) == 0 && *to > 0)
		return 0;
	buf_adds(err, "is not a length of time such as 10ms");
	return -1;
}

void
range_check(const struct range *r)
{
	if (r->period && r->since.given && r->until.given)
		opt_wrong("--since, --until and --period are mutually "
			  "exclusive");
	if (r->since.given && r->until.given &&
	    r->since.relative == r->until.relative &&
	    r->until.ns <= r->since.ns)
		opt_wrong("--until must be after --since");
}

bool
range_given(const struct range *r)
{
	return r->since.given || r->until.given;
}

static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
place(const struct range_end *e, uint64_t first)
{
	return plus(e->ns, e->relative ? first : 0);
}

void
range_begin(struct range *r, uint64_t first)
{
	r->begun = true;
	r->from = r->since.given ? place(&r->since, first) : 0;
	r->to = r->until.given ? place(&r->until, first) : UINT64_MAX;
	if (r->period && r->since.given)
		r->to = plus(r->from, r->period);
	else if (r->period)
		r->from = r->to > r->period ? r->to - r->period : 0;
	if (r->from > r->to) /* one of them counts from the first event */
		r->from = r->to;
}

uint64_t
range_cut(const struct range *r, uint64_t ns)
{
	return !r->begun || ns > r->to ? r->to : ns < r->from ? r->from : ns;
}
