/* SPDX-License-Identifier: ISC */
#include "trace/signs.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/summary.h"
#include "names/rx.h"

/*
 * What packs files, and the command that unpacks one from a pipe. A name may
 * begin with the letters of bzip2 or lzip; what follows them is not text.
 */
static const struct packer {
	size_t at; /* where the magic is */
	const char *magic, *name;
	char *unpack[3];
	bool foreign; /* kst-batch does not read it */
} packers[] = {
    {0, "\x1f\x8b", "gzip", {(char *)"gzip", (char *)"-dc"}, false},
    {0, "\3757zXZ", "xz", {(char *)"xz", (char *)"-dc"}, false},
    {0, "\x28\xb5\x2f\xfd", "zstd", {(char *)"zstd", (char *)"-dcq"}, false},
    {1, "\x2a\x4d\x18", "zstd", {(char *)"zstd", (char *)"-dcq"}, false},
    {4, "1AY&SY", "bzip2", {(char *)"bzip2", (char *)"-dc"}, true},
    {0, "\x04\x22\x4d\x18", "lz4", {(char *)"lz4", (char *)"-dc"}, true},
    {0, "LZIP\x01", "lzip", {(char *)"lzip", (char *)"-dc"}, true},
    {0, "PK\x03\x04", "zip", {(char *)"unzip", (char *)"-p"}, true},
    {0, "7z\xbc\xaf\x27\x1c", "7-Zip", {(char *)"7z", (char *)"e -so"}, true},
};

static const struct packer *
packer_of(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
		const struct packer *k = &packers[i];

		if (n >= k->at && bytes_starts(p + k->at, n - k->at, k->magic))
			return k;
	}
	return NULL;
}

#define GDB "try gdb's 'thread apply all bt'"
#define ADDRESSES "try 'addr2line -fipe KERNEL ADDRESS...'"
#define PERF "try 'perf script | kst-perf'"
#define FTRACE "try 'uftrace record -k' and kst-uftrace"
#define PPROF "try 'go tool pprof -raw FILE | stackcollapse-go.pl'"

/*
 * The first row that fits: a pattern of PCRE2's, in which `^` begins any line;
 * what the file is; and either the commands of ours that read it, the one to
 * name first, or what helps.
 */
