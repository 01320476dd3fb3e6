/* SPDX-License-Identifier: ISC */
#include "spans/select.h"
#include "tps.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/intern.h"
#include "emit.h"
#include "base/xalloc.h"

static const struct piece wait_name = {"mutex_lock_wait", 15};
static const char wake_name[] = "mutex_lock_wake";

void
tps_init(struct tps *t, const struct emit_options *opt)
{
	*t = (struct tps){.names = intern_new(), .opt = opt};
}

void
tps_done(struct tps *t)
{
	intern_free(t->names);
	free(t->tp);
}

static enum tp_kind
kind_of(struct piece name)
{
	bool ret = bytes_ends(name.p, name.len, "_ret");

	if (name.len > 4 && (ret || bytes_ends(name.p, name.len, "_err")))
		return ret ? TP_RET : TP_ERR;
	return bytes_is(name.p, name.len, wake_name) ? TP_WAKE : TP_ENTRY;
}

/* What it ends: X of X_ret and X_err. */
static struct piece
base_of(const struct tp *tp)
{
	return tp->kind == TP_WAKE
		   ? wait_name
		   : (struct piece){tp->name.p, tp->name.len - 4};
}

bool
tp_is_syscall(const struct tp *tp)
{
	return tp->name.len > 8 &&
	       bytes_starts(tp->name.p, tp->name.len, "syscall_");
}

static enum tp_role
role_of(const struct tps *t, struct piece name)
{
	static const struct {
		unsigned within; /* or always */
		const char *name;
		enum tp_role role;
	} roles[] = {{WITHIN_NOTHING, "sched_wait", ROLE_WAIT},
	    {WITHIN_NOTHING, "sched_wait_ret", ROLE_WAIT_RET},
	    {WITHIN_WAKEUP, "sched_wake", ROLE_WAKE},
	    {WITHIN_IDLE, "sched_idle", ROLE_IDLE},
	    {WITHIN_IDLE, "sched_idle_ret", ROLE_IDLE_RET}};

	if (t->opt->within == WITHIN_NOTHING)
		return ROLE_NONE;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if ((roles[i].within == WITHIN_NOTHING ||
			roles[i].within == t->opt->within) &&
		    bytes_is(name.p, name.len, roles[i].name))
			return roles[i].role;
	return ROLE_NONE;
}

static uint32_t
add(struct tps *t, struct piece name, uint64_t *too_many)
{
	uint32_t id = intern_within(t->names, name.p, name.len, TPS_MAX);
	struct tp tp;

	if (id == UINT32_MAX) {
		++*too_many;
		name = (struct piece){"??", 2};
		id = intern_id(t->names, name.p, name.len);
	}
	if (id < t->n)
		return id;
	tp = (struct tp){.kind = kind_of(name), .base = id};
	tp.name.p = intern_str(t->names, id, &tp.name.len);
	tp.role = role_of(t, name);
	tp.selected =
	    tp.role == ROLE_WAIT || tp.role == ROLE_WAIT_RET ||
	    selection_has(t->opt->select, name) ||
	    (tp.kind == TP_WAKE && selection_has(t->opt->select, wait_name));
	if (tp.role == ROLE_WAIT || tp.role == ROLE_IDLE)
		tp.state = TP_TIMED;
	if (tp.kind == TP_ENTRY && (tp_is_syscall(&tp) || tp.role == ROLE_WAKE))
		tp.state = TP_NEVER;
	if (bytes_is(name.p, name.len, "??"))
		tp.state = TP_NEVER;
	*xpush(t->tp, t->n, t->cap) = tp;
	return id;
}

/* Of X_ret_ret, X_ret is not an end before it comes itself. */
uint32_t
tps_id(struct tps *t, struct piece name, uint64_t *too_many)
{
	uint32_t id = add(t, name, too_many), base;

	if (t->tp[id].kind != TP_ENTRY && t->tp[id].base == id) {
		base = add(t, base_of(&t->tp[id]), too_many);
		t->tp[id].base = base;
	}
	return id;
}
