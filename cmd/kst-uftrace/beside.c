/* SPDX-License-Identifier: ISC */
#include "beside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/uint.h"
#include "base/xalloc.h"
#include "merge.h"
#include "syms.h"
#include "text/events.h"

/* Notes -------------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* `SECONDS[.FRACTION] MESSAGE` */
static bool
parse_note(struct record *r, const char *p, const char *end)
{
	const char *digits = p;
	unsigned places = 0;
	uint64_t ns = 0;
	bool dot = false, over = false;

	for (; p < end && !is_blank(*p); p++) {
		if (*p == '.' && !dot && p > digits) {
			dot = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			return false;
		if (places == 9)
			continue;
		places += dot;
		over |= __builtin_mul_overflow(ns, 10u, &ns) ||
			__builtin_add_overflow(ns, (uint64_t)(*p - '0'), &ns);
	}
	for (; places < 9; places++)
		over |= __builtin_mul_overflow(ns, 10u, &ns);
	while (p < end && is_blank(*p))
		p++;
	*r = (struct record){.kind = RECORD_NOTE,
	    .time = ns,
	    .name = p,
	    .len = (size_t)(end - p)};
	return p < end && p > digits && is_blank(p[-1]) && !over;
}

static bool
note_read(struct beside *b, struct file *f)
{
	const char *p, *end;
	size_t len;

	while (in_next(&f->in, &p, &len)) {
		end = p + len;
		while (p < end && is_blank(*p))
			p++;
		while (end > p && (is_blank(end[-1]) || end[-1] == '\r'))
			end--;
		if (p == end || *p == '#')
			continue;
		if (parse_note(&f->now, p, end))
			return true;
		fault_say(&b->bad[NOTES], &f->in, "not a note: '%s'",
		    msg_text(p, (size_t)(end - p)));
	}
	return false;
}

/* Switches ----------------------------------------------------------------- */

/*
 * A record of perf begins with
 *
 *      0  u32 type    4  u16 misc    6  u16 size, of all
 *
 * and, as uftrace asks for it, ends with
 *
 *      u32 pid  u32 tid  u64 time
 */
enum { HEAD = 8, TAIL = 16 };
enum { PERF_LOST = 2, PERF_SWITCH = 14, PERF_SWITCH_CPU_WIDE = 15 };
enum { MISC_SWITCH_OUT = 1 << 13, MISC_SWITCH_OUT_PREEMPT = 1 << 14 };

/* Takes a record; true for a switch. */
static bool
take_switch(struct beside *b, struct file *f, size_t size)
{
	const char *r = f->in.p, *tail = r + size - TAIL;
	uint64_t type = uint_load(r, 4, b->big),
		 misc = uint_load(r + 4, 2, b->big);

	f->in.p += size;
	f->in.line++; /* the number of the record, as in .dat files */
	if (type == PERF_LOST && size >= HEAD + 16)
		b->lost += uint_load(r + HEAD + 8, 8, b->big);
	if ((type != PERF_SWITCH && type != PERF_SWITCH_CPU_WIDE) ||
	    size < HEAD + TAIL)
		return false;
	f->now = (struct record){.kind = RECORD_SWITCH,
	    .tid = (uint32_t)uint_load(tail + 4, 4, b->big),
	    .time = uint_load(tail + 8, 8, b->big),
	    .name = !(misc & MISC_SWITCH_OUT)	     ? NULL
		    : misc & MISC_SWITCH_OUT_PREEMPT ? PREEMPTED
						     : SCHEDULE};
	return true;
}

static bool
switch_read(struct beside *b, struct file *f)
{
	size_t left, size;

	while ((left = in_fill(&f->in, HEAD)) > 0) {
		size = left < HEAD ? HEAD : uint_load(f->in.p + 6, 2, b->big);
		if (size >= HEAD && size % 8 == 0 &&
		    in_fill(&f->in, size) >= size) {
			if (take_switch(b, f, size))
				return true;
			continue;
		}
		f->in.line++;
		fault_say(&b->bad[PERF], &f->in,
		    size < HEAD || size % 8 ? "not a perf record"
					    : "cut off in a perf record");
		f->in.p = f->in.end;
		return false;
	}
	return false;
}

/* All files ---------------------------------------------------------------- */

/* Finds the file's next record. */
static void
next(struct beside *b, struct file *f)
{
	static bool (*const read[])(struct beside *, struct file *) = {
	    [NOTES] = note_read, [KERNEL] = kernel_read, [PERF] = switch_read};
	struct record *r = &f->now;

	while (read[f->of](b, f)) {
		if (f->of == NOTES)
			return;
		r->track = tracks_find(b->tracks, r->tid);
		if (r->track == NULL && r->other)
			r->track = tracks_find(b->tracks, r->other);
		if (r->track)
			return;
	}
	f->done = true;
	b->failed |= in_failed(&f->in);
}

static void
find_first(struct beside *b)
{
	b->first = NULL;
	for (size_t i = 0; i < b->n; i++) {
		struct file *f = &b->files[i];

		if (!f->done && (!b->first || f->now.time < beside_time(b)))
			b->first = f;
	}
}

uint64_t
beside_time(const struct beside *b)
{
	return b->first ? b->first->now.time : UINT64_MAX;
}

void
beside_add(struct beside *b, enum beside_file of, uint64_t cpu, char *path)
{
	b->files = xreallocn(b->files, b->n + 1, sizeof *b->files);
	b->files[b->n++] = (struct file){.of = of, .cpu = cpu, .path = path};
}

static int
by_kind_and_cpu(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void
beside_start(
    struct beside *b, const struct tracks *ts, const char *dir, bool big)
{
	b->tracks = ts;
	b->big = big;
	b->bad[NOTES].what = "line that is not a note";
	b->bad[KERNEL].what = "damaged page of kernel records";
	b->bad[PERF].what = "damaged perf file";
	if (b->n)
		qsort(b->files, b->n, sizeof *b->files, by_kind_and_cpu);
	for (size_t i = 0; i < b->n; i++) {
		struct file *f = &b->files[i];

		if (f->of == KERNEL && b->header.page == 0 &&
		    !b->header.failed) {
			kheader_read(&b->header, dir, big);
			b->failed |= b->header.failed;
		}
		in_init_folder(&f->in, &f->path, 1, 1 << 14);
		next(b, f);
	}
	find_first(b);
}

void
beside_done(struct beside *b)
{
	for (size_t i = 0; i < b->n; i++) {
		in_done(&b->files[i].in);
		free(b->files[i].path);
	}
	free(b->files);
	kheader_done(&b->header);
}

/* Writing ------------------------------------------------------------------ */

static void
put_func(
    struct emit *e, struct track *t, uint64_t time, bool is_exit, uint64_t addr)
{
	enum event_kind kind = is_exit ? EVENT_END : EVENT_BEGIN;
	const struct func *f =
	    syms_find(e->data->syms, e->data->kernel_space, addr & MASK48);
	char hex[20];

	if (f) {
		emit_event(e, t, time, kind, f->name, f->name_len);
		return;
	}
	snprintf(hex, sizeof hex, "%#" PRIx64, addr);
	emit_event(e, t, time, kind, hex, strlen(hex));
}

static void
put_note(struct emit *e, const struct record *r)
{
	static const struct track notes = {.name = "extern", .name_len = 6};
	const struct event_args a = {.text = r->name, .len = r->len};

	event_add_args(&e->args, &a);
	emit_event(e, &notes, r->time, EVENT_INSTANT, "extern-data", 11);
}

void
beside_put(struct beside *b, struct emit *e)
{
	const struct record *r = &b->first->now;
	struct track *t = r->track;

	e->args.len = e->text.len = 0;
	switch (r->kind) {
	case RECORD_NOTE:
		put_note(e, r);
		break;
	case RECORD_SWITCH:
		emit_switch(e, t, r->time, r->name);
		break;
	case RECORD_ENTRY:
		put_func(e, t, r->time, false, r->addr);
		if (e->range)
			calls_push(&t->inside, r->addr);
		break;
	case RECORD_EXIT:
		put_func(e, t, r->time, true, r->addr);
		if (e->range)
			calls_pop(&t->inside, r->addr);
		break;
	case RECORD_LOST:
		emit_lost(e, t, r->time, r->addr ? &r->addr : NULL);
		break;
	case RECORD_EVENT:
		event_escape(&e->text, r->name, strlen(r->name));
		emit_event(
		    e, t, r->time, EVENT_INSTANT, e->text.p, e->text.len);
		break;
	}
	next(b, b->first);
	find_first(b);
}

void
beside_made(
    struct emit *e, struct track *t, uint64_t time, bool is_exit, uint64_t addr)
{
	emit_repaired(e);
	put_func(e, t, time, is_exit, addr);
}
