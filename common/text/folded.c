/* SPDX-License-Identifier: ISC */
/* Splits folded lines; adds and writes counts; writes names. */
#include "text/folded.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/fault.h"
#include "io/in.h"
#include "io/out.h"
#include "base/msg.h"
#include "base/num.h"
#include "text/events.h"

/*
 * Cuts a count, and the blanks before it, off the end of p[0..*len). A count
 * that begins the line is one too (a stack without frames). Another last word,
 * perhaps the whole stack, stays.
 */
static int
cut_count(const char *p, size_t *len, struct count *c)
{
	size_t end = *len, at = end;

	while (at > 0 &&
	       ((p[at - 1] >= '0' && p[at - 1] <= '9') || p[at - 1] == '.'))
		at--;
	if (at > 0 && !bytes_is_blank(p[at - 1]))
		return -1;
	if (num_decimal(p + at, end - at, &c->whole, &c->frac) != 0)
		return -1;
	while (at > 0 && bytes_is_blank(p[at - 1]))
		at--;
	*len = at;
	return 0;
}

const char *
folded_trailer(const char *line, size_t len, char *sep)
{
	static const char mark[] = FOLDED_TRAILER, old[] = "# kst ";
	const char *at = len ? memmem(line, len, mark, sizeof mark - 1) : NULL;

	*sep = ' ';
	if (bytes_starts(line, len, old))
		return line + sizeof old - 1;
	*sep = ',';
	return at && (at == line || at[-1] == ';') ? at + sizeof mark - 1
						   : NULL;
}

enum folded_kind
folded_parse(const char *line, size_t len, struct folded_line *f)
{
	struct count second;
	char sep;

	len = bytes_trim(&line, len);
	if (len == 0 || line[0] == '#')
		return FOLDED_BLANK;
	if (cut_count(line, &len, &f->count[0]) != 0)
		return folded_trailer(line, len, &sep) ? FOLDED_BLANK
						       : FOLDED_BAD;
	f->stack = line;
	f->len = f->len_if_one = len;
	f->n_counts = 1;
	if (len > 0 && cut_count(line, &len, &second) == 0 && len > 0) {
		f->count[1] = f->count[0];
		f->count[0] = second;
		f->len = len;
		f->n_counts = 2;
	}
	return FOLDED_STACK;
}

int
folded_next(
    struct in *in, unsigned file_no, struct fault *bad, struct folded_line *f)
{
	while (in_more(in, file_no)) {
		enum folded_kind kind;

		in_next(in, &f->line, &f->line_len);
		kind = folded_parse(f->line, f->line_len, f);
		if (kind != FOLDED_BAD)
			return kind;
		fault_say(bad, in, "not a folded stack: '%s'",
		    msg_text(f->line, f->line_len));
	}
	return -1;
}

const char *
folded_frame_end(const char *p, const char *end)
{
	const char *from = p;

	for (;;) {
		const char *semi = memchr(p, ';', (size_t)(end - p));
		const char *open, *close;

		if (semi == NULL)
			return end;
		if (end - semi < 2 || semi[1] != ' ')
			return semi;
		open = memrchr(from, '[', (size_t)(semi - from));
		close = memchr(semi, ']', (size_t)(end - semi));
		if (open == NULL || close == NULL ||
		    memchr(open, ']', (size_t)(semi - open)) ||
		    memchr(semi + 1, ';', (size_t)(close - semi - 1)))
			return semi;
		p = semi + 1;
	}
}

int
count_cmp(const struct count *a, const struct count *b)
{
	if (a->whole != b->whole)
		return a->whole < b->whole ? -1 : 1;
	return a->frac < b->frac ? -1 : a->frac > b->frac;
}

int
count_add(struct count *sum, const struct count *n)
{
	uint64_t frac = sum->frac + n->frac, whole;
	uint64_t carry = frac >= NUM_FRAC_ONE;

	if (__builtin_add_overflow(sum->whole, n->whole, &whole) ||
	    __builtin_add_overflow(whole, carry, &whole))
		return -1;
	sum->whole = whole;
	sum->frac = frac - carry * NUM_FRAC_ONE;
	return 0;
}

size_t
count_text(const struct count *n, char *text)
{
	size_t len = event_u64(text, n->whole);

	if (n->frac) {
		uint64_t frac = n->frac, unit = NUM_FRAC_ONE / 10;

		text[len++] = '.';
		for (; frac; unit /= 10) {
			text[len++] = (char)('0' + frac / unit);
			frac %= unit;
		}
	}
	return len;
}

void
count_put(const struct count *n)
{
	char text[48];

	out_put(text, count_text(n, text));
}

void
count_commas(const struct count *n, struct buf *b)
{
	char text[48];
	size_t len = count_text(n, text), whole;
	const char *dot = memchr(text, '.', len);

	whole = dot ? (size_t)(dot - text) : len;
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0)
			buf_addc(b, ',');
		buf_addc(b, text[i]);
	}
}

/* Whether no byte is a control character or `;`. Eight bytes at a time. */
static bool
is_plain(const char *p, size_t len)
{
	const uint64_t ones = 0x0101010101010101u, highs = ones << 7;
	uint64_t bad = 0;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t w, semi, del;

		memcpy(&w, p, 8);
		semi = w ^ (ones * ';'); /* the byte sought becomes zero */
		del = w ^ (ones * 0x7f);
		bad |= ((w - ones * 0x20) | (semi - ones)) & ~w & highs;
		bad |= (del - ones) & ~del & highs;
	}
	for (; len > 0; p++, len--)
		bad |= (unsigned char)*p < 0x20 || *p == ';' || *p == 0x7f;
	return bad == 0;
}

bool
folded_is_name(const char *name, size_t len)
{
	return len > 0 && name[0] != ' ' && name[len - 1] != ' ' &&
	       name[0] != '#' && is_plain(name, len);
}

void
folded_add_name(struct buf *b, const char *name, size_t len)
{
	while (len > 0 && (bytes_is_blank(name[0]) || name[0] == '\n')) {
		name++;
		len--;
	}
	while (
	    len > 0 && (bytes_is_blank(name[len - 1]) || name[len - 1] == '\n'))
		len--;
	if (len == 0) {
		buf_add(b, "??", 2);
		return;
	}
	if (name[0] == '#')
		buf_addc(b, '\\'); /* a line that begins so is not a comment */
	if (is_plain(name, len)) {
		buf_add(b, name, len);
		return;
	}
	buf_room(b, len);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == ';')
			c = ':';
		else if (c == '\n' || c == '\r' || c == '\t')
			c = ' ';
		else if (c < 0x20 || c == 0x7f)
			c = '?';
		b->p[b->len++] = (char)c;
	}
}
