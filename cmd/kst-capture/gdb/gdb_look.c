/* SPDX-License-Identifier: ISC */
/* Knows what gdb cannot find out by itself. */
#include "gdb/gdb_look.h"

#include <errno.h>
#include <string.h>

#include "guest/backend.h"
#include "base/msg.h"
#include "rsp/rsp_link.h"
#include "rsp/rsp_state.h"
#include "rsp/rsp_who.h"

static int
ask(const struct target *t, const char *text, bool *paused)
{
	struct rsp_who who = {0};
	struct rsp_link l;
	int status;

	if (link_open(&l, &t->addr, t->timeout, t->paused) != 0) {
		msg("nobody listens at %s: %s (was QEMU started with -s or "
		    "-gdb?)",
		    text, strerror(errno));
		return -1;
	}
	status = rsp_meet(&l, &who);
	*paused = t->paused;
	if (status == 0 && who.qemu && !t->paused)
		status = rsp_state(&l, paused);
	if (status != 0 && strncmp(l.w.why, "no answer", 9) != 0)
		msg("%s: %s", text, l.w.why);
	else if (status != 0)
		msg("the gdb stub at %s does not answer: is another debugger "
		    "connected to it?",
		    text);
	if (status == 0 && !who.qemu) {
		/* gdbserver would leave with the one that detaches. */
		msg("%s", who.kind);
		watchdog_off(&l.w.dog);
	} else if (!*paused && wire_release(&l.w, l.answered) != 0 &&
		   status == 0) {
		msg("%s: the gdb stub does not let the guest go", text);
		status = -1;
	}
	link_close(&l);
	return status;
}

int
gdb_look_first(const struct target *t, bool *paused)
{
	const struct address *a = &t->addr;
	const char *text = msg_str(a->text);

	if (a->path && strpbrk(a->path, "\n\r:")) {
		msg("%s: gdb takes no sockets with a colon or line ends in "
		    "their paths",
		    msg_str(a->path));
		return -1;
	}
	if (address_busy(a)) {
		msg("another debugger is connected to %s already", text);
		return -1;
	}
	return ask(t, text, paused);
}
