/* SPDX-License-Identifier: ISC */
/* How input is read a second time. */
#include "read/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/msg.h"

/* How much of a pipe is kept in memory. */
enum { KEEP_MAX = 16 << 20 };

/* Whether all operands are regular files. */
static bool
can_repeat(char **operands, int n)
{
	struct stat st;

	for (int i = 0; i < n || i < 1; i++) {
		bool is_stdin = n == 0 || strcmp(operands[i], "-") == 0;

		if ((is_stdin ? fstat(STDIN_FILENO, &st)
			      : stat(operands[i], &st)) != 0 ||
		    !S_ISREG(st.st_mode) ||
		    (is_stdin && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0))
			return false;
	}
	return true;
}

void
source_init(struct source *s, char **operands, int n)
{
	*s = (struct source){.operands = operands, .n = n};
	s->again = can_repeat(operands, n);
	s->stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	in_init(&s->in, operands, n);
}

void
source_done(struct source *s)
{
	in_done(&s->in);
	buf_done(&s->kept);
	if (s->tmp)
		fclose(s->tmp);
	free(s->tmp_line);
}

/* Where a pipe is kept beyond KEEP_MAX; -1: nowhere, and why. */
static int tmp_fd = -1, tmp_errno;
static const char *tmp_folder;

void
source_prepare(char **operands, int n)
{
	struct buf path = BUF_INIT;

	if (can_repeat(operands, n))
		return;
	tmp_folder = getenv("TMPDIR");
	if (tmp_folder == NULL || *tmp_folder == 0)
		tmp_folder = "/tmp";
	buf_printf(&path, "%s/kst-svg.XXXXXX", tmp_folder);
	tmp_fd = mkostemp(path.p, O_CLOEXEC);
	tmp_errno = errno;
	if (tmp_fd >= 0)
		unlink(path.p);
	buf_done(&path);
}

static FILE *
tmp_open(void)
{
	FILE *f = tmp_fd >= 0 ? fdopen(tmp_fd, "w+") : NULL;

	if (tmp_fd < 0)
		errno = tmp_errno;
	if (f == NULL)
		msg_errno("cannot keep the input in %s", msg_str(tmp_folder));
	return f;
}

static void
keep(struct source *s, const char *line, size_t len)
{
	if (s->keep_failed)
		return;
	if (s->tmp == NULL && s->kept.len + len < KEEP_MAX) {
		buf_add(&s->kept, line, len);
		buf_addc(&s->kept, '\n');
		return;
	}
	if (s->tmp == NULL && (s->tmp = tmp_open()) == NULL) {
		s->keep_failed = true;
		return;
	}
	if (fwrite(line, 1, len, s->tmp) != len || putc('\n', s->tmp) == EOF) {
		msg_errno("cannot keep the input");
		s->keep_failed = true;
	}
}

/* The next of the lines that were kept. */
static bool
next_kept(struct source *s, const char **line, size_t *len)
{
	ssize_t n;

	if (s->kept_at < s->kept.len) {
		const char *p = s->kept.p + s->kept_at;
		const char *nl = memchr(p, '\n', s->kept.len - s->kept_at);

		*line = p;
		*len = (size_t)(nl - p);
		s->kept_at += *len + 1;
		return true;
	}
	n = getline(&s->tmp_line, &s->tmp_cap, s->tmp);
	if (n <= 0)
		return false;
	*line = s->tmp_line;
	*len = (size_t)n - 1;
	return true;
}

int
source_next(struct source *s, const char **line, size_t *len)
{
	s->fresh = false;
	if (!s->again && s->line < s->lines_seen) {
		if (!next_kept(s, line, len)) {
			msg("cannot read the kept input");
			s->failed = true;
			return 0;
		}
		s->line++;
		if (s->line == s->lines_seen && s->tmp)
			fseeko(s->tmp, 0, SEEK_END);
		return 1;
	}
	if (!in_next(&s->in, line, len))
		return 0;
	s->line++;
	if (!s->again && !s->last)
		keep(s, *line, *len);
	if (s->line > s->lines_seen) {
		s->lines_seen = s->line;
		s->fresh = true;
	}
	return 1;
}

int
source_rewind(struct source *s)
{
	if (s->again) {
		s->failed = s->failed || in_failed(&s->in);
		in_done(&s->in);
		if (s->stdin_at >= 0 &&
		    lseek(STDIN_FILENO, s->stdin_at, SEEK_SET) < 0) {
			msg_errno("cannot read the input again");
			return -1;
		}
		in_init(&s->in, s->operands, s->n);
	} else {
		if (s->keep_failed)
			return -1;
		s->kept_at = 0;
		if (s->tmp)
			rewind(s->tmp);
	}
	s->line = 0;
	return 0;
}
