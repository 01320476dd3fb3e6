/* SPDX-License-Identifier: ISC */
/* Texts, files; captures and sums: their names, outputs and outcomes. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "io/share.h"
#include "io/whole.h"
#include "base/xalloc.h"
#include "batch.h"

enum { WHAT_MAX = 1000 };

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

void
items_done(struct items *t)
{
	for (size_t k = 0; k < t->n; k++) {
		free(t->v[k].made.what);
		buf_done(&t->v[k].inputs);
	}
	free(t->v);
}

const char *
path_absolute(const struct batch *b, const char *name)
{
	return *name == '/' ? name : text_of("%s/%s", b->cwd, name);
}

const char *
path_name(const struct batch *b, const char *path)
{
	size_t len = strlen(b->cwd);

	if (strncmp(path, b->cwd, len) == 0 && path[len] == '/' &&
	    path[len + 1] != 0)
		return path + len + 1;
	return path;
}

const char *
path_picture(const char *folded)
{
	size_t len = strlen(folded);

	if (len > 7 && bytes_ends(folded, len, ".folded"))
		len -= 7;
	return text_of("%.*s.svg", (int)len, folded);
}

const char *
item_output(const struct batch *b, const struct item *i, const char *suffix)
{
	if (!i->is_sum)
		return text_of("%s/%s%s", b->out, i->rel, suffix);
	return strcmp(suffix, ".svg") == 0 ? path_picture(i->path) : i->path;
}

void
item_begin(struct item *i)
{
	if (i->draw_only)
		return;
	free(i->made.what);
	i->made =
	    (struct outcome){.key = i->key, .size = i->size, .mtime = i->mtime};
}

void
outcome_fault(
    struct outcome *r, enum status status, uint64_t line, const char *fmt, ...)
{
	char text[WHAT_MAX];
	va_list ap;

	if (r->status >= status)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	free(r->what);
	r->what = xstrdup(text);
	r->status = status;
	r->line = line;
}
