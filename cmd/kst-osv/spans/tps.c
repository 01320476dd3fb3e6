/* SPDX-License-Identifier: ISC */
#include "tps.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/intern.h"
#include "emit.h"
#include "base/xalloc.h"

static const char wait_name[] = "mutex_lock_wait";
static const char wake_name[] = "mutex_lock_wake";

void
tps_init(struct tps *t, const struct emit_options *opt)
{
	memset(t, 0, sizeof *t);
	t->names = intern_new();
	t->opt = opt;
}

void
tps_done(struct tps *t)
{
	intern_free(t->names);
	free(t->tp);
	memset(t, 0, sizeof *t);
}

/* The length of X in X_ret and X_err; 0 for another name. */
static size_t
base_len(const char *p, size_t len, enum tp_kind *kind)
{
	bool ret = bytes_ends(p, len, "_ret");

	if (len < 5 || (!ret && !bytes_ends(p, len, "_err")))
		return 0;
	*kind = ret ? TP_RET : TP_ERR;
	return len - 4;
}

bool
tp_is_syscall(const struct tp *tp)
{
	return tp->name.len > 8 &&
	       bytes_starts(tp->name.p, tp->name.len, "syscall_");
}

static enum tp_role
role_of(const struct tps *t, const char *name, size_t len)
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
		    bytes_is(name, len, roles[i].name))
			return roles[i].role;
	return ROLE_NONE;
}

uint32_t
tps_id(struct tps *t, const char *name, size_t len, uint64_t *too_many)
{
	uint32_t id, base;
	struct tp tp = {.kind = TP_ENTRY};
	size_t n;

	id = intern_within(t->names, name, len, TPS_MAX);
	if (id == UINT32_MAX) {
		++*too_many;
		name = "??";
		id = intern_id(t->names, name, len = 2);
	}
	if (id < t->n)
		return id;
	(void)xpush(t->tp, t->n, t->cap);
	n = base_len(name, len, &tp.kind);
	tp.name.p = intern_str(t->names, id, &tp.name.len);
	tp.base = id;
	tp.role = role_of(t, name, len);
	tp.selected = tp.role == ROLE_WAIT || tp.role == ROLE_WAIT_RET ||
		      selection_has(t->opt->select, name, len);
	if (n == 0 && bytes_is(name, len, wake_name)) {
		tp.kind = TP_WAKE;
		name = wait_name;
		n = sizeof wait_name - 1;
		tp.selected |= selection_has(t->opt->select, name, n);
	}
	if (tp.role == ROLE_WAIT || tp.role == ROLE_IDLE)
		tp.state = TP_TIMED;
	if (n == 0 && (tp_is_syscall(&tp) || tp.role == ROLE_WAKE))
		tp.state = TP_NEVER;
	if (bytes_is(name, len, "??"))
		tp.state = TP_NEVER;
	t->tp[id] = tp;
	if (n > 0) {
		base = tps_id(t, name, n, too_many);
		t->tp[id].base = base;
	}
	return id;
}
