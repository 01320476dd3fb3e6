/* SPDX-License-Identifier: ISC */
/* The same frames come again: what a line stands for is found by its text. */
#include "perf.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "names/name.h"
#include "profile/table.h"
#include "set/hash.h"
#include "text/folded.h"
#include "trace/memo.h"
#include "trace/trace.h"

struct frame_line {
	struct piece address, name, file; /* the name without its offset */
	bool kernel, jit; /* code of a kernel, code made at run time */
};

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

/* False if the line does not begin with an address. */
static bool
parse_frame(const char *p, size_t len, struct frame_line *f)
{
	struct piece name = {p, len}, address;
	const char *mark;
	size_t n, tail;
	uint64_t v;

	address.len = bytes_take_word(&name.p, &name.len, &address.p);
	if (num_hex(address.p, address.len, &v) != 0)
		return false;
	*f = (struct frame_line){.address = address};
	name.len = bytes_trim(&name.p, name.len);
	tail = bytes_ends(name.p, name.len, " (deleted))")
		   ? 11
		   : bytes_ends(name.p, name.len, ")");
	for (n = tail ? name.len - tail : 0; n > 0; n--)
		if (name.p[n - 1] == '(' &&
		    (n == 1 || bytes_is_blank(name.p[n - 2])))
			break;
	if (n > 0) {
		f->file = (struct piece){name.p + n, name.len - tail - n};
		name.len = bytes_trim(&name.p, n - 1);
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

/* `[FILE]`, or `[unknown]`. */
static void
add_unknown(struct perf *r, const struct frame_line *f)
{
	const char *slash =
	    f->file.len ? memrchr(f->file.p, '/', f->file.len) : 0;
	const char *p = slash ? slash + 1 : f->file.p;
	size_t len = f->file.len - (size_t)(p - f->file.p);

	if (len == 0 || bytes_is(p, len, "[unknown]")) {
		p = "unknown";
		len = strlen(p);
	}
	buf_printf(&r->name, "[%.*s", (int)len, p);
	if (r->o->addrs && f->address.len)
		buf_printf(
		    &r->name, " <%.*s>", (int)f->address.len, f->address.p);
	buf_addc(&r->name, ']');
}

/*
 * Without parameters; `(*Client)` of Go's `http.(*Client).Do` is none. Java's
 * `Lorg/Class;::f` loses the L.
 */
static void
add_name(struct perf *r, const struct frame_line *f, const char *p, size_t len)
{
	const char *paren = memchr(p, '(', len), *slash = memchr(p, '/', len);
	struct buf text = BUF_INIT;

	if (*p == 'L' && slash && !memchr(p, ':', (size_t)(slash - p))) {
		p++;
		len--;
	}
	if (paren && f->jit)
		len = (size_t)(paren - p);
	else if (paren && !memmem(p, len, ".(", 2))
		name_strip(p, len, NAME_PARAMETERS, &text);
	folded_add_name(
	    &r->name, text.len ? text.p : p, text.len ? text.len : len);
	buf_done(&text);
}

/* Makes a frame, which is added to what the line stands for. */
static void
make_frame(struct perf *r, const struct frame_line *f, const char *p,
    size_t len, const char *mark)
{
	bool known = len && !bytes_is(p, len, "[unknown]");
	uint32_t id;

	r->name.len = 0;
	if (known)
		add_name(r, f, p, len);
	else
		add_unknown(r, f);
	if (!bytes_ends(r->name.p, r->name.len, mark))
		buf_adds(&r->name, mark);
	if (r->o->folded) {
		id = table_name(r->table, r->name.p, r->name.len);
		buf_add(&r->made, (const char *)&id, sizeof id);
		return;
	}
	if (f->address.len && strcmp(mark, "_[i]") != 0 &&
	    !bytes_is(f->file.p, f->file.len, "inlined"))
		buf_printf(
		    &r->made, "0x%.*s in ", (int)f->address.len, f->address.p);
	if (!known && (r->o->addrs || f->kernel ||
			  bytes_is(r->name.p, r->name.len, "[unknown]")))
		buf_adds(&r->made, "??"); /* for kst-sym */
	else
		buf_add(&r->made, r->name.p, r->name.len);
	buf_adds(&r->made, " ()\n");
}

/* In code made at run time `a->b` is b, inlined into a. The leaf comes first.
 */
static void
make_line(struct perf *r, const struct frame_line *f)
{
	const char *p = f->name.p, *end = p + f->name.len, *arrow;
	bool jit = f->jit;

	r->made.len = 0;
	while (jit && end - p > 2) {
		for (arrow = end - 2; arrow > p && memcmp(arrow, "->", 2) != 0;)
			arrow--;
		if (arrow == p)
			break;
		make_frame(r, f, arrow + 2, (size_t)(end - arrow) - 2, "_[i]");
		end = arrow;
	}
	make_frame(r, f, p, (size_t)(end - p),
	    r->o->kernel && f->kernel ? "_[k]"
	    : r->o->jit && jit	      ? "_[j]"
				      : "");
}

/* Adds the frames that a line stands for. */
static void
add_made(struct perf *r, struct memo_entry *e)
{
	const char *p = memo_result(e), *end = p + e->len, *begin;
	char number[TRACE_NUMBER];

	if (r->n == 0)
		r->in_kernel = e->value;
	for (begin = p; p < end && r->n < FRAMES_MAX; begin = p) {
		if (r->o->folded) {
			p += sizeof *r->ids;
			memcpy(&r->ids[FRAMES_MAX - r->n++], begin,
			    sizeof *r->ids);
			continue;
		}
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		buf_add(&r->text, number, trace_number(r->n++, number));
		buf_add(&r->text, begin, (size_t)(p - begin));
	}
}

bool
frames_add(struct perf *r, const char *line, size_t len)
{
	struct memo_entry *e;
	struct frame_line f;
	uint64_t hash;

	if (!r->wanted)
		return parse_frame(line, len, &f);
	hash = hash_bytes(line, len);
	e = memo_find(r->memo, hash, line, len);
	if (e == NULL || e->raw_len != len) {
		if (!parse_frame(line, len, &f))
			return false;
		make_line(r, &f);
		e = memo_add(r->memo, hash,
		    &(struct memo_text){.p = line,
			.len = len,
			.result = r->made.p,
			.result_len = r->made.len,
			.value = f.kernel});
	}
	add_made(r, e);
	return true;
}
