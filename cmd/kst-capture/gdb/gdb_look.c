/* SPDX-License-Identifier: ISC */
/* Knows what gdb cannot find out by itself. */
#include "gdb/gdb_look.h"

#include <errno.h>
#include <string.h>

#include "guest/backend.h"
#include "base/msg.h"
#include "rsp/rsp_link.h"
#include "rsp/rsp_state.h"

static int
ask(const struct target *t, const char *text, bool *paused)
{
	struct rsp_link l;
	int rc;

	if (link_open(&l, &t->addr, t->timeout, t->paused) != 0) {
		msg("nobody listens at %s: %s (was QEMU started with -s or "
		    "-gdb?)",
		    text, strerror(errno));
		return -1;
	}
	rc = link_greet(&l, "qSupported:multiprocess+;xmlRegisters=i386");
	*paused = t->paused;
	if (rc == 0 && !t->paused)
		rc = rsp_state(&l, paused);
	if (rc != 0 && (l.answered || l.hurry))
		msg("%s: %s", text, l.why);
	else if (rc != 0)
		msg("the gdb stub at %s does not answer: is another debugger "
		    "connected to it?",
		    text);
	if (!*paused && link_release(&l) != 0 && rc == 0) {
		msg("%s: the gdb stub does not let the guest go", text);
		rc = -1;
	}
	link_close(&l);
	return rc;
}

int
gdb_look_first(const struct target *t, bool *paused)
{
	const struct address *a = &t->addr;
	const char *text = msg_text(a->text, strlen(a->text));

	if (a->path && strpbrk(a->path, "\n\r:")) {
		msg("%s: gdb takes no sockets with a colon or line ends in "
		    "their paths",
		    msg_text(a->path, strlen(a->path)));
		return -1;
	}
	if (address_busy(a)) {
		msg("another debugger is connected to %s already", text);
		return -1;
	}
	return ask(t, text, paused);
}
