/* SPDX-License-Identifier: ISC */
#include "text/stacks.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/*
 * The events of a text as letters: ( begin, a frame as its number, ) end, !
 * end of a stack that was not unwound to its root, C capture, T thread, P
 * process, M another line of kst, S stopped, - other. A frame that was known
 * is followed by ' if asked for.
 */
static const char *
events(const char *text, bool tracks, bool known)
{
	static char seen[500];
	char path[40], *operand = path, *to = seen;
	int fd = memfd_create("unit", 0);
	enum stacks_event event;
	struct stacks s;
	struct in in;

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return "cannot write";
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	in_init(&in, &operand, 1);
	stacks_init(&s, tracks);
	in_fill(&in, 1);
	stacks_open(&s, &in);
	while ((event = stacks_next(&s)) != STACKS_EOF) {
		if (event == STACKS_FRAME)
			to += sprintf(
			    to, "%u%s", s.number, known && s.entry ? "'" : "");
		else
			*to++ = event == STACKS_END && s.truncated
				    ? '!'
				    : " (#)CTPMS-"[event];
		if (event == STACKS_FRAME && s.entry == NULL)
			stacks_learn(&s, "x", 1, 7);
		CHECK(event != STACKS_FRAME || s.entry->value == 7);
	}
	*to = 0;
	stacks_done(&s);
	in_done(&in);
	close(fd);
	return seen;
}

static void
check(const char *text, bool tracks, const char *want)
{
	const char *got = events(text, tracks, false);

	CHECK_TEXT(got, strlen(got), want);
}

int
main(void)
{
	const char *got;

	check("", true, "");
	check("x\n\n", true, "--");
	check("#0  a ()\n#1  b ()\n#0  a ()\n#1  b ()", false, "(01)(01)");
	check("#3  a ()\n    local\n#7  b ()\n#7  b ()\n", false, "(3-7)(7)");
	check("#0  a ()\nBacktrace stopped: x\nQuit\n#0  a ()\n", false,
	    "(0!SS(0)");
	check("[kst-capture seq=1]\n[kst-x]\nThread 1 (T 1):\n"
	      "[kst-process pid=1]\n#0  a ()\n[kst-x]\n#1  b ()\n",
	    false, "CMTP(0)M(1)");
	/* a track that shows again begins a capture, if tracks are asked for */
	check("Thread 1 (T (CPU#1 [x])):\n#0  a ()\nThread 2 (T (CPU#2)):\n"
	      "#0  a ()\nThread 1 (T (CPU#1 [y])):\n#0  a ()\n#1  b ()\n",
	    true, "T(0)T(0)TC(01)");
	check("#0  a ()\n#0  a ()\n-<!OSDK_PROF_BT_ROUND!>-\n#0  a ()\n", true,
	    "(0)C(0)C(0)");
	check("#0  a ()\n#0  a ()\n", false, "(0)(0)");
	/* a line that a pager has cut, and one that only looks like a frame */
	check("#0  a ()\n#1  b"
	      "--Type <RET> for more, q to quit, c to continue without "
	      "paging--\n ()\n\033[1m#2  c ()\n#3  \033[m d ()\r\n",
	    false, "(0123)");
	/* a text is kept when it comes again */
	got = events("#0  a ()\n#1  b ()\n#2  c ()\n#0  a ()\n#1  b ()\n"
		     "#0  a ()\n#1  0x0123456789abcdef in b ()\n#2  c ()\n",
	    false, true);
	CHECK_TEXT(got, strlen(got), "(012)(01)(0'1'2)");
	return unit_end();
}
