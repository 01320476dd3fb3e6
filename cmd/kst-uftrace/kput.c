/* SPDX-License-Identifier: ISC */
#include "kput.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emit.h"
#include "kernel.h"
#include "module.h"
#include "syms.h"
#include "text/events.h"

static void
put_func(
    struct emit *e, struct track *t, uint64_t time, bool is_exit, uint64_t addr)
{
	struct syms *syms = e->data->syms;
	uint32_t space = e->data->kernel_space;
	enum event_kind kind = is_exit ? EVENT_END : EVENT_BEGIN;
	const struct func *f = syms_find(syms, space, addr & MASK48);
	char hex[20];

	if (f) {
		emit_event(e, t, time, kind, f->name, f->name_len);
		return;
	}
	snprintf(hex, sizeof hex, "%#" PRIx64, addr);
	emit_event(e, t, time, kind, hex, strlen(hex));
}

static void
put_lost(struct emit *e, struct track *t, const struct kernel_record *r)
{
	struct event_args a = {.mark = EVENT_VALUE};
	char digits[20];

	a.text = digits;
	a.len = event_u64(digits, r->addr);
	if (r->addr)
		event_add_args(&e->args, &a);
	emit_event(e, t, r->time, EVENT_LOST, "records", 7);
}

void
kput(struct emit *e, struct track *t, const struct kernel_record *r)
{
	e->args.len = 0;
	switch (r->kind) {
	case KERNEL_ENTRY:
		put_func(e, t, r->time, false, r->addr);
		if (e->range)
			calls_push(&t->inside, r->addr);
		break;
	case KERNEL_EXIT:
		put_func(e, t, r->time, true, r->addr);
		if (e->range)
			calls_pop(&t->inside, r->addr);
		break;
	case KERNEL_LOST:
		put_lost(e, t, r);
		break;
	case KERNEL_EVENT:
		e->text.len = 0;
		event_escape(&e->text, r->name, strlen(r->name));
		emit_event(
		    e, t, r->time, EVENT_INSTANT, e->text.p, e->text.len);
		break;
	}
}

void
kput_made(
    struct emit *e, struct track *t, uint64_t time, bool is_exit, uint64_t addr)
{
	const struct event_args a = {.repaired = true};

	e->args.len = 0;
	event_add_args(&e->args, &a);
	put_func(e, t, time, is_exit, addr);
}
