/* SPDX-License-Identifier: ISC */
/* Finds an address in the ELF files, and prints its name. */
#include "sym.h"

#include <ctype.h>
#include <string.h>

#include "names/demangle.h"
#include "opt/opt.h"
#include "text/events.h"
#include "base/bytes.h"
#include "set/hash.h"
#include "base/msg.h"
#include "base/num.h"
#include "io/out.h"
#include "trace/memo.h"
#include "trace/trace.h"

/* Bytes of demangled names that are kept. */
enum { SHOWN_MAX = 16 << 20 };

static int
add_module(struct sym *s, const char *spec, unsigned flags)
{
	struct buf err = BUF_INIT;
	struct elfsym *m;

	m = elfsym_load(spec, flags, &err);
	if (m == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return -1;
	}
	buf_done(&err);
	if (s->n_modules == 0)
		s->slides = elfsym_bias(m) == 0;
	s->module[s->n_modules++] = m;
	return 0;
}

int
sym_add_modules(struct sym *s, const struct opt_list *elf, unsigned flags)
{
	struct elfsym_func any;

	for (size_t i = 0; i < elf->n; i++) {
		if (add_module(s, elf->use[i].arg, flags) != 0)
			return -1;
		if (!elfsym_nth(s->module[i], 0, &any))
			msg("warning: " ELFSYM_NO_SYMBOLS,
			    msg_str(elfsym_path(s->module[i])));
	}
	return 0;
}

void
sym_slide(struct sym *s, const char *line, size_t len)
{
	const char *value;
	uint64_t slide = 0;
	size_t n;

	if (!s->slides)
		return;
	if (trace_meta_get(line, len, "slide", &value, &n))
		sym_address(value, n, &slide);
	elfsym_move(s->module[0], slide);
}

void
sym_done(struct sym *s)
{
	for (size_t i = 0; i < s->n_modules; i++)
		elfsym_free(s->module[i]);
	memo_free(s->shown);
	buf_done(&s->name);
	buf_done(&s->scratch);
	buf_done(&s->text);
}

static bool
has_name(const struct elfsym *m, const char *name, size_t len)
{
	const char *path = elfsym_path(m), *slash = strrchr(path, '/');

	if (slash != NULL)
		path = slash + 1;
	return bytes_is(name, len, path);
}

size_t
sym_frames(struct sym *s, uint64_t addr, bool is_return, const char *program,
    size_t program_len, const struct elfsym_frame **frames)
{
	size_t n = 0;

	if (is_return && addr > 0)
		addr--;
	for (size_t i = 0; i < s->n_modules && n == 0 && program; i++)
		if (has_name(s->module[i], program, program_len))
			n = elfsym_frames(s->module[i], addr, frames);
	for (size_t i = 0; i < s->n_modules && n == 0; i++)
		n = elfsym_frames(s->module[i], addr, frames);
	if (n == 0) {
		s->unnamed++;
	} else {
		s->named++;
		s->inlined += n - 1;
	}
	return n;
}

/* Appends a demangled name; each is made once. */
static void
put_demangled(struct sym *s, const char *raw, size_t len, struct buf *b)
{
	uint64_t hash = hash_bytes(raw, len);
	const struct memo_entry *e;
	struct memo_text t = {.p = raw, .len = len};

	if (s->shown == NULL)
		s->shown = memo_new(SHOWN_MAX);
	e = memo_find(s->shown, hash, raw, len);
	if (e == NULL) {
		s->name.len = 0;
		if (!(s->plain ? demangle_plain : demangle_name)(
			raw, len, &s->name))
			buf_add(&s->name, raw, len);
		t.result = s->name.p;
		t.result_len = s->name.len;
		e = memo_add(s->shown, hash, &t);
	}
	buf_add(b, memo_result(e), e->len);
}

bool
sym_is_named(
    struct sym *s, const struct elfsym_frame *f, const char *p, size_t len)
{
	const char *end = memmem(p, len, " (", 2);

	len = end ? (size_t)(end - p) : len;
	if (bytes_ends(p, len, "_[i]"))
		len -= 4;
	if (bytes_same(p, len, f->name, f->name_len))
		return true;
	s->name.len = 0;
	return demangle_name(f->name, f->name_len, &s->name) &&
	       bytes_same(p, len, s->name.p, s->name.len);
}

/* Appends ` at FILE:LINE` if it is wanted and known. */
static void
add_place(struct sym *s, const struct elfsym_frame *f, struct buf *b)
{
	char number[20];

	if (!s->lines || f->file == NULL)
		return;
	buf_adds(b, " at ");
	buf_add(b, f->file, f->file_len);
	buf_addc(b, ':');
	buf_add(b, number, event_u64(number, f->line));
	s->placed++;
}

/* Control characters could end the line, or steer a terminal. */
static const struct buf *
hide_controls(struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if ((unsigned char)b->p[i] < 0x20 || b->p[i] == 0x7f)
			b->p[i] = '?';
	return b;
}

const struct buf *
sym_text(struct sym *s, const struct elfsym_frame *f, const char *call)
{
	struct buf *b = &s->scratch;

	b->len = 0;
	if (s->demangle && *f->name == '_') /* as all that are mangled */
		put_demangled(s, f->name, f->name_len, b);
	else
		buf_add(b, f->name, f->name_len);
	if (f->inlined && s->annotate)
		buf_adds(b, "_[i]");
	buf_adds(b, call);
	add_place(s, f, b);
	return hide_controls(b);
}

void
sym_put_place(struct sym *s, const struct elfsym_frame *f)
{
	s->scratch.len = 0;
	add_place(s, f, &s->scratch);
	hide_controls(&s->scratch);
	out_put(s->scratch.p, s->scratch.len);
}

void
sym_check_build_id(struct sym *s, const char *id, size_t len)
{
	if (len == 0 || len >= sizeof s->build_id ||
	    bytes_is(id, len, s->build_id))
		return;
	memcpy(s->build_id, id, len);
	s->build_id[len] = 0;
	for (size_t i = 0; i < s->n_modules; i++)
		if (strcmp(elfsym_build_id(s->module[i]), s->build_id) == 0)
			return;
	id = elfsym_build_id(s->module[0]);
	msg("warning: the capture is of build-id %s, but %s has %s%s: names "
	    "may be wrong",
	    msg_text(s->build_id, len), elfsym_path(s->module[0]),
	    *id ? "build-id " : "none", id);
}

size_t
sym_address(const char *p, size_t len, uint64_t *addr)
{
	size_t n = 2;

	if (len < 3 || p[0] != '0' || p[1] != 'x')
		return 0;
	while (n < len && n < 19 && isxdigit((unsigned char)p[n]))
		n++;
	if (n > 18 || num_hex(p + 2, n - 2, addr) != 0)
		return 0;
	return n;
}

bool
sym_say_damage(const struct sym *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_modules; i++) {
		const char *what = elfsym_damage(s->module[i]);

		if (what == NULL)
			continue;
		msg("%s: %s", elfsym_path(s->module[i]), what);
		any = true;
	}
	return any;
}

bool
sym_lacks_lines(const struct sym *s)
{
	if (!s->lines || s->frames == 0 || s->placed > 0)
		return false;
	msg("no frame has a line: --lines needs frames with an address, and a "
	    "file with debug information (-g)");
	return true;
}
