/* SPDX-License-Identifier: ISC */
#include "keys/key.h"
#include "keys/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"

/* btrace cuts keys here: KLEN - 1, since 2020-04. */
enum { KLEN_2020 = 255, KLEN_NOW = 1023 };

bool
key_may_be_cut(const char *text, size_t len)
{
	return (len == KLEN_2020 || len == KLEN_NOW) && text[len - 1] != '\n' &&
	       !(text[0] == '(' && text[len - 1] == ')');
}

void
key_done(struct stack_key *k)
{
	free(k->plain);
	free(k->frames);
	free(k->stacks);
	memset(k, 0, sizeof *k);
}

static struct key_stack *
new_stack(struct stack_key *k)
{
	struct key_stack *s = xpush(k->stacks, k->n_stacks, k->cap_stacks);

	*s = (struct key_stack){.first = k->n_frames};
	return s;
}

static void
add_frame(struct stack_key *k, const char *p, size_t len)
{
	struct key_stack *s =
	    k->n_stacks ? &k->stacks[k->n_stacks - 1] : new_stack(k);

	*xpush(k->frames, k->n_frames, k->cap_frames) = (struct piece){p, len};
	s->n++;
}

/*
 * Where a `, ` follows the last frame of a stack; len if none does. If the
 * key's `]` is glued to that frame (`last`), it is of btrace(8), whose names
 * have no comma: then a name without an offset may be the last frame too.
 */
static size_t
comma_after(const char *p, size_t len, bool last)
{
	const char *comma;
	size_t end, at;

	if (len > 2 && p[0] == '0' && p[1] == 'x') {
		end = 2 + line_hex_len(p + 2, len - 2);
	} else {
		at = line_offset(p, len, &end);
		if (at == len) {
			comma = last ? memmem(p, len, ", ", 2) : NULL;
			return comma ? (size_t)(comma - p) : len;
		}
	}
	while (end < len && p[end] == ')')
		end++;
	return end < len && p[end] == ',' ? end : len;
}

/* A plain key, without the parentheses of a tuple around it. */
static void
add_plain(struct stack_key *k, const char *p, size_t len)
{
	if (memchr(p, ')', len) == NULL) {
		for (; len > 0 && p[0] == '('; len--)
			p++;
	}
	if (memchr(p, '(', len) == NULL) {
		while (len > 0 && p[len - 1] == ')')
			len--;
	}
	if (len > 0)
		*xpush(k->plain, k->n_plain, k->cap_plain) =
		    (struct piece){p, len};
}

/* Whether it is a tuple's parentheses only. */
static bool
only(const char *p, size_t len, char c)
{
	while (len > 0 && p[len - 1] == c)
		len--;
	return len == 0;
}

/*
 * Plain keys on one line. What follows the last `, ` is a key at the end of the
 * text, and before an LF a stack's first frame, or nothing if the stack begins
 * on the next line.
 */
static void
plain_keys(struct stack_key *k, const char *p, size_t len, bool last)
{
	len = bytes_trim(&p, len);
	for (;;) {
		const char *sep = memmem(p, len, ", ", 2);
		size_t n = sep ? (size_t)(sep - p) : len;

		if (!sep && n > 0 && p[n - 1] == ',') /* blank trimmed away */
			sep = p + --n;
		if (!sep)
			break;
		if (n > 0)
			add_plain(k, p, n);
		else
			new_stack(
			    k); /* bpftrace prints nothing for an empty stack */
		n += n + 2 <= len ? 2 : 1;
		p += n;
		len -= n;
	}
	len = bytes_trim(&p, len);
	if (len > 0 && last) {
		add_plain(k, p, len);
		return;
	}
	new_stack(k);
	if (!only(p, len, '('))
		add_frame(k, p, len);
}

static void
frame_line(struct stack_key *k, const char *p, size_t len, bool last)
{
	size_t comma;

	if (line_offset_at(p, len)) {
		add_frame(k, p, len);
		return;
	}
	if (line_is_mode(p, len)) {
		if (k->n_stacks == 0)
			new_stack(k);
		k->stacks[k->n_stacks - 1].mode =
		    p[0] == 'k' ? KEY_KERNEL : KEY_USERLAND;
		return;
	}
	if (only(p, len, ')'))
		return;
	comma = comma_after(p, len, last);
	add_frame(k, p, comma);
	if (comma < len)
		plain_keys(k, p + comma + 1, len - comma - 1, last);
}

