/* SPDX-License-Identifier: ISC */
#include "trace/signs.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/summary.h"
#include "names/rx.h"

/* How the file begins, and a pattern of PCRE2's, in which `^` begins any line.
 */
#define BEGIN(bytes, kind, reader)                          \
	{                                                   \
		bytes, sizeof bytes - 1, NULL, kind, reader \
	}
#define HAS(pattern, kind, reader)             \
	{                                      \
		NULL, 0, pattern, kind, reader \
	}

/* The first row that fits. */
static const struct sign {
	const char *magic;
	size_t magic_len;
	const char *pattern, *kind;
	const char *reader; /* or several, the one to name first; or NULL */
} signs[] = {
    BEGIN(
	"\037\213", "a file packed by gzip (unpack it with 'gzip -dc')", NULL),
    BEGIN("\050\265\057\375",
	"a file packed by zstd (unpack it with 'zstd -dc')", NULL),
    BEGIN("\3757zXZ", "a file packed by xz (unpack it with 'xz -dc')", NULL),
    BEGIN("\177ELF", "an ELF file", NULL),
    BEGIN("PERFILE2", "a perf.data file", NULL),
    BEGIN("Ftrace!", "the info of a uftrace folder", "kst-uftrace"),
    BEGIN("TVSO", "a dump of OSv's trace buffers", "kst-osv"),
    BEGIN("OSVT", "a dump of OSv's trace buffers", "kst-osv"),
    BEGIN("\003\0\0\0", "a tracefile of OSv", "kst-osv"),
    HAS("\\A\\x0a[\\x02-\\x08]\\x08[\\x01-\\x7f]\\x10", "a pprof profile",
	NULL),
    HAS("\\A\\s*\\{\\s*\"stack_traces\"", "a JSON profile of OSDK", "kst-json"),
    HAS("\"https://www\\.speedscope\\.app/", "a speedscope profile", NULL),
    HAS("\\A\\s*(\\{\\s*\"traceEvents\"|\\[\\s*\\{\"name\")", "a Chrome trace",
	NULL),
    HAS("\\A\\s*\\{\\s*\"meta\"", "a Firefox profile", NULL),
    HAS("\\A\\{\"type\": ?\"\\w+\", ?\"data\"", "JSON of bpftrace",
	"kst-btrace"),
    HAS("\\A(<\\?xml|<svg)", "XML", NULL),
    HAS("^\\S.* +[0-9.]+: +([0-9]+ +)?[\\w:./-]+: *\\r?\\n"
	"\\s+[0-9a-f]+ ",
	"perf script text", NULL),
    HAS("^(# callgrind format|events: )", "callgrind's format", NULL),
    HAS("^CPU +ID +FUNCTION:NAME", "DTrace's output", "kst-btrace"),
    HAS("^(@\\w*(\\[|:)|Attaching \\d+ probe)", "output of btrace or bpftrace",
	"kst-btrace"),
    HAS("^(Sampling at \\d+ Hertz of |Tracing (off-CPU time |blocked time "
	"|\\d+ functions for \")|PID +TID +COMM |\\[[\\d:]+\\] Top \\d+ stacks )",
	"output of one of bcc's tools", "kst-btrace"),
    HAS("^[* ] thread #\\d+(,|: )|^ *(\\* )?frame #\\d+: 0x",
	"lldb's backtrace", NULL),
    HAS("^(\\[ *[0-9.]+\\] )? *Call Trace:", "a kernel log with call traces",
	NULL),
    HAS("^\\d+\\t[^\\t\\n]*\\t[BEIL]\\t", "event text", "kst-span"),
    HAS("^.{15,}? +\\d+ +\\d+\\.\\d{9} \\w+\\(.*\\)\\r?$", "OSv's strace log",
	"kst-osv"),
    HAS("^(#0 +\\S|Thread \\d+ \\(|\\[kst-capture)", "trace text",
	"kst-fold kst-clean kst-sym kst-json"),
    HAS("^[^;\\n\\t]+(;[^;\\n\\t]+)+ \\d+\\r?$", "folded text",
	"kst-svg kst-fold kst-clean kst-sym"),
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

/* Captures ----------------------------------------------------------------- */

char *const *
look_unpacker(const char *p, size_t n)
{
	static char *const gzip[] = {(char *)"gzip", (char *)"-dc", NULL};
	static char *const zstd[] = {(char *)"zstd", (char *)"-dcq", NULL};
	static char *const xz[] = {(char *)"xz", (char *)"-dc", NULL};

	if (bytes_starts(p, n, "\x1f\x8b"))
		return gzip;
	if (n >= 6 && memcmp(p, "\3757zXZ", 6) == 0)
		return xz;
	if (bytes_starts(p, n, "\x28\xb5\x2f\xfd") ||
	    (n >= 4 && (p[0] & 0xf0) == 0x50 &&
		memcmp(p + 1, "\x2a\x4d\x18", 3) == 0))
		return zstd; /* or a frame that is to be skipped */
	return NULL;
}

const char *
look_foreign(const char *p, size_t n)
{
	static const char *const known[][2] = {{"BZh", "bzip2"},
	    {"\x04\x22\x4d\x18", "lz4"}, {"LZIP", "lzip"},
	    {"PK\x03\x04", "zip"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (bytes_starts(p, n, known[i][0]))
			return known[i][1];
	return NULL;
}

/* An object: neither trace text nor folded text begins like one. */
bool
look_json(const char *p, size_t n)
{
	static const char blank[] = " \t\r\n";
	size_t i = bytes_starts(p, n, "\xef\xbb\xbf") ? 3 : 0;

	while (i < n && memchr(blank, p[i], sizeof blank - 1))
		i++;
	if (i == n || p[i] != '{')
		return false;
	for (i++; i < n && memchr(blank, p[i], sizeof blank - 1); i++)
		;
	return i == n || p[i] == '"' || p[i] == '}';
}
