/* SPDX-License-Identifier: ISC */
#include "perf.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct piece
piece_trim(const char *p, size_t len)
{
	for (; len > 0 && is_blank(*p); len--)
		p++;
	while (len > 0 && is_blank(p[len - 1]))
		len--;
	return (struct piece){p, len};
}

/* Takes the next word off the line. */
static struct piece
next_word(struct piece *line)
{
	struct piece rest = piece_trim(line->p, line->len), word = {rest.p, 0};

	while (word.len < rest.len && !is_blank(rest.p[word.len]))
		word.len++;
	*line = (struct piece){rest.p + word.len, rest.len - word.len};
	return word;
}

/* Whether there are digits and c, and nothing else. */
static bool
only(const char *p, size_t len, char c)
{
	for (size_t i = 0; i < len; i++)
		if ((p[i] < '0' || p[i] > '9') && p[i] != c)
			return false;
	return len > 0;
}

/* `123`, or `123/124`. */
static bool
is_thread(struct piece w, struct sample_line *s)
{
	const char *slash = memchr(w.p, '/', w.len);
	size_t n = slash ? (size_t)(slash - w.p) : 0;

	s->pid = (struct piece){w.p, n};
	s->tid = slash ? (struct piece){slash + 1, w.len - n - 1} : w;
	return *w.p != '/' && only(w.p, w.len, '/') && s->tid.len;
}

static bool
is_time(struct piece w) /* `5123.456789:` */
{
	return w.p[w.len - 1] == ':' && only(w.p, w.len - 1, '.') &&
	       memchr(w.p, '.', w.len);
}

static bool
is_cpu(struct piece w) /* `[000]` */
{
	return w.len > 2 && w.p[0] == '[' && w.p[w.len - 1] == ']' &&
	       only(w.p + 1, w.len - 2, '0');
}

static bool
ends_in_colon(struct piece w)
{
	return w.len > 1 && w.p[w.len - 1] == ':' && *w.p != '[';
}

/* What follows the thread: `[001] d..1. 5123.456789: 250000 cycles:u: REST`. */
static bool
take_fields(struct sample_line *s, struct piece line)
{
	struct piece w, after = line;
	struct frame_line f;

	w = next_word(&after);
	if (is_cpu(w)) {
		s->cpu = (struct piece){w.p + 1, w.len - 2};
		line = after;
	}
	after = line;
	/* two words of flags may come before the time */
	for (int i = 0; i < 3 && (w = next_word(&after)).len; i++)
		if (is_time(w)) {
			s->time = (struct piece){w.p, w.len - 1};
			line = after;
			break;
		} else if (only(w.p, w.len, '0')) {
			break;
		}
	after = line;
	w = next_word(&after);
	s->rest = after;
	if (num_u64(w.p, w.len, &s->period) == 0) {
		w = next_word(&s->rest);
		if (w.len && !ends_in_colon(w)) { /* an address */
			s->period = 0;
			s->rest = line;
		}
	} else if (!ends_in_colon(w)) {
		s->rest = line;
	}
	if (ends_in_colon(w))
		s->event = (struct piece){w.p, w.len - 1};
	s->rest = piece_trim(s->rest.p, s->rest.len);
	return (s->time.len && s->tid.len) ||
	       (s->event.len && (s->rest.len == 0 ||
				    line_frame(s->rest.p, s->rest.len, &f)));
}

/*
 * A command's name may have blanks and numbers: the thread is the first number
 * after which the line goes on as it should.
 */
bool
line_sample(const char *p, size_t len, struct sample_line *s)
{
	struct piece line = piece_trim(p, len), w;
	const char *begin = line.p, *end = begin + line.len;

	while ((w = next_word(&line)).len) {
		*s = (struct sample_line){0};
		if (is_cpu(w) || is_time(w)) /* a sample without a thread */
			line = (struct piece){w.p, (size_t)(end - w.p)};
		else if (!is_thread(w, s))
			continue;
		s->comm = piece_trim(begin, (size_t)(w.p - begin));
		if (take_fields(s, line))
			return true;
		line = (struct piece){w.p + w.len, (size_t)(end - w.p) - w.len};
	}
	return false;
}

bool
line_frame(const char *p, size_t len, struct frame_line *f)
{
	struct piece name = {p, len}, address = next_word(&name);
	const char *mark = NULL;
	size_t n, deleted;
	uint64_t v;

	if (num_hex(address.p, address.len, &v) != 0)
		return false;
	*f = (struct frame_line){.address = address};
	name = piece_trim(name.p, name.len);
	n = name.len;
	deleted = bytes_ends(name.p, n, " (deleted))") ? 10 : 0;
	if (n && name.p[n - 1] == ')') {
		n -= deleted;
		mark = memrchr(name.p, '(', n);
		while (mark && mark > name.p && !is_blank(mark[-1]))
			mark = memrchr(name.p, '(', (size_t)(mark - name.p));
	}
	if (mark) {
		n = (size_t)(mark - name.p);
		f->dso = (struct piece){mark + 1, name.len - n - deleted - 2};
		name = piece_trim(name.p, n);
	}
	mark = name.len ? memrchr(name.p, '+', name.len) : NULL;
	n = mark ? (size_t)(mark - name.p) : 0;
	if (n && bytes_starts(mark, name.len - n, "+0x"))
		name.len = n;
	f->name = name;
	return address.len >= 5 || f->dso.len;
}

bool
frame_is_kernel(const struct frame_line *f)
{
	static const char user[] = "[unknown][vdso][vsyscall][heap][stack]";
	const char *p = f->dso.p;
	size_t len = f->dso.len;

	return len && !memmem(user, sizeof user - 1, p, len) &&
	       (*p == '[' || bytes_ends(p, len, ".ko") ||
		   memmem(p, len, "vmlinux", 7));
}

bool
frame_is_jit(const struct frame_line *f)
{
	const char *p = f->dso.p;
	size_t len = f->dso.len;

	return (bytes_starts(p, len, "/tmp/perf-") &&
		   bytes_ends(p, len, ".map")) ||
	       (len && memmem(p, len, "/jitted-", 8) &&
		   bytes_ends(p, len, ".so"));
}
