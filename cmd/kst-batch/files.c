/* SPDX-License-Identifier: ISC */
/* Texts and files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/utf8.h"
#include "io/share.h"
#include "io/whole.h"
#include "base/xalloc.h"
#include "batch.h"

const char *
text_of(const char *fmt, ...)
{
	static char *texts[8];
	static unsigned next;
	char **text = &texts[next++ % 8];
	va_list ap;

	free(*text);
	va_start(ap, fmt);
	if (vasprintf(text, fmt, ap) < 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	va_end(ap);
	return *text;
}

const char *
text_encode(const char *s)
{
	static struct buf b;

	b.len = 0;
	while (*s) {
		size_t n = utf8_len(s, strnlen(s, 4));
		bool plain = *s != '%' && utf8_is_shown(s, n);

		for (n = n ? n : 1; n > 0; n--, s++)
			if (plain)
				buf_addc(&b, *s);
			else
				buf_printf(&b, "%%%02X", (unsigned char)*s);
	}
	return text_of("%s", buf_str(&b));
}

int
file_read(const char *path, struct buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC),
	    status = fd < 0 ? -1 : share_fill(fd, SIZE_MAX, b);

	if (fd >= 0)
		close(fd);
	return status;
}

int
file_write(const char *path, const char *p, size_t len)
{
	FILE *f = fopen(path, "we");
	bool bad;

	if (f == NULL)
		return -1;
	bad = len && fwrite(p, 1, len, f) != len;
	return fclose(f) != 0 || bad ? -1 : 0;
}

uint64_t
file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode)
		   ? (uint64_t)st.st_size
		   : UINT64_MAX;
}

int
make_parents(const char *path)
{
	char *s = xstrdup(path), *p = s;
	int status = 0;

	while (status == 0 && (p = strchr(p + 1, '/'))) {
		*p = 0;
		if (mkdir(s, 0777) != 0 && errno != EEXIST)
			status = -1;
		*p = '/';
	}
	free(s);
	return status;
}

/* In another file system: a copy takes the name's place. */
static int
rename_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), status = -1, e;
	static char block[256 << 10];
	struct whole w;
	ssize_t n = -1;

	if (in >= 0 && whole_open(&w, to) == 0) {
		while ((n = read(in, block, sizeof block)) > 0) {
			ssize_t done = 0, k;

			/* a disk takes what it has place for, and then fails */
			for (; done < n; done += k)
				if ((k = write(w.fd, block + done,
					 (size_t)(n - done))) < 0)
					break;
			if (done < n)
				break;
		}
		if (n == 0 && whole_close(&w, false) == 0)
			status = unlink(from);
		else
			whole_drop(&w);
	}
	e = errno;
	if (in >= 0)
		close(in);
	errno = e;
	return status;
}

int
file_rename(const char *from, const char *to)
{
	int status = rename(from, to);

	if (status != 0 && errno == ENOENT && make_parents(to) == 0)
		status = rename(from, to);
	return status != 0 && errno == EXDEV ? rename_copy(from, to) : status;
}
