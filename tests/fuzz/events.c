/* SPDX-License-Identifier: ISC */
/* Event text: a line that is parsed, taken apart and written is the same. */
#include "text/events.h"

#include "base/buf.h"
#include "fuzz.h"

/* What is escaped reads as what it was, and escapes nothing twice. */
static void
there_and_back(const char *p, size_t len)
{
	struct buf esc = BUF_INIT, back = BUF_INIT;

	event_escape(&esc, p, len);
	event_unescape(&back, esc.p, esc.len);
	if (len && (back.len != len || memcmp(back.p, p, len) != 0))
		abort();
	for (size_t i = 0; i < esc.len; i++)
		if ((unsigned char)esc.p[i] < 0x20 || esc.p[i] == 0x7f)
			abort();
	buf_done(&esc);
	buf_done(&back);
}

static void
args(const struct event *e)
{
	struct event_args a, b;
	struct event again = *e;
	struct buf plain = BUF_INIT, text = BUF_INIT;

	event_split_args(e, &a);
	event_unescape(&plain, a.text, a.len);
	b = a;
	b.text = plain.p;
	b.len = plain.len;
	event_add_args(&text, &b);
	again.args = text.p;
	again.args_len = text.len;
	event_split_args(&again, &b);
	if (a.mark != b.mark || a.repaired != b.repaired)
		abort();
	buf_done(&plain);
	buf_done(&text);
}

static void
line(const char *p, size_t len)
{
	struct event e, again;

	there_and_back(p, len);
	/* A raw CR, which no writer leaves in a field, may end the line. */
	if (event_parse(p, len, &e) != EVENT_OK ||
	    memchr(e.name, '\r', e.name_len))
		return;
	fuzz_drop_output();
	event_put(&e);
	if (event_parse(out.p, out.len - 1, &again) != EVENT_OK ||
	    again.time != e.time || again.kind != e.kind ||
	    again.name_len != e.name_len || again.track_len != e.track_len)
		abort();
	args(&e);
	fuzz_drop_output();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_lines in;
	const char *p = NULL;
	size_t len = 0;

	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &p, &len))
		line(p, len);
	fuzz_lines_done(&in);
	return 0;
}
