/* SPDX-License-Identifier: ISC */
#include "trace/trace.h"

#include "unit.h"

#define PROMPT \
	"--Type <RET> for more, q to quit, c to continue without paging--"

static struct trace_reader reader;

static struct trace_line
judge(const char *s)
{
	struct trace_line t;

	trace_read(&reader, s, strlen(s), &t);
	return t;
}

static void
test_kinds(void)
{
	CHECK(judge("#0  f ()").kind == TRACE_FRAME);
	CHECK(judge("#12 f ()").number == 12);
	CHECK(judge("#").kind == TRACE_OTHER);
	CHECK(judge("#x  f").kind == TRACE_OTHER);
	CHECK(judge("# 1 f").kind == TRACE_OTHER);
	CHECK(judge("#1").kind == TRACE_OTHER);
	CHECK(judge("    #1  f ()").kind == TRACE_OTHER);
	CHECK(judge("").kind == TRACE_OTHER);
	CHECK(judge("\033[0m").kind == TRACE_OTHER); /* nothing is left */
	CHECK(judge("Thread 2 (Thread 1.2 (CPU#1 [halted ])):").kind ==
	      TRACE_THREAD);
	CHECK(judge("Thread 3 \"t\" received signal SIGTRAP.").kind ==
	      TRACE_OTHER);
	CHECK(judge("[kst-capture seq=1]").kind == TRACE_CAPTURE);
	CHECK(judge("[kst-capture-info x=1]").kind == TRACE_META);
	CHECK(judge("[kst-process pid=3]").kind == TRACE_META);
	CHECK(judge("[New Thread 1]").kind == TRACE_OTHER);
	CHECK(judge("-<!OSDK_PROF_BT_ROUND!>-").kind == TRACE_ROUND);
	CHECK(judge("Backtrace stopped: x").kind == TRACE_STOPPED);
	CHECK(judge("(More stack frames follow...)").kind == TRACE_STOPPED);
	CHECK(judge("Quit").kind == TRACE_STOPPED);
}

static void
test_numbers(void)
{
	static const char *const want[] = {
	    "#0  ", "#9  ", "#10 ", "#99 ", "#100 ", "#18446744073709551615 "};
	static const uint64_t n[] = {0, 9, 10, 99, 100, UINT64_MAX};
	char text[TRACE_NUMBER];

	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		CHECK_TEXT(text, trace_number(n[i], text), want[i]);
}

static void
test_noise(void)
{
	struct trace_line t;

	t = judge("(gdb) (gdb) #3  \033[33mf\033[m ()\r");
	CHECK(t.kind == TRACE_FRAME && t.number == 3);
	CHECK_TEXT(t.frame, t.frame_len, "f ()");
	t = judge("\033]0;title\a#4  g ()  ");
	CHECK_TEXT(t.frame, t.frame_len, "g ()");
	t = judge("#5  long_na--Type <RET> for more, q to quit, c to "
		  "continue without paging--\r");
	CHECK(t.kind == TRACE_OTHER);
	t = judge("me (...)");
	CHECK(t.kind == TRACE_FRAME && t.number == 5);
	CHECK_TEXT(t.frame, t.frame_len, "long_name (...)");
	t = judge("--Type <RET> for more, q to quit, c to continue without "
		  "paging--#6  h ()");
	CHECK_TEXT(t.frame, t.frame_len, "h ()");
	t = judge("---Type <return> to continue, or q <return> to quit---");
	CHECK(t.kind == TRACE_OTHER);
	CHECK(judge("#7  i ()").kind == TRACE_FRAME);
	/* no carriage return tells that a prompt is in the line */
	t = judge("#5  na" PROMPT "me (...)");
	CHECK_TEXT(t.frame, t.frame_len, "name (...)");
	CHECK(judge("#5  n" PROMPT).kind == TRACE_OTHER);
	t = judge("a" PROMPT "me" PROMPT " ()");
	CHECK_TEXT(t.frame, t.frame_len, "name ()");
	CHECK(judge("#6  n" PROMPT "Quit").kind == TRACE_STOPPED);
	CHECK(judge("#6  n" PROMPT "q").kind == TRACE_OTHER);
	t = judge("Quit");
	CHECK(t.kind == TRACE_STOPPED && t.len == 4);
	t = judge("#7  0x1 in \033[33mcolour\033[m ()");
	CHECK_TEXT(t.frame, t.frame_len, "0x1 in colour ()");
	t = judge("#123456789 deep ()");
	CHECK(t.kind == TRACE_FRAME && t.number == 123456789);
	CHECK(judge("#1234567890 deeper ()").kind == TRACE_OTHER);
	CHECK(judge("\033[").kind == TRACE_OTHER);
	CHECK(judge("\033").kind == TRACE_OTHER);
}

