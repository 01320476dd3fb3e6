/* SPDX-License-Identifier: ISC */
#include "perf.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

enum { COMM_MAX = 15 }; /* bytes of a command's name, in Linux */

struct piece
piece_trim(const char *p, size_t len)
{
	len = bytes_trim(&p, len);
	return (struct piece){p, len};
}

/* Takes the next word off the line. */
static struct piece
next_word(struct piece *line)
{
	struct piece w;

	w.len = bytes_take_word(&line->p, &line->len, &w.p);
	return w;
}

/* Takes what is between two texts if it is digits and c alone. */
static bool
take_digits(struct piece w, const char *before, char c, const char *after,
    struct piece *digits)
{
	size_t n = strlen(before), tail = strlen(after);

	if (w.len <= n + tail || !bytes_starts(w.p, w.len, before) ||
	    !bytes_ends(w.p, w.len, after))
		return false;
	w = (struct piece){w.p + n, w.len - n - tail};
	for (size_t i = 0; i < w.len; i++)
		if ((w.p[i] < '0' || w.p[i] > '9') && w.p[i] != c)
			return false;
	*digits = w;
	return true;
}

/* `123`, or `123/124` */
static bool
take_thread(struct piece w, struct sample_line *s)
{
	const char *slash = memchr(w.p, '/', w.len);
	size_t n = slash ? (size_t)(slash + 1 - w.p) : 0;

	if (n == 1 || n == w.len || !take_digits(w, "", '/', "", &s->tid))
		return false;
	s->pid = (struct piece){w.p, n ? n - 1 : 0};
	s->tid = (struct piece){w.p + n, w.len - n};
	return true;
}

static bool
take_cpu_or_time(struct piece w, struct sample_line *s)
{
	return take_digits(w, "[", '0', "]", &s->cpu) ||
	       (memchr(w.p, '.', w.len) &&
		   take_digits(w, "", '.', ":", &s->time));
}

/* What follows the thread: `[001] d..1. 5123.456789: 250000 cycles: REST` */
static bool
take_fields(struct sample_line *s, struct piece line)
{
	struct piece w, after = line, digits;
	uint64_t v;

	for (int i = 0; i < 4 && s->time.len == 0; i++) {
		w = next_word(&after);
		if (take_cpu_or_time(w, s))
			line = after;
		else if (take_digits(w, "", '0', "", &digits))
			break; /* others are flags */
	}
	s->rest = line;
	w = next_word(&line);
	if (num_u64(w.p, w.len, &s->period) == 0)
		w = next_word(&line);
	if (w.len > 1 && w.p[w.len - 1] == ':' && *w.p != '[')
		s->event = (struct piece){w.p, w.len - 1};
	if (w.len == 0 || s->event.len)
		s->rest = line;
	else
		s->period = 0; /* it is an address */
	if (s->time.len && s->tid.len)
		return true;
	w = next_word(&line);
	return s->event.len &&
	       (w.len == 0 || (w.len >= 5 && num_hex(w.p, w.len, &v) == 0));
}

/*
 * A command's name may have blanks and numbers, and look like fields: it ends
 * before the last thread after which the line goes on as it should.
 */
bool
line_sample(const char *p, size_t len, struct sample_line *s)
{
	struct piece line = piece_trim(p, len), w, comm = {line.p, 0};
	bool found = false;

	while (comm.len <= COMM_MAX || !found) {
		struct sample_line now = {.comm = comm};

		w = next_word(&line);
		if (w.len == 0)
			break;
		if ((take_thread(w, &now) ||
			(!found && take_cpu_or_time(w, &now))) &&
		    take_fields(&now, line) && (!found || now.time.len)) {
			*s = now;
			found = true;
		}
		comm.len = (size_t)(line.p - comm.p);
	}
	return found;
}

/* Whether code of this file is a kernel's. */
static bool
is_kernel(const char *file, size_t len)
{
	static const char user[] = "[unknown][vdso][vsyscall][heap][stack]";

	return len && !memmem(user, sizeof user - 1, file, len) &&
	       (*file == '[' || bytes_ends(file, len, ".ko") ||
		   memmem(file, len, "vmlinux", 7));
}

/* Whether it was made at run time. */
static bool
is_jit(const char *file, size_t len)
{
	return (bytes_starts(file, len, "/tmp/perf-") &&
		   bytes_ends(file, len, ".map")) ||
	       (len && memmem(file, len, "/jitted-", 8) &&
		   bytes_ends(file, len, ".so"));
}

bool
line_frame(const char *p, size_t len, struct frame_line *f)
{
	struct piece name = {p, len}, address = next_word(&name);
	const char *mark;
	size_t n, tail;
	uint64_t v;

	if (num_hex(address.p, address.len, &v) != 0)
		return false;
	*f = (struct frame_line){.address = address};
	name = piece_trim(name.p, name.len);
	tail = bytes_ends(name.p, name.len, " (deleted))")
		   ? 11
		   : bytes_ends(name.p, name.len, ")");
	n = name.len - tail;
	do
		mark = n && tail ? memrchr(name.p, '(', n) : NULL;
	while (
	    mark && (n = (size_t)(mark - name.p)) && !bytes_is_blank(mark[-1]));
	if (mark) {
		f->file = (struct piece){mark + 1, name.len - tail - n - 1};
		name = piece_trim(name.p, n);
		f->kernel = is_kernel(f->file.p, f->file.len);
		f->jit = is_jit(f->file.p, f->file.len);
	}
	mark = name.len ? memrchr(name.p, '+', name.len) : NULL;
	n = mark ? (size_t)(mark - name.p) : 0;
	if (n && bytes_starts(mark, name.len - n, "+0x"))
		name.len = n;
	f->name = name;
	return address.len >= 5 || f->file.len;
}
