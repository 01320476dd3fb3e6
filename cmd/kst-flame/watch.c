/* SPDX-License-Identifier: ISC */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "opt/opt.h"
#include "names/rx.h"

enum { LINE_MAX_LEN = 64 << 10, SHOWN_MAX = 200, MISSING_MAX = 500 };

int
watch_for(struct rx **rx, const char *option, const char *pattern)
{
	struct buf why = BUF_INIT;

	*rx = NULL;
	if (pattern == NULL)
		return 0;
	*rx = rx_new(pattern, strlen(pattern), &why);
	if (*rx == NULL)
		msg("--%s: %s", option, buf_str(&why));
	buf_done(&why);
	return *rx ? 0 : -1;
}

static bool
is_match(struct rx *rx, struct buf *line)
{
	return rx != NULL && rx_match(rx, buf_str(line), line->len) == 1;
}

/* Nobody may read it any more; the guest goes on. */
static void
pass_on(struct watch *w, const char *p, size_t n)
{
	w->cut = p[n - 1] != '\n';
	while (w->relay && n > 0) {
		ssize_t done = write(STDOUT_FILENO, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			w->relay = false;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

bool
watch_is_shared(void)
{
	struct stat out, err;

	return fstat(STDOUT_FILENO, &out) == 0 &&
	       fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev &&
	       out.st_ino == err.st_ino;
}

/*
 * A terminal that QEMU writes to by itself: blanks for all columns but one lead
 * to the next line only if the cursor is not in the first column.
 */
static void
end_unseen_line(void)
{
	struct winsize size;

	if (isatty(STDERR_FILENO) &&
	    ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		dprintf(STDERR_FILENO, "%*s\r", size.ws_col - 1, "");
}

static void
end_line(struct watch *w)
{
	if (!watch_is_shared())
		return;
	if (w->relay && w->cut)
		pass_on(w, "\n", 1);
	else if (!w->relay && w->path == NULL)
		end_unseen_line();
}

/* Which line it was: a pattern may match one that was not meant. */
static void
say_match(struct watch *w, const char *option)
{
	size_t n = w->line.len < SHOWN_MAX ? w->line.len : SHOWN_MAX;

	end_line(w);
	msg("%s matched the line \"%s\"", option, msg_text(w->line.p, n));
}

/* A line, or the beginning of one, such as a prompt. */
static void
look(struct watch *w)
{
	if (w->from != NULL && !w->from_seen) {
		w->from_seen = is_match(w->from, &w->line);
		if (w->from_seen)
			say_match(w, "--from");
	} else if (is_match(w->until, &w->line)) {
		w->until_seen = true;
		say_match(w, "--until");
	}
}

static void
take(struct watch *w, const char *p, size_t n)
{
	for (size_t i = 0; i < n && !w->until_seen; i++) {
		if (p[i] == '\n' || w->line.len == LINE_MAX_LEN) {
			look(w);
			if (w->until_seen)
				return;
			w->line.len = 0;
		}
		if (p[i] != '\n' && p[i] != '\r')
			buf_addc(&w->line, p[i]);
	}
	if (w->line.len > 0 && !w->until_seen)
		look(w);
}

/* There is no serial log where it is expected. */
static void
say_missing(const struct watch *w)
{
	char cwd[PATH_MAX];

	msg("--serial: there is no file %s%s%s: does QEMU write it elsewhere?",
	    msg_str(w->path), *w->path == '/' ? "" : " in ",
	    *w->path != '/' && getcwd(cwd, sizeof cwd) ? msg_str(cwd) : "");
}

void
watch_open(struct watch *w)
{
	if (w->fd >= 0 || w->path == NULL || (!w->from && !w->until))
		return;
	w->fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	w->missing = w->fd >= 0 ? 0 : w->missing + 1;
	if (w->missing == MISSING_MAX)
		say_missing(w);
}

/* Once, while the guest runs on and the capture has not begun. */
static void
say_waits(struct watch *w)
{
	if (w->since == 0)
		w->since = job_ms();
	if (w->from == NULL || w->from_seen || w->waits ||
	    job_ms() - w->since < opt_stall() * INT64_C(1000))
		return;
	w->waits = true;
	end_line(w);
	msg("no line of the serial log has matched --from in %d s",
	    opt_stall());
}

bool
watch_read(struct watch *w)
{
	char block[16 << 10];
	ssize_t n;

	say_waits(w);
	while ((n = read(w->fd, block, sizeof block)) > 0) {
		pass_on(w, block, (size_t)n);
		if (w->from || w->until)
			take(w, block, (size_t)n);
	}
	return n < 0 && errno == EAGAIN;
}

void
watch_end(struct watch *w, bool spoke)
{
	if (w->fd >= 0)
		watch_read(w);
	if (spoke)
		end_line(w);
	if (w->missing > 0 && w->missing < MISSING_MAX)
		say_missing(w);
	w->missing = 0;
}

void
watch_done(struct watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	rx_free(w->from);
	rx_free(w->until);
	buf_done(&w->line);
}