static void
check_thread(const char *s, int cpu, enum trace_state state, const char *label)
{
	struct trace_thread th;

	trace_thread_parse(s, strlen(s), &th);
	CHECK(th.has_cpu ? (int)th.cpu == cpu : cpu == -1);
	CHECK(th.state == state);
	CHECK_TEXT(th.label, th.label_len, label);
}

static void
test_threads(void)
{
	check_thread("Thread 2 (Thread 1.2 (CPU#11 [halted ])):", 11,
	    STATE_HALTED, "CPU#11");
	check_thread("Thread 2 (Thread 1.2 (CPU#0 [running])):", 0,
	    STATE_RUNNING, "CPU#0");
	check_thread("Thread 1.1 (Thread 1.1 (sifive harts[0] [running])):", -1,
	    STATE_RUNNING, "sifive harts[0]");
	check_thread("Thread 1 (Thread 0x7f (LWP 9) \"w;er (x)\"):", -1,
	    STATE_UNKNOWN, "w;er (x)");
	check_thread("Thread 1 (Thread 0x7f (LWP 9) \"CPU#3\"):", -1,
	    STATE_UNKNOWN, "CPU#3");
	check_thread("Thread 1 (Thread 1.1 \"boot\" (CPU#0 [running])):", 0,
	    STATE_RUNNING, "CPU#0");
	check_thread("Thread 1 (Thread 1.1 \"(CPU#7 [halted ]\" "
		     "(CPU#0 [running])):",
	    0, STATE_RUNNING, "CPU#0");
	check_thread("Thread 1 (LWP 9):", -1, STATE_UNKNOWN, "LWP 9");
	check_thread("Thread 1 ():", -1, STATE_UNKNOWN, "thread");
	check_thread("Thread 1 (()):", -1, STATE_UNKNOWN, "()");
	check_thread("Thread 1 (Thread 1 (CPU#99999999999 [x])):", -1,
	    STATE_UNKNOWN, "CPU#99999999999 [x]");
}

static void
test_meta(void)
{
	const char *s = "[kst-process pid=3 name=\"a \\\"b\\\\ ]\" mode=user]";
	struct buf b = BUF_INIT, text = BUF_INIT;
	const char *v;
	size_t n = 0;

	CHECK(trace_meta_get(s, strlen(s), "pid", &v, &n));
	CHECK_TEXT(v, n, "3");
	CHECK(trace_meta_get(s, strlen(s), "mode", &v, &n));
	CHECK_TEXT(v, n, "user");
	CHECK(trace_meta_get(s, strlen(s), "name", &v, &n));
	trace_meta_text(&text, v, n);
	CHECK_TEXT(text.p, text.len, "a \"b\\ ]");
	CHECK(!trace_meta_get(s, strlen(s), "a", &v, &n));
	trace_meta_add(&b, text.p, text.len);
	CHECK_TEXT(b.p, b.len, "\"a \\\"b\\\\ ]\"");
	CHECK(!trace_meta_get("[kst-x a=\"", 10, "b", &v, &n));
	buf_done(&b);
	buf_done(&text);
}

int
main(void)
{
	test_kinds();
	test_numbers();
	test_noise();
	test_threads();
	test_meta();
	trace_reader_done(&reader);
	return unit_end();
}
