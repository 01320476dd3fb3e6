/* SPDX-License-Identifier: ISC */
#include "perf.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "io/out.h"
#include "profile/table.h"
#include "set/intern.h"
#include "text/folded.h"
#include "trace/signs.h"
#include "trace/trace.h"

static bool
is_wanted(const struct options *o, uint32_t id, const char *event, size_t len)
{
	size_t n = o->event ? strlen(o->event) : 0;

	return o->event == NULL ? id == 0
				: bytes_starts(event, len, o->event) &&
				      (len == n || event[n] == ':');
}

static bool
take_event(struct perf *r, const struct sample_line *s)
{
	struct piece e = {s->event.p ? s->event.p : "", s->event.len};
	uint32_t id = intern_within(r->events, e.p, e.len, EVENTS_MAX);

	r->n_of[id < EVENTS_MAX ? id : EVENTS_MAX]++;
	if (!is_wanted(r->o, id, e.p, e.len))
		return false;
	if (r->unit.len == 0 && s->period > 1) {
		const char *colon = memchr(e.p, ':', e.len);

		e.len = colon ? (size_t)(colon - e.p) : e.len;
		if (bytes_ends(e.p, e.len, "-clock"))
			e = (struct piece){"ns", 2};
		for (size_t i = 0; i < e.len; i++)
			buf_addc(&r->unit,
			    isalnum((unsigned char)e.p[i]) ? e.p[i] : '-');
	}
	return true;
}

/* The root frame of folded text. */
static void
add_root(struct perf *r, const struct sample_line *s)
{
	struct buf *b = &r->head;

	buf_add(b, s->comm.p, s->comm.len);
	for (size_t i = 0; i < b->len; i++)
		b->p[i] = b->p[i] == ' ' ? '_' : b->p[i];
	if (r->o->pid || r->o->tid)
		buf_printf(b, "-%.*s", s->pid.len ? (int)s->pid.len : 1,
		    s->pid.len ? s->pid.p : "?");
	if (r->o->tid)
		buf_printf(b, "/%.*s", (int)s->tid.len, s->tid.p);
}

/* The lines before the frames, without the end of the last one. */
static void
add_header(struct perf *r, const struct sample_line *s)
{
	struct piece tid = s->tid.len ? s->tid : (struct piece){"0", 1};
	struct piece pid = s->pid.len ? s->pid : tid;
	struct buf *b = &r->head;
	uint64_t cpu;

	buf_printf(b, "[kst-capture seq=%" PRIu64, r->samples);
	if (s->time.len)
		buf_printf(b, " time=%.*s", (int)s->time.len, s->time.p);
	if (s->period > 1)
		buf_printf(b, " weight=%" PRIu64 " unit=%s", s->period,
		    buf_str(&r->unit));
	buf_printf(b, "]\nThread %.*s (Thread %.*s.%.*s ", (int)tid.len, tid.p,
	    (int)pid.len, pid.p, (int)tid.len, tid.p);
	if (num_u64(s->cpu.p, s->cpu.len, &cpu) == 0 && cpu <= INT32_MAX)
		buf_printf(b, "(CPU#%" PRIu64 " [running])", cpu);
	else
		trace_meta_add(b, s->comm.p, s->comm.len);
	buf_printf(b, "):\n[kst-process pid=%.*s name=", (int)pid.len, pid.p);
	trace_meta_add(b, s->comm.p, s->comm.len);
}

static void
end_sample(struct perf *r)
{
	uint32_t *ids = r->ids + FRAMES_MAX - r->n; /* the root first */
	struct count count = {r->weight, 0};
	bool open = r->open;

	r->open = false;
	if (!open || !r->wanted)
		return;
	if (r->n == 0 && r->bare) {
		r->others++; /* no sample */
		return;
	}
	r->samples++;
	r->empty += r->n == 0;
	if (r->o->folded) {
		*ids = table_any_name(r->table, r->head.p, r->head.len);
		if (table_add(r->table, ids, r->n + 1, &count) != 0)
			fault_say(&r->overflow, &r->in, "%s", r->overflow.what);
	} else if (r->n > 0) {
		out_put(r->head.p, r->head.len);
		out_puts(r->in_kernel ? " mode=kernel]\n" : " mode=user]\n");
		out_put(r->text.p, r->text.len);
		out_putc('\n');
	}
}

static void
begin_sample(struct perf *r, const struct sample_line *s)
{
	end_sample(r);
	r->n = r->text.len = r->head.len = 0;
	r->bare = s->time.len + s->event.len == 0;
	r->open = true;
	r->wanted = r->bare ? r->o->event == NULL : take_event(r, s);
	r->weight = s->period ? s->period : 1;
	if (r->wanted && r->o->folded)
		add_root(r, s);
	else if (r->wanted)
		add_header(r, s);
	if (frames_add(r, s->rest.p, s->rest.len))
		end_sample(r); /* of one frame, in its first line */
}

static void
take_line(struct perf *r, const char *p, size_t len)
{
	struct sample_line s;
	struct piece line = {p, len};

	if (r->open && frames_add(r, p, len))
		return;
	line.len = bytes_trim(&line.p, len);
	if (line_sample(p, len, &s)) {
		begin_sample(r, &s);
	} else if (!r->open && line.p == p && intern_count(r->events) == 0) {
		s = (struct sample_line){.comm = line, .rest = {p, 0}};
		begin_sample(r, &s); /* `-F comm,ip,sym` */
	} else if (r->open && r->n && line.len &&
		   !memchr(line.p, ' ', line.len)) {
		r->text.len -= r->text.len > 0; /* its LF; `file.c:12` */
		buf_adds(&r->text, " at ");
		folded_add_name(&r->text, line.p, line.len);
		buf_addc(&r->text, '\n');
	} else if (!r->open || r->wanted) {
		r->others++;
	}
}

const char *
perf_read(void *perf, struct in *in)
{
	struct perf *r = perf;
	unsigned file_no = in->file_no;
	uint64_t before = r->samples, others = r->others, lines = 0;
	const char *line;
	size_t len;

	if (look_unpacker(in->p, (size_t)(in->end - in->p)))
		return "no samples found";
	while (in_more(in, file_no) && in_next(in, &line, &len)) {
		const bool has_end = in->p > line + len; /* LF */

		len -= len > 0 && line[len - 1] == '\r';
		lines += len > 0;
		if (len == 0)
			end_sample(r);
		else if (r->open && r->n == FRAMES_MAX)
			r->others++;
		else if (*line != '#' || (len > 1 && line[1] != ' '))
			take_line(r, line, len);
		if (!has_end && r->open && (r->n || !r->bare))
			fault_say(&r->cut, in, "%s", r->cut.what);
	}
	end_sample(r);
	return r->samples == before ? "no samples found"
	       : r->others - others <= lines / 2
		   ? NULL
		   : "most lines are not of samples";
}

void
perf_report(const struct perf *r)
{
	uint32_t n = intern_count(r->events);
	size_t len;

	for (uint32_t i = 0; i < n; i++) {
		const char *e = intern_str(r->events, i, &len);
		bool wanted = is_wanted(r->o, i, e, len);

		if (n > 1 || !wanted)
			msg("%" PRIu64 " samples of '%s'%s", r->n_of[i],
			    msg_text(e, len), wanted ? "" : " left out");
	}
	msg_count(r->n_of[EVENTS_MAX], "samples of further events left out");
	msg_count(r->empty, r->o->folded ? "samples without a stack"
					 : "samples without a stack left out");
	msg_count(r->others, "lines that are not of samples");
}
