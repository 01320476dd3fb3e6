/* SPDX-License-Identifier: ISC */
#include "rsp/rsp_release.h"
#include "rsp/rsppkt.h"
#include "rsp/rsp_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire/clock.h"

/*
 * `#00` ends a packet that was half sent, a `+` on either side what QEMU waits
 * for, and what it takes for a wish to stop; D detaches. And the answer, which
 * others have, too: that to qC, before it, is a mark. Stubs of one process,
 * which QEMU's can be without, pass over the `;1`.
 */
#define MARK "+#00+$qC#b4+"
#define RELEASE MARK "$D;1#b0"
#define RELEASED "$OK#9a"

/* `info version` for QEMU's monitor, and the answer to what is not known. */
#define QUESTION MARK "$qRcmd,696e666f2076657273696f6e#e8"
#define UNKNOWN "$#00"

enum { ANSWER_MAX = 1 << 20, AGAIN_MS = 50 };

int
rsp_release(int fd, uint64_t deadline)
{
	struct buf in = BUF_INIT;
	enum conn_end end =
	    conn_write(fd, RELEASE, strlen(RELEASE), deadline, CONN_PATIENT);
	bool come = false;

	while (end == CONN_OK && !come && in.len < ANSWER_MAX &&
	       clock_now() < deadline) {
		end = conn_read(fd, &in, deadline, CONN_PATIENT);
		come = strstr(buf_str(&in), RELEASED) != NULL;
	}
	buf_done(&in);
	return come ? 0 : -1;
}

int
rsp_repair(const struct address *a, uint64_t timeout)
{
	uint64_t deadline = clock_now() + timeout;
	int fd, status;

	/* A QEMU that is ending may take a connection, and closes it. */
	do {
		fd = address_connect(a, timeout, NULL, NULL);
		if (fd < 0)
			return errno == EPERM ? -1 : 1;
		status = rsp_release(fd, deadline);
		close(fd);
	} while (status != 0 && clock_now() < deadline &&
		 wait_fd(-1, 0, clock_now() + AGAIN_MS * NS_PER_MS,
		     CONN_PATIENT) == 0);
	return status;
}

bool
rsp_reports_stop(const char *version)
{
	unsigned major, minor;

	return sscanf(version, "%4u.%4u", &major, &minor) == 2 &&
	       (major < 8 || (major == 8 && minor < 1));
}

/* What came after the answer to MARK, of a stub that has none an error. */
static const char *
after_mark(const char *came)
{
	const char *mark = strstr(came, "$QC");

	if (mark == NULL)
		mark = strstr(came, UNKNOWN);
	return mark ? mark + 1 : "";
}

static bool
answered(const char *came)
{
	came = after_mark(came);
	return strstr(came, RELEASED) != NULL ||
	       strstr(came, UNKNOWN) != NULL || strstr(came, "$E") != NULL;
}

static bool
released(const char *came)
{
	return strstr(after_mark(came), RELEASED) != NULL;
}

static bool
had_run(const char *came)
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
	return came[0] != '{' && !rsp_reports_stop(version);
}

static int
repair(const void *link)
{
	const struct rsp_link *l = link;

	return rsp_repair(l->addr, l->w.timeout);
}

int
rsp_guard(void *link, int fd)
{
	struct rsp_link *l = link;
	static const struct watchdog_words words = {
	    .resume = RELEASE,
	    .resumed = released,
	    .question = QUESTION,
	    .answered = answered,
	    .had_run = had_run,
	};

	watchdog_off(&l->w.dog);
	l->w.dog = (struct watchdog){.conn = fd,
	    .duty = watchdog_resume,
	    .arg = &words,
	    .repair = repair,
	    .repair_arg = l};
	return watchdog_start(&l->w.dog);
}
