/* SPDX-License-Identifier: ISC */
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

/* The length of X in X_ret and X_err; 0 for another name. */
static size_t
base_len(struct piece name, enum tp_kind *kind)
{
	bool ret = bytes_ends(name.p, name.len, "_ret");

	if (name.len < 5 || (!ret && !bytes_ends(name.p, name.len, "_err")))
		return 0;
	*kind = ret ? TP_RET : TP_ERR;
	return name.len - 4;
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

uint32_t
tps_id(struct tps *t, struct piece name, uint64_t *too_many)
{
	uint32_t id, base;
	struct tp tp = {.kind = TP_ENTRY};
	size_t n;

	id = intern_within(t->names, name.p, name.len, TPS_MAX);
	if (id == UINT32_MAX) {
		++*too_many;
		name = (struct piece){"??", 2};
		id = intern_id(t->names, name.p, name.len);
	}
	if (id < t->n)
		return id;
	(void)xpush(t->tp, t->n, t->cap);
	n = base_len(name, &tp.kind);
	tp.name.p = intern_str(t->names, id, &tp.name.len);
	tp.base = id;
	tp.role = role_of(t, name);
	tp.selected = tp.role == ROLE_WAIT || tp.role == ROLE_WAIT_RET ||
		      selection_has(t->opt->select, name);
	if (n == 0 && bytes_is(name.p, name.len, wake_name)) {
		tp.kind = TP_WAKE;
		name = wait_name;
		n = name.len;
		tp.selected |= selection_has(t->opt->select, name);
	}
	if (tp.role == ROLE_WAIT || tp.role == ROLE_IDLE)
		tp.state = TP_TIMED;
	if (n == 0 && (tp_is_syscall(&tp) || tp.role == ROLE_WAKE))
		tp.state = TP_NEVER;
	if (bytes_is(name.p, name.len, "??"))
		tp.state = TP_NEVER;
	t->tp[id] = tp;
	if (n > 0) {
		base = tps_id(t, (struct piece){name.p, n}, too_many);
		t->tp[id].base = base;
	}
	return id;
}
