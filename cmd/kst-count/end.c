/* SPDX-License-Identifier: ISC */
#include "end.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "run.h"
#include "text/folded.h"

/* Frames of a stack that are shown. */
enum { SHOWN = 8 };

int
end_take(int file, struct buf *lines)
{
	const off_t size = lseek(file, 0, SEEK_END);
	const off_t at = size > END_BYTES ? size - END_BYTES : 0;
	struct buf b = BUF_INIT;
	const char *from, *last;
	ssize_t n;
	bool good = true;

	buf_room(&b, (size_t)(size - at));
	n = pread(file, b.p, (size_t)(size - at), at);
	b.len = n > 0 ? (size_t)n : 0;
	from = memmem(b.p, b.len, END_MARK, sizeof END_MARK - 1);
	last = b.len > 1 ? memrchr(b.p, '\n', b.len - 1) : NULL;
	if (from != NULL && last != NULL && last > from) {
		const off_t cut = at + (from - b.p);
		const size_t rest = (size_t)(b.p + b.len - (last + 1));

		buf_add(lines, from, (size_t)(last + 1 - from));
		good = pwrite(file, last + 1, rest, cut) == (ssize_t)rest &&
		       ftruncate(file, cut + (off_t)rest) == 0;
	}
	buf_done(&b);
	if (!good)
		msg_errno("a temporary file");
	return good ? 0 : -1;
}

/* Takes the next line off the text, without its mark. */
static bool
next_line(struct piece *text, struct piece *line)
{
	const char *stop = text->len ? memchr(text->p, '\n', text->len) : NULL;
	const size_t mark = sizeof END_MARK - 1;

	if (stop == NULL)
		return false;
	*line = (struct piece){text->p, (size_t)(stop - text->p)};
	if (bytes_starts(line->p, line->len, END_MARK)) {
		line->p += mark;
		line->len -= mark;
	}
	text->len -= line->len + 1 + (size_t)(line->p - text->p);
	text->p = stop + 1;
	return true;
}

/* Says `CPU#0: leaf < caller < ...` of a folded stack, whose leaf has a count.
 */
static void
say_stack(struct piece line)
{
	struct piece frame[END_FRAMES + 2];
	const char *count = memrchr(line.p, ' ', line.len);
	const char *p = line.p, *end = count ? count : p + line.len, *stop;
	struct buf b = BUF_INIT;
	size_t n = 0, shown = 0;

	for (; p < end && n < sizeof frame / sizeof *frame; p = stop + 1) {
		stop = folded_frame_end(p, end);
		frame[n++] = (struct piece){p, (size_t)(stop - p)};
	}
	while (n > 1 && shown < SHOWN) {
		const struct piece f = frame[--n];

		if (bytes_is(f.p, f.len, "<signal handler called>"))
			continue;
		buf_adds(&b, shown++ > 0 ? " < " : ": ");
		buf_adds(&b, msg_text(f.p, f.len));
	}
	buf_adds(&b, n > 1 ? " < ..." : "");
	if (shown > 0)
		msg("%s%s", msg_text(frame[0].p, frame[0].len), buf_str(&b));
	buf_done(&b);
}

/* What was asked for and never came; NULL: nothing. */
static const char *
missing(const struct options *o, bool begun, uint64_t counted)
{
	if (!begun)
		return "--from";
	return o->in != NULL && counted == 0 ? "--in" : NULL;
}

int
end_say(const struct options *o, const struct buf *lines,
    const struct buf *names, bool asked)
{
	struct piece text = {lines->p, lines->len},
		     named = {names->p, names->len}, line;
	const char *never;
	uint64_t counted = 0;
	char why[8] = "", head[64];
	int begun = 1;

	if (!next_line(&text, &line))
		return EXIT_OK;
	snprintf(head, sizeof head, "%.*s", (int)line.len, line.p);
	if (sscanf(head, "%7s %d %" SCNu64, why, &begun, &counted) != 3)
		return EXIT_OK;
	never = missing(o, begun != 0, counted);
	if (never)
		msg("%s: %s never came", never,
		    msg_str(begun ? o->in : o->from));
	if (asked)
		msg("ended by a signal after %" PRIu64 " instructions",
		    counted);
	else if (strcmp(why, "until") == 0)
		msg("ended at %s after %" PRIu64 " instructions",
		    msg_str(o->until), counted);
	else
		msg("ended %safter %" PRIu64 " instructions",
		    strcmp(why, "exit") == 0 ? "with QEMU " : "", counted);
	while (next_line(&named, &line))
		say_stack(line);
	return never ? EXIT_FAILED : EXIT_OK;
}