static const struct sign {
	const char *pattern, *kind, *help;
} signs[] = {
    {"\\A\\x7fELF", "an ELF file", NULL},
    {"\\APERFILE2", "a perf.data file", PERF},
    {"\\A\\x17\\x08Dtracing", "a trace.dat file of ftrace's", FTRACE},
    {"\\AFLR\\x00", "a recording of Java's Flight Recorder",
	"try 'jfrconv -o collapsed'"},
    {"\\AFtrace!", "the info of a uftrace folder", "kst-uftrace"},
    {"\\A(TVSO|OSVT)", "a dump of OSv's trace buffers", "kst-osv"},
    {"\\A\\x03\\x00{3}", "a tracefile of OSv", "kst-osv"},
    {"\\A\\x0a[\\x02-\\x08]\\x08[\\x01-\\x7f]\\x10", "a pprof profile", PPROF},
    {"\\A\\s*\\{\\s*\"stack_traces\"", "a JSON profile of OSDK", "kst-json"},
    {"\"https://www\\.speedscope\\.app/", "a speedscope profile",
	"try 'speedscope FILE'"},
    {"\\A\\s*(\\{[^[]{0,400}\"traceEvents\"|\\[\\s*\\{[^}]*\"ph\")",
	"a Chrome trace", "try 'stackcollapse-chrome-tracing.py'"},
    {"\\A\\s*\\{\\s*\"nodes\"", "a CPU profile of V8", "try 'speedscope FILE'"},
    {"\\A\\s*\\{\\s*\"meta\"", "a Firefox profile", "try 'samply load FILE'"},
    {"\\A\\{\"type\": ?\"\\w+\", ?\"data\"", "JSON of bpftrace", "kst-btrace"},
    {"\\A\\s*<(\\?xml|svg|!DOCTYPE|html)", "XML or HTML", NULL},
    {"^CPU +ID +FUNCTION:NAME", "DTrace's output", "kst-btrace"},
    {"^(@\\w*(\\[|:)|Attaching \\d+ probe)", "output of btrace or bpftrace",
	"kst-btrace"},
    {"^(Sampling at \\d+ Hertz of |Tracing (off-CPU time |blocked time "
     "|\\d+ functions for \")|PID +TID +COMM |\\[[\\d:]+\\] Top \\d+ stacks )",
	"output of one of bcc's tools", "kst-btrace"},
    {"^ ?0x[0-9a-f]+ : \\S+\\+0x[0-9a-f]+/0x", "output of SystemTap",
	"try 'stackcollapse-stap.pl'"},
    {"^\\S.* +[0-9]+\\.[0-9]+: +([0-9]+ +)?[\\w:./-]+:.*\\n\\s+[0-9a-f]+ |"
     "[:\\n]\\s*[0-9a-f]{5,16} \\S.* \\(.+\\)\\r?$",
	"perf script text", "kst-perf"},
    {"^# (To display the perf\\.data header|Samples: .* of events? )",
	"text of perf report", PERF},
    {"^# tracer: |^cpus=\\d+\\r?\\n| \\[\\d{3}\\] +([.\\w]{4,5} +)?"
     "\\d+\\.\\d{6}: ",
	"ftrace's text", FTRACE},
    {"^(# callgrind format|events: )", "callgrind's format",
	"try 'callgrind_annotate'"},
    {"^PeriodType: ", "text of pprof -raw", "try 'stackcollapse-go.pl'"},
    {"^(heap profile: |goroutine profile: |--- (contention|mutex))",
	"a pprof profile", PPROF},
    {"^[* ] thread #\\d+(,|: )|^ *(\\* )?frame #\\d+: 0x", "lldb's backtrace",
	GDB},
    {"^(\\d*\\^done|\\*stopped),.*frame=\\{", "text of gdb/MI",
	"try '-interpreter-exec console \"thread apply all bt\"'"},
    {"^PID: \\d+ +TASK: \\w+ +CPU: |^ *#\\d+ \\[\\w{8,16}\\] \\S+ at ",
	"a backtrace of crash", GDB},
    {"^Full thread dump |^\\s+java\\.lang\\.Thread\\.State: ",
	"output of jstack", "try 'stackcollapse-jstack.pl'"},
    {"^\\tat [\\w.$/]+\\(", "an exception of Java",
	"try 'stackcollapse-java-exceptions.pl'"},
    {"^goroutine \\d+ .*\\[", "goroutines of Go", GDB},
    {"^thread '.*' (\\(\\d+\\) )?panicked at |^stack backtrace:\\r?$",
	"a panic of Rust", GDB},
    {"\\(most recent call first\\):", "output of Python's faulthandler",
	"try 'stackcollapse-faulthandler.pl'"},
    {"^Traceback \\(most recent call last\\):|^Thread \\w+ \\((idle|active)",
	"a traceback of Python", "try 'py-spy record -f raw'"},
    {"^(Analysis of sampling |Call graph:)", "output of macOS sample",
	"try 'stackcollapse-sample.awk'"},
    {"^Function Stack[,|]", "a VTune report", "try 'stackcollapse-vtune.pl'"},
    {"sched_dumpstack: |backtrace\\|", "a log of NuttX", ADDRESSES},
    {"^(E: |\\[[\\d:.,]+\\] <err> os: )|Zephyr OS|ZEPHYR FATAL",
	"a log of Zephyr", ADDRESSES},
    {"^xv6 |^cpu\\d+: starting |^backtrace:\\r?\\n0x\\w+\\r?\\n|"
     "panic: .*\\n( [0-9a-f]{5,8}){2}",
	"a log of xv6", ADDRESSES},
    {"^(\\x1b\\[\\d+m)?\\[ *\\d+\\.\\d{6} [\\d:-]+ [\\w:]+:\\d+\\]",
	"a log of ArceOS", ADDRESSES},
    {"^(<\\d+>|.* kernel: )?(\\[ *\\d+\\.\\d{6}\\].*|\\s*)Call [Tt]race:|"
     "\\A(<\\d+>)?\\[ *\\d+\\.\\d{6}\\]",
	"a log of Linux", "try Linux's scripts/decode_stacktrace.sh"},
    {"^\\d+\\t[^\\t\\n]*\\t[BEIL]\\t", "event text", "kst-span"},
    {"^.{15,}? +\\d+ +\\d+\\.\\d{9} \\w+\\(.*\\)\\r?$", "OSv's strace log",
	"kst-osv"},
    {"^(#0 +\\S|Thread \\d+ \\(|\\[kst-capture)", "trace text",
	"kst-fold kst-clean kst-sym kst-json"},
    {"^[^;\\n\\t]+(;[^;\\n\\t]+)+ \\d+\\r?$", "folded text",
	"kst-svg kst-fold kst-clean kst-sym"},
};

enum { N_SIGNS = sizeof signs / sizeof *signs };

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

/* Appends what the file looks like, and what helps. */
static void
add_kind(const struct signs *s, struct buf *b)
{
	const struct packer *packer = packer_of(s->text, s->len);
	const struct sign *sign = signs, *end = signs + N_SIGNS;
	bool reads, own;

	if (packer) {
		buf_printf(b, "; it is packed by %s: try '%s %s'", packer->name,
		    packer->unpack[0], packer->unpack[1]);
		return;
	}
	while (sign < end && !matches(sign->pattern, s->text, s->len))
		sign++;
	reads = sign < end && sign->help &&
		bytes_starts(sign->help, strlen(sign->help), "kst-");
	own = reads && strstr(sign->help, msg_prog);
	if (sign == end || (own && !bytes_starts(b->p, b->len, "no ")))
		return; /* a fault in what the command reads */
	buf_printf(b, "; it looks like %s", sign->kind);
	if (own || sign->help == NULL)
		return;
	if (reads)
		buf_printf(b, ", which %.*s reads",
		    (int)strcspn(sign->help, " "), sign->help);
	else
		buf_printf(b, ": %s", sign->help);
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
signs_say(const struct signs *s, const char *fault)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, fault);
	add_kind(s, &text);
	summary_fault(1, buf_str(&text));
	msg("%s: %s", msg_str(s->name), buf_str(&text));
	buf_done(&text);
}

/* Captures ----------------------------------------------------------------- */

char *const *
look_unpacker(const char *p, size_t n)
{
	const struct packer *packer = packer_of(p, n);

	return packer && !packer->foreign ? packer->unpack : NULL;
}

bool
look_foreign(const char *p, size_t n)
{
	const struct packer *packer = packer_of(p, n);

	return packer && packer->foreign;
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