/* A cut key ends in a piece of the trailer, or of a frame. */
static void
mend_cut(struct stack_key *k, const char *text_end)
{
	const char *plus;
	struct key_stack *s;
	struct piece *f;

	if (k->n_frames == 0)
		return;
	s = &k->stacks[k->n_stacks - 1];
	f = &k->frames[k->n_frames - 1];
	if (s->n == 0 || s->mode != KEY_UNKNOWN || f->p + f->len != text_end)
		return;
	if (f->len < 6 && memcmp(f->p, "kernel", f->len) == 0)
		s->mode = KEY_KERNEL;
	else if (f->len < 8 && memcmp(f->p, "userland", f->len) == 0)
		s->mode = KEY_USERLAND;
	else if ((plus = memrchr(f->p, '+', f->len)) && plus > f->p) {
		f->len = (size_t)(plus - f->p); /* the name is complete */
		return;
	}
	k->n_frames--;
	s->n--;
}

void
key_split(struct stack_key *k, const char *text, size_t len, bool cut)
{
	const char *end = text + len;
	bool first = true;

	k->n_plain = k->n_frames = k->n_stacks = 0;
	while (text < end || first) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *p = text;
		size_t n = (size_t)((nl ? nl : end) - text);

		n = bytes_trim(&p, n);
		if (first)
			plain_keys(k, p, n, nl == NULL);
		else if (n > 0 && p[0] == ',')
			plain_keys(k, p + 1, n - 1, nl == NULL);
		else if (n > 0)
			frame_line(k, p, n, nl == NULL);
		first = false;
		text = nl ? nl + 1 : end;
	}
	if (cut)
		mend_cut(k, end);
}

/* A stack's mode by its root frame: an address, or a known name. */
static enum key_mode
guess_mode(const struct stack_key *k, const struct key_stack *s)
{
	static const char *const roots[] = {"entry_", "ret_from_fork", "asm_",
	    "el0t_", "el1h_", "secondary_startup_", "start_kernel",
	    "do_syscall_", "x64_sys_call", "handle_exception",
	    /* userland */
	    "_start", "__libc_start_", "start_thread", "clone", "main"};
	enum { KERNEL_ROOTS = 10, ROOTS = sizeof roots / sizeof *roots };
	struct piece name;
	uint64_t addr;
	bool prefix;

	if (s->n == 0)
		return KEY_UNKNOWN;
	name = frame_name(k->frames[s->first + s->n - 1], false);
	prefix = bytes_starts(name.p, name.len, "0x");
	if ((prefix || name.len >= 8) &&
	    num_hex(name.p + 2 * prefix, name.len - 2 * prefix, &addr) == 0)
		return addr >> 63 ? KEY_KERNEL : KEY_USERLAND;
	for (size_t i = 0; i < ROOTS; i++)
		if (bytes_starts(name.p, name.len, roots[i]))
			return i < KERNEL_ROOTS ? KEY_KERNEL : KEY_USERLAND;
	return KEY_UNKNOWN;
}

void
key_guess_modes(struct stack_key *k)
{
	struct key_stack *a = &k->stacks[0], *b = &k->stacks[1];
	enum key_mode of_a, of_b;

	if (a->mode != KEY_UNKNOWN || b->mode != KEY_UNKNOWN)
		return;
	of_a = guess_mode(k, a);
	of_b = guess_mode(k, b);
	if (of_a == of_b)
		return;
	b->mode = of_a == KEY_KERNEL || of_b == KEY_USERLAND ? KEY_USERLAND
							     : KEY_KERNEL;
	a->mode = b->mode == KEY_KERNEL ? KEY_USERLAND : KEY_KERNEL;
}

/* A name without an offset: `name@FILE:LINE [inlined]`, `name [module]`. */
static size_t
bare_name_len(const char *p, size_t len)
{
	const char *mark = memrchr(p, '[', len), *at;
	size_t end;

	if (p[len - 1] == ']' && mark && mark > p && mark[-1] == ' ')
		len = (size_t)(mark - 1 - p);
	for (end = len; end > 0 && p[end - 1] >= '0' && p[end - 1] <= '9';)
		end--;
	at = memrchr(p, '@', end);
	if (at && at > p && end < len && p[end - 1] == ':')
		len = (size_t)(at - p);
	return len;
}

struct piece
frame_name(struct piece f, bool keep_offset)
{
	size_t at, end, i;

	if (keep_offset)
		return f;
	at = line_offset_at(f.p, f.len);
	if (at && memchr(f.p, ' ', at) == NULL) { /* nearly always */
		f.len = at;
		return f;
	}
	/* bpftrace's perf mode: the address first */
	i = line_hex_len(f.p, f.len);
	if (i >= 8 && i + 1 < f.len && f.p[i] == ' ') {
		f.p += i + 1;
		f.len -= i + 1;
	}
	at = line_offset(f.p, f.len, &end);
	if (at < f.len)
		f.len = at;
	else if (f.len > 2)
		f.len = bare_name_len(f.p, f.len);
	return f;
}
