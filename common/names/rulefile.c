/* SPDX-License-Identifier: ISC */
/* Rules as lines of a file. */
#include "names/rulefile.h"
#include "names/rules.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "io/share.h"

enum { RULE_FILE_MAX = 1 << 20 };

/*
 * Whether the comma-separated list contains the group; a `*` in it stands for
 * any text.
 */
static bool
in_list(const char *list, const char *p, size_t len)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");
		const char *star = memchr(list, '*', n);
		size_t head = star ? (size_t)(star - list) : n;
		size_t tail = star ? n - head - 1 : 0;

		if (len >= head + tail && (star || len == n) &&
		    memcmp(list, p, head) == 0 &&
		    memcmp(list + n - tail, p + len - tail, tail) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static int
add_line(struct rules *r, const char *p, const char *end, struct buf *err)
{
	const char *word, *pattern;
	size_t left = (size_t)(end - p);
	size_t len = bytes_take_word(&p, &left, &word);
	size_t pattern_len = bytes_take_word(&p, &left, &pattern);
	char action[32];

	if (len >= sizeof action) {
		buf_printf(err, "unknown action '%s'", msg_text(word, len));
		return -1;
	}
	memcpy(action, word, len);
	action[len] = 0;
	left = bytes_trim(&p, left);
	return rules_add(r,
	    &(struct rule_words){action, pattern, p, pattern_len, left}, err);
}

/* A walk over a rule file's lines, which tells those of groups left out. */
struct lines {
	const char *p, *end, *without, *only;
	const char *line, *line_end; /* the last one, trimmed */
	size_t n;
	bool left_out;
};

static bool
next_line(struct lines *l)
{
	const char *nl, *b = l->p, *e;
	size_t n;

	if (l->p >= l->end)
		return false;
	nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	n = bytes_trim(&b, (size_t)((nl ? nl : l->end) - b));
	l->p = nl ? nl + 1 : l->end;
	l->n++;
	e = b + n;
	if (b < e && *b == '[' && e[-1] == ']')
		l->left_out =
		    in_list(l->without, b + 1, (size_t)(e - b) - 2) ||
		    (l->only && !in_list(l->only, b + 1, (size_t)(e - b) - 2));
	l->line = b;
	l->line_end = e;
	return true;
}

static int
add_lines(struct rules *r, const char *file, struct lines l)
{
	struct buf err = BUF_INIT;
	int status = 0;

	while (next_line(&l)) {
		const char *b = l.line, *e = l.line_end;

		if (l.left_out || b == e || *b == '#' ||
		    (*b == '[' && e[-1] == ']'))
			continue;
		err.len = 0;
		if (add_line(r, b, e, &err) != 0) {
			msg("%s:%zu: %s", msg_str(file), l.n, buf_str(&err));
			status = -1;
		}
	}
	buf_done(&err);
	return status;
}

int
rules_add_text(struct rules *r, const char *file, const char *text, size_t len,
    const char *without)
{
	return add_lines(r, file,
	    (struct lines){.p = text, .end = text + len, .without = without});
}

void
rules_text(const char *text, size_t len, const char *without, struct buf *out)
{
	struct lines l = {.p = text, .end = text + len, .without = without};

	while (next_line(&l)) {
		if (l.left_out)
			continue;
		buf_add(out, l.line, (size_t)(l.line_end - l.line));
		buf_addc(out, '\n');
	}
}

int
rules_add_file(
    struct rules *r, const char *dir, const char *name, const char *groups)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	int status = -1;

	if (share_find(dir, name, ".rules", &path) != 0)
		share_missing(dir, name, ".rules");
	else if (share_read(path.p, RULE_FILE_MAX, &text) == 0)
		status = add_lines(r, buf_str(&path),
		    (struct lines){
			.p = text.p, .end = text.p + text.len, .only = groups});
	buf_done(&path);
	buf_done(&text);
	return status;
}
