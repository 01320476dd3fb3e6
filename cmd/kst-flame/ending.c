/* SPDX-License-Identifier: ISC */
#include "ending.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "opt/qemupath.h"
#include "trace/trace.h"

/* Bytes at the end of a capture in which the last one is sought. */
enum { LAST_MAX = 4 << 20 };

struct ending
ending_read(int fd)
{
	struct ending e = {0};
	char line[4096], *at = line, *word;
	ssize_t n = pread(fd, line, sizeof line - 1, 0);

	line[n > 0 ? n : 0] = 0;
	/* What follows is a message, in which any text may be. */
	while ((word = strsep(&at, " ")) != NULL &&
	       strncmp(word, "what=", 5) != 0) {
		e.empty |= strcmp(word, "taken=0") == 0;
		e.unreached |= strcmp(word, "end=unreached") == 0;
		e.gone |= strcmp(word, "end=gone") == 0;
		e.rebooted |= strcmp(word, "end=rebooted") == 0;
		e.stopped |= strcmp(word, "end=stopped") == 0;
		e.other_kernel |= strcmp(word, "kernel=other") == 0;
		e.nameless |= strcmp(word, "names=none") == 0;
	}
	return e;
}

int
ending_command(const char *name, int status)
{
	if (WIFEXITED(status) && status != 0 && qemupath_refused())
		return WEXITSTATUS(status);
	return job_status(name, status);
}

int
ending_status(const struct ending *e, int status, bool told)
{
	if (!WIFEXITED(status))
		return EXIT_SYSTEM;
	if (WEXITSTATUS(status) == EXIT_FAILED && (e->gone || told) &&
	    !e->other_kernel)
		return 0;
	return WEXITSTATUS(status);
}

off_t
ending_last(int fd)
{
	static const char mark[] = "\n[kst-capture ";
	struct stat st;
	off_t from, at = -1;
	char *text, *p;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return -1;
	from = st.st_size > LAST_MAX ? st.st_size - LAST_MAX : 0;
	text = xmalloc(LAST_MAX);
	n = pread(fd, text, LAST_MAX, from);
	for (p = text; n > 0 && (p = memmem(p, (size_t)(text + n - p), mark,
				     sizeof mark - 1)) != NULL;
	     p++)
		at = from + (p + 1 - text);
	free(text);
	return at;
}

void
ending_mark(const char *capture, const struct buf *line)
{
	struct buf b = BUF_INIT;
	int fd = open(capture, O_WRONLY | O_APPEND | O_CLOEXEC);

	buf_adds(&b, "[kst-ended by=until line=");
	trace_meta_add(&b, line->p, line->len);
	buf_adds(&b, "]\n");
	if (fd < 0 || write(fd, b.p, b.len) != (ssize_t)b.len)
		msg_errno("%s", msg_str(capture));
	if (fd >= 0)
		close(fd);
	buf_done(&b);
}
