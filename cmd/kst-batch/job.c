/* SPDX-License-Identifier: ISC */
#include "job.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"

enum { NUMBERS = 12, HOST_MAX = 64, WHAT_MAX = 1000 };

static void
put_string(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

/* The string at *p, if it ends before `end`; else NULL. */
static char *
get_string(char **p, const char *end)
{
	char *s = *p, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;

	*p = nul ? nul + 1 : s;
	return nul ? s : NULL;
}

void
unit_write(struct buf *b, const struct unit *u)
{
	buf_printf(b, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d",
	    (int)u->kind, u->id, u->off, u->len, (int)u->shape, u->plain);
	buf_addc(b, 0);
	put_string(b, u->path);
	put_string(b, u->folded);
	put_string(b, u->svg);
}

int
unit_read(struct unit *u, char **p, const char *end)
{
	const char *head = get_string(p, end);
	int kind, shape, plain;

	if (head == NULL ||
	    sscanf(head, "%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %d %d", &kind,
		&u->id, &u->off, &u->len, &shape, &plain) != 6)
		return -1;
	u->kind = (enum unit_kind)kind;
	u->shape = (enum shape)shape;
	u->plain = plain;
	u->path = get_string(p, end);
	u->folded = get_string(p, end);
	u->svg = get_string(p, end);
	return u->svg ? 0 : -1;
}

void
run_write(struct buf *b, const struct run *r)
{
	put_string(b, KST_VERSION);
	put_string(b, r->cwd);
	for (int i = 0; i < STEPS; i++) {
		for (size_t k = 0; k < r->steps.step[i].n; k++)
			put_string(b, r->steps.step[i].v[k]);
		put_string(b, "\n"); /* ends the step's words */
	}
}

int
run_read(struct run *r, char *p, const char *end)
{
	const char *version = get_string(&p, end), *s;

	if (version == NULL || strcmp(version, KST_VERSION) != 0)
		return -1;
	r->cwd = get_string(&p, end);
	for (int i = 0; i < STEPS; i++) {
		while ((s = get_string(&p, end)) && strcmp(s, "\n") != 0)
			words_add(&r->steps.step[i], s);
		if (s == NULL)
			return -1;
	}
	return 0;
}

static void
numbers(struct record *r, uint64_t **n)
{
	uint64_t *all[NUMBERS] = {&r->status, &r->size, &r->mtime, &r->bytes,
	    &r->lines, &r->folded, &r->svg, &r->captures, &r->stacks,
	    &r->faults, &r->line, &r->usec};

	memcpy(n, all, sizeof all);
}

void
record_write(struct buf *b, const struct record *r)
{
	struct record copy = *r;
	const char *what = r->what ? r->what : "";
	uint64_t *n[NUMBERS];

	numbers(&copy, n);
	for (int i = 0; i < NUMBERS; i++)
		buf_printf(b, "%" PRIu64 "\t", *n[i]);
	text_encode(b, what, strnlen(what, WHAT_MAX), false);
}

int
record_read(struct record *r, char *fields)
{
	uint64_t *n[NUMBERS];

	numbers(r, n);
	for (int i = 0; i < NUMBERS; i++) {
		const char *s = text_field(&fields, '\t');

		if (s == NULL || num_u64(s, strlen(s), n[i]) != 0)
			return -1;
	}
	r->what = text_field(&fields, '\t');
	if (r->what == NULL || fields != NULL || r->status > STATUS_FAILED)
		return -1;
	text_decode(r->what);
	return 0;
}

void
result_write(
    struct buf *b, uint64_t id, const char *host, const struct record *r)
{
	buf_printf(b, "%" PRIu64 "\t", id);
	text_encode(b, host, strnlen(host, HOST_MAX), true);
	buf_addc(b, '\t');
	record_write(b, r);
	buf_addc(b, '\n');
}

int
result_read(uint64_t *id, char **host, struct record *r, char *line)
{
	const char *s = text_field(&line, '\t');

	if (s == NULL || num_u64(s, strlen(s), id) != 0)
		return -1;
	*host = text_field(&line, '\t');
	return *host ? record_read(r, line) : -1;
}

void
text_encode(struct buf *b, const char *s, size_t len, bool strict)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f || c == '%' ||
		    (strict &&
			!(c < 0x80 && (isalnum(c) || strchr("._/-", c)))))
			buf_printf(b, "%%%02X", c);
		else
			buf_addc(b, (char)c);
	}
}

void
text_decode(char *s)
{
	char *to = s;

	for (; *s; s++) {
		uint64_t c;

		if (*s == '%' && s[1] && num_hex(s + 1, 2, &c) == 0) {
			*to++ = (char)c;
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

char *
text_field(char **p, char sep)
{
	char *s = *p, *end = s ? strchr(s, sep) : NULL;

	*p = end ? end + 1 : NULL;
	if (end)
		*end = 0;
	return s;
}

int
file_read(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "re");
	size_t n;
	int bad;

	if (f == NULL)
		return -1;
	do {
		buf_room(b, 1 << 16);
		n = fread(b->p + b->len, 1, 1 << 16, f);
		b->len += n;
	} while (n > 0);
	bad = ferror(f);
	buf_str(b);
	return fclose(f) != 0 || bad ? -1 : 0;
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

/* In another file system: a copy beside the name takes its place. */
static int
rename_copy(const char *from, const char *to)
{
	const char *slash = strrchr(to, '/');
	struct buf temp = BUF_INIT;
	int in = open(from, O_RDONLY | O_CLOEXEC), out, status = -1, e;
	ssize_t n = -1;

	buf_printf(&temp, "%.*s.kst-batch-XXXXXX",
	    slash ? (int)(slash + 1 - to) : 0, to);
	out = mkostemp(buf_str(&temp), O_CLOEXEC);
	if (in >= 0 && out >= 0) {
		while ((n = sendfile(out, in, NULL, 1 << 30)) > 0)
			;
		(void)fchmod(out, 0644);
	}
	if (out >= 0 && close(out) == 0 && n == 0)
		status = rename(temp.p, to);
	e = errno;
	if (in >= 0)
		close(in);
	(void)unlink(status == 0 ? from : temp.p);
	buf_done(&temp);
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
