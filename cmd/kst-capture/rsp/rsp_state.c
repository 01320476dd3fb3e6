/* SPDX-License-Identifier: ISC */
/*
 * Knows what QEMU tells of the stop that a new connection makes. Before 8.1 it
 * reports that stop by itself, and says nothing when the guest stood still
 * already. Since then it reports only stops that were asked for: the guest is
 * `paused` in either case, but for states that have a name of their own, such
 * as `paused (prelaunch)` under -S.
 */
#include "rsp/rsp_state.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "rsp/rsp_link.h"
#include "rsp/rsppkt.h"

/* The answer to what a stub does not know. */
#define RSP_UNKNOWN "$#00"

/* Whether QEMU is of a version that reports the stop by itself. */
static bool
reports_stop(const char *version)
{
	unsigned major, minor;

	return sscanf(version, "%4u.%4u", &major, &minor) == 2 &&
	       (major < 8 || (major == 8 && minor < 1));
}

int
rsp_state(struct rsp_link *l, bool *paused)
{
	struct buf version = BUF_INIT, state = BUF_INIT;
	int status = 0;

	*paused = false;
	if (!l->stop_seen) {
		status = link_monitor(l, "info version", &version);
		if (status == 0)
			status = link_monitor(l, "info status", &state);
		*paused = reports_stop(buf_str(&version)) ||
			  strstr(buf_str(&state), "paused (") != NULL;
	}
	l->stop_seen = false;
	buf_done(&version);
	buf_done(&state);
	return status;
}

/* What came after the answer to RSP_MARK, of a stub that has none an error. */
static const char *
after_mark(const char *came)
{
	const char *mark = strstr(came, "$QC");

	if (mark == NULL)
		mark = strstr(came, RSP_UNKNOWN);
	return mark ? mark + 1 : "";
}

bool
rsp_state_answered(const char *came)
{
	came = after_mark(came);
	return strstr(came, RSP_RELEASED) != NULL ||
	       strstr(came, RSP_UNKNOWN) != NULL || strstr(came, "$E") != NULL;
}

bool
rsp_state_released(const char *came)
{
	return strstr(after_mark(came), RSP_RELEASED) != NULL;
}

bool
rsp_state_ran(const char *came)
{
	const char *printed = strstr(after_mark(came), "$O");
	char version[8] = "";
	size_t n = 0;

	if (strstr(came, RSP_STOPPED) != NULL)
		return true;
	while (printed != NULL && n < sizeof version - 1 &&
	       printed[2 + 2 * n] != 0 &&
	       rsp_unhex((uint8_t *)version + n, printed + 2 + 2 * n, 1) == 0)
		n++;
	version[n] = 0;
	/* A monitor's JSON: no stub was met at all. */
	return came[0] != '{' && !reports_stop(version);
}
