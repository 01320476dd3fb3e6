/* SPDX-License-Identifier: ISC */
#include "text/signs.h"

#include <string.h>

#include "base/buf.h"
#include "base/in.h"
#include "base/msg.h"
#include "base/summary.h"
#include "names/rx.h"

#define MAGIC(bytes) .magic = bytes, .magic_len = sizeof bytes - 1

/* The first row that fits. Patterns are PCRE2's, `^` begins any line. */
static const struct sign {
	const char *magic; /* how the file begins, or NULL */
	size_t magic_len;
	const char *pattern;
	const char *kind;
	const char *reader; /* or several, the one to name first */
} signs[] = {
    {MAGIC("\037\213"),
	.kind = "a file packed by gzip (unpack it with 'gzip -dc')"},
    {MAGIC("\050\265\057\375"),
	.kind = "a file packed by zstd (unpack it with 'zstd -dc')"},
    {MAGIC("\375"
	   "7zXZ"),
	.kind = "a file packed by xz (unpack it with 'xz -dc')"},
    {MAGIC("\177ELF"), .kind = "an ELF file"},
    {MAGIC("PERFILE2"), .kind = "a perf.data file"},
    {MAGIC("Ftrace!"), .kind = "the info of a uftrace folder",
	.reader = "kst-uftrace"},
    {MAGIC("TVSO"), .kind = "a dump of OSv's trace buffers",
	.reader = "kst-osv"},
    {MAGIC("OSVT"), .kind = "a dump of OSv's trace buffers",
	.reader = "kst-osv"},
    {MAGIC("\003\0\0\0"), .kind = "a tracefile of OSv", .reader = "kst-osv"},
    {.pattern = "\\A\\x0a[\\x02-\\x08]\\x08[\\x01-\\x7f]\\x10",
	.kind = "a pprof profile"},
    {.pattern = "\\A\\s*\\{\\s*\"stack_traces\"",
	.kind = "a JSON profile of OSDK",
	.reader = "kst-json"},
    {.pattern = "\"https://www\\.speedscope\\.app/",
	.kind = "a speedscope profile"},
    {.pattern = "\\A\\s*(\\{\\s*\"traceEvents\"|\\[\\s*\\{\"name\")",
	.kind = "a Chrome trace"},
    {.pattern = "\\A\\s*\\{\\s*\"meta\"", .kind = "a Firefox profile"},
    {.pattern = "\\A\\{\"type\": ?\"\\w+\", ?\"data\"",
	.kind = "JSON of bpftrace",
	.reader = "kst-btrace"},
    {.pattern = "\\A(<\\?xml|<svg)", .kind = "XML"},
    {.pattern = "^\\S.* +[0-9.]+: +([0-9]+ +)?[\\w:./-]+: *\\r?\\n"
		"\\s+[0-9a-f]+ ",
	.kind = "perf script text"},
    {.pattern = "^(# callgrind format|events: )", .kind = "callgrind's format"},
    {.pattern = "^CPU +ID +FUNCTION:NAME",
	.kind = "DTrace's output",
	.reader = "kst-btrace"},
    {.pattern = "^(@\\w*(\\[|:)|Attaching \\d+ probe)",
	.kind = "output of btrace or bpftrace",
	.reader = "kst-btrace"},
    {.pattern = "^(Sampling at \\d+ Hertz of |Tracing (off-CPU time |\\d+ "
		"functions for \")",
	.kind = "output of bcc's profile, offcputime or stackcount",
	.reader = "kst-btrace"},
    {.pattern = "^[* ] thread #\\d+(,|: )|^ *(\\* )?frame #\\d+: 0x",
	.kind = "lldb's backtrace"},
    {.pattern = "^(\\[ *[0-9.]+\\] )? *Call Trace:",
	.kind = "a kernel log with call traces"},
    {.pattern = "^\\d+\\t[^\\t\\n]*\\t[BEIL]\\t",
	.kind = "event text",
	.reader = "kst-span"},
    {.pattern = "^.{15,}? +\\d+ +\\d+\\.\\d{9} \\w+\\(.*\\)\\r?$",
	.kind = "OSv's strace log",
	.reader = "kst-osv"},
    {.pattern = "^(#0 +\\S|Thread \\d+ \\(|\\[kst-capture)",
	.kind = "trace text",
	.reader = "kst-fold kst-clean kst-sym kst-json"},
    {.pattern = "^[^;\\n\\t]+(;[^;\\n\\t]+)+ \\d+\\r?$",
	.kind = "folded text",
	.reader = "kst-svg kst-fold kst-clean kst-sym"},
};

static bool
matches(const char *pattern, const char *text, size_t len)
{
	struct buf err = BUF_INIT, multi = BUF_INIT;
	struct rx *rx;
	bool found;

	buf_printf(&multi, "(?m)%s", pattern);
	rx = rx_new(multi.p, multi.len, &err);
	found = rx && rx_match(rx, text, len) == 1;
	rx_free(rx);
	buf_done(&multi);
	buf_done(&err);
	return found;
}

const char *
signs_kind(const char *text, size_t len, const char **reader)
{
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		const struct sign *s = &signs[i];
		size_t n = s->magic_len;

		if (s->magic ? len >= n && memcmp(text, s->magic, n) == 0
			     : matches(s->pattern, text, len)) {
			*reader = s->reader;
			return s->kind;
		}
	}
	*reader = NULL;
	return NULL;
}

void
signs_look(struct signs *s, const struct in *in)
{
	size_t have = (size_t)(in->end - in->p);

	s->name = in_name(in);
	s->len = have < sizeof s->text ? have : sizeof s->text;
	memcpy(s->text, in->p, s->len);
}

void
signs_say_none(const struct signs *s, const char *what)
{
	const char *reader, *kind = signs_kind(s->text, s->len, &reader);
	struct buf text = BUF_INIT;

	buf_printf(&text, "no %s in it", what);
	if (kind)
		buf_printf(&text, "; it looks like %s", kind);
	if (reader && strstr(reader, msg_prog) == NULL)
		buf_printf(&text, ", which %.*s reads",
		    (int)strcspn(reader, " "), reader);
	summary_fault(1, buf_str(&text));
	msg("%s: %s", msg_str(s->name), buf_str(&text));
	buf_done(&text);
}
