/* SPDX-License-Identifier: ISC */
/* The only file that knows how units and results are written down. */
#include "job.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/opt.h"
#include "base/xalloc.h"

enum { MESSAGES_MAX = 3000 };

static void
put(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static void
put_u64(struct buf *b, uint64_t n)
{
	buf_printf(b, "%" PRIu64, n);
	buf_addc(b, 0);
}

static char *
get(char **p, const char *end)
{
	char *s = *p;
	size_t n = s < end ? strnlen(s, (size_t)(end - s)) : 0;

	if (s >= end || s + n == end)
		return NULL;
	*p = s + n + 1;
	return s;
}

static int
get_u64(char **p, const char *end, uint64_t *n)
{
	const char *s = get(p, end);

	return s ? num_u64(s, strlen(s), n) : -1;
}

void
unit_write(struct buf *b, const struct unit *u)
{
	char kind[2] = {u->kind, 0};

	put(b, kind);
	put_u64(b, u->id);
	put_u64(b, u->off);
	put_u64(b, u->len);
	put(b, u->path);
	put(b, u->name);
	put(b, u->folded);
	put(b, u->svg);
	put_u64(b, u->plain);
	put_u64(b, u->shape);
	put_u64(b, u->width);
}

int
unit_read(struct unit *u, char **p, const char *end)
{
	const char *kind = get(p, end);
	uint64_t plain;

	if (kind == NULL || get_u64(p, end, &u->id) ||
	    get_u64(p, end, &u->off) || get_u64(p, end, &u->len))
		return -1;
	u->kind = kind[0];
	u->path = get(p, end);
	u->name = get(p, end);
	u->folded = get(p, end);
	u->svg = get(p, end);
	if (u->svg == NULL || get_u64(p, end, &plain) != 0 ||
	    get_u64(p, end, &u->shape) != 0 || get_u64(p, end, &u->width) != 0)
		return -1;
	u->plain = plain;
	return 0;
}

void
run_write(struct buf *b, const struct run *r)
{
	put(b, KST_VERSION);
	put(b, r->cwd);
	for (int i = 0; i < STEPS; i++) {
		put_u64(b, r->steps.step[i].n);
		for (size_t k = 0; k < r->steps.step[i].n; k++)
			put(b, r->steps.step[i].v[k]);
	}
}

int
run_read(struct run *r, char *p, const char *end)
{
	const char *version = get(&p, end), *s;
	uint64_t n;

	if (version == NULL || strcmp(version, KST_VERSION) != 0)
		return -1;
	s = get(&p, end);
	if (s == NULL)
		return -1;
	r->cwd = xstrdup(s);
	for (int i = 0; i < STEPS; i++) {
		if (get_u64(&p, end, &n) != 0)
			return -1;
		while (n-- > 0) {
			s = get(&p, end);
			if (s == NULL)
				return -1;
			words_add(&r->steps.step[i], s);
		}
	}
	return 0;
}

void
run_done(struct run *r)
{
	free(r->cwd);
	steps_done(&r->steps);
}

void
result_write(struct buf *b, const struct result *r)
{
	const uint64_t n[] = {r->id, r->status, r->size, r->mtime, r->bytes,
	    r->folded, r->svg, r->captures, r->stacks, r->usec};
	struct buf text = BUF_INIT;

	buf_adds(b, "R");
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		buf_printf(b, "\t%" PRIu64, n[i]);
	buf_addc(b, '\t');
	text_encode(b, r->host, strnlen(r->host, 64), true);
	buf_addc(b, '\t');
	text_encode(&text, r->messages, strlen(r->messages), false);
	if (text.len > MESSAGES_MAX) {
		text.len = MESSAGES_MAX;
		while (
		    text.p[text.len - 1] == '%' || text.p[text.len - 2] == '%')
			text.len--;
	}
	buf_add(b, text.p, text.len);
	buf_addc(b, '\n');
	buf_done(&text);
}

int
result_read(struct result *r, char *line)
{
	uint64_t status,
	    *n[] = {&r->id, &status, &r->size, &r->mtime, &r->bytes, &r->folded,
		&r->svg, &r->captures, &r->stacks, &r->usec};
	char *s = text_field(&line, '\t');

	if (s == NULL || strcmp(s, "R") != 0)
		return -1;
	for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
		s = text_field(&line, '\t');
		if (s == NULL || num_u64(s, strlen(s), n[i]) != 0)
			return -1;
	}
	r->host = text_field(&line, '\t');
	r->messages = text_field(&line, '\t');
	if (r->messages == NULL || status > RESULT_FAILED)
		return -1;
	r->status = (enum result_status)status;
	text_decode(r->host);
	text_decode(r->messages);
	return 0;
}

int
file_read(const char *path, struct buf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), e;
	ssize_t n;

	if (fd < 0)
		return -1;
	do {
		buf_room(b, 1 << 16);
		n = read(fd, b->p + b->len, b->cap - b->len);
		if (n > 0)
			b->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	e = errno;
	close(fd);
	errno = e;
	buf_str(b);
	return n < 0 ? -1 : 0;
}

int
file_put(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

int
file_write(const char *path, const char *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), e;

	if (fd < 0)
		return -1;
	if (file_put(fd, p, len) != 0) {
		e = errno;
		close(fd);
		errno = e;
		return -1;
	}
	return close(fd);
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
