/* SPDX-License-Identifier: ISC */
/*
 * What bcc's tools print: a line a frame, leaf first, kernel before user with
 * `--` between them (option -d), then process and weight; of stackcount, the
 * process only with its option -P.
 *
 *	    vfs_read
 *	    --
 *	    read
 *	    -                dd (6773)
 *	        12
 *
 * A stack of wakeuptime or offwaketime goes from one process to the other:
 *
 *	    target:          vmstat
 *	    ffffffff810df082 hrtimer_wakeup
 *	    waker:           swapper/1
 *	        4000415
 *
 * trace -UK and memleak begin with the process or the weight:
 *
 *	9557    9557    a.out           do_sys_open      temp.1
 *	        do_sys_open+0x1 [kernel]
 *
 *	        80 bytes in 5 allocations from stack
 *	                 main+0x6d [allocs]
 *
 * klockstat has two tables, for waiting and holding; its option -s adds frames:
 *
 *	      Caller   Avg Spin  Count   Max spin Total spin
 *	  lock_a+0xa9       685   8119      17376    5565423
 *	  lock_a+0xa9
 *	    read+0x20
 */
#include "bcc.h"
#include "give.h"
#include "gather.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

#define TRACE_COLUMNS "PID     TID     "
enum { COMM_COLUMNS = 15 };

bool
formats_bcc_heading(struct gather *g, const char *line, size_t len)
{
	static const struct {
		const char *begin, *has;
		enum bcc_form form;
	} headings[] = {{"Sampling at ", " stack", BCC_PROFILE},
	    {"Tracing off-CPU time ", "", BCC_PROFILE},
	    {"Tracing blocked time ", "", BCC_WAKE},
	    {"Tracing ", " functions for \"", BCC_COUNT},
	    {"[", " stacks with outstanding allocations:", BCC_LEAK},
	    {"Tracing lock events...", "", BCC_LOCK},
	    {"", TRACE_COLUMNS "COMM ", BCC_TRACE}};

	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		const char *has = headings[i].has;

		has = memmem(line, len, has, strlen(has));
		if (!has || !bytes_starts(line, len, headings[i].begin))
			continue;
		g->bcc.form = headings[i].form;
		g->bcc.comm_at =
		    (size_t)(has - line) + sizeof TRACE_COLUMNS - 1;
		return true;
	}
	return false;
}

static void
set_process(struct gather *g, const char *p, size_t len)
{
	len = bytes_trim(&p, len);
	g->names.len = 0;
	buf_add(&g->names, p, len);
}

/* `-                NAME (PID)`, or stackcount's `NAME [PID]` */
static bool
is_process(struct gather *g, const char *p, size_t len)
{
	const char open = g->bcc.form == BCC_COUNT ? '[' : '(';
	const char *pid;
	uint64_t n;

	if (len < 4 || p[--len] != open + (open == '(' ? 1 : 2))
		return false;
	if (open == '(' && (*p++ != '-' || *p != ' ' || --len == 0))
		return false;
	pid = memrchr(p, open, len);
	if (pid == NULL ||
	    num_u64(pid + 1, len - (size_t)(pid + 1 - p), &n) != 0)
		return false;
	set_process(g, p, (size_t)(pid - p));
	return true;
}

static void
reset(struct gather *g)
{
	g->names.len = 0;
	g->bcc.kernel = g->bcc.ended = false;
	g->bcc.weight = 0;
	gather_reset(g);
	g->state = GATHER_BCC;
}

/* The frames have been added; the process is a key of its own. */
static void
give_stack(struct gather *g, uint64_t weight)
{
	if (g->bcc.kernel)
		gather_key_line(g, "userland", 8);
	if (g->names.len) {
		gather_key(g, ", ", 2);
		gather_key(g, g->names.p, g->names.len);
	}
	gather_give(g, g->key.len, weight);
	reset(g);
}

void
formats_bcc_end(struct gather *g)
{
	if (g->bcc.weight && g->key.len)
		give_stack(g, g->bcc.weight);
	else if (g->key.len)
		gather_fault(g, GATHER_NO_VALUE, NULL, 0);
	reset(g);
}

static void
add_frame(struct gather *g, const char *p, size_t n)
{
	if (n > 3 && p[0] == 'b' && p[1] == '\'' && p[n - 1] == '\'') {
		p += 2; /* bytes, as some Pythons print them */
		n -= 3;
	}
	if (g->key.len == 0)
		gather_key_line(g, "", 0);
	gather_key_line(g, p, n);
}

/* `waker: NAME [PID]` or `target: ...`, a frame; the second ends the stack. */
static void
add_label(struct gather *g, const char *p, size_t n)
{
	const char *name = memchr(p, ' ', n), *end = p + n;
	const char *pid = memrchr(p, ' ', n);
	uint64_t number;

	g->bcc.ended = g->key.len > 0;
	if (num_u64(pid + 1, (size_t)(end - pid - 1), &number) == 0)
		end = pid;
	n = bytes_trim(&name, (size_t)(end - name));
	add_frame(g, name, n);
}

/* A heading, a message, or an event of trace. */
static void
unindented(struct gather *g, const char *line, size_t len)
{
	struct bcc *b = &g->bcc;

	formats_bcc_end(g);
	if (formats_bcc_heading(g, line, len)) {
		g->n.messages++;
	} else if (b->form == BCC_TRACE && b->comm_at + COMM_COLUMNS < len) {
		b->weight = 1;
		set_process(g, line + b->comm_at, COMM_COLUMNS);
	} else {
		g->n.others += !gather_took_message(g, line, len);
	}
}

/* The number of the last word, which is taken off; false: it is none. */
static bool
last_number(const char *p, size_t *n, uint64_t *number)
{
	const char *blank = memrchr(p, ' ', *n);
	size_t at = blank ? (size_t)(blank + 1 - p) : 0;

	if (at == 0 || num_u64(p + at, *n - at, number) != 0)
		return false;
	*n = bytes_trim(&p, at);
	return true;
}

/* A line of klockstat's tables: a heading, a row, or a frame below one. */
static void
lock_line(struct gather *g, const char *p, size_t n)
{
	struct bcc *b = &g->bcc;
	uint64_t total, other;

	if (n == 0) {
		formats_bcc_end(g);
	} else if (bytes_starts(p, n, "Caller ")) {
		formats_bcc_end(g);
		b->holds = memmem(p, n, "Avg Hold", 8) != NULL;
		g->n.messages++;
	} else if (last_number(p, &n, &total)) {
		formats_bcc_end(g);
		for (int i = 0; i < 3; i++)
			last_number(p, &n, &other);
		add_frame(g, p, n);
		set_process(g, b->holds ? "holds" : "waits", 5);
		b->weight = total;
		b->row = true;
	} else {
		if (!b->row || g->key.len < n + 1 ||
		    memcmp(g->key.p + g->key.len - n - 1, p, n) != 0)
			add_frame(g, p, n);
		b->row = false;
	}
}

void
formats_bcc(struct gather *g, const char *line, size_t len)
{
	static const char from_stack[] = " allocations from stack";
	struct bcc *b = &g->bcc;
	const char *p = line;
	size_t n = bytes_trim(&p, len);
	uint64_t weight;

	if (b->form == BCC_LOCK && (p != line || n == 0)) {
		lock_line(g, p, n);
		return;
	}
	if (n == 0)
		return;
	if (p == line) {
		unindented(g, line, n);
	} else if (b->form == BCC_LEAK && bytes_ends(p, n, from_stack)) {
		formats_bcc_end(g);
		if (num_u64(p, strcspn(p, " "), &b->weight) != 0)
			gather_fault(g, GATHER_BAD_VALUE, p, n);
	} else if (b->form == BCC_LEAK && bytes_starts(p, n, "addr = ")) {
		g->n.messages++;
	} else if ((b->ended || g->key.len) && num_u64(p, n, &weight) == 0) {
		give_stack(g, weight);
	} else if (b->form == BCC_WAKE && (bytes_starts(p, n, "waker: ") ||
					      bytes_starts(p, n, "target: "))) {
		add_label(g, p, n);
	} else if (b->form == BCC_WAKE && p[0] == '-') {
		if (n > 1) /* `--  --`; one alone is between kernel and user */
			add_frame(g, "--", 2);
	} else if (bytes_is(p, n, "--")) {
		b->kernel = g->key.len > 0;
		if (b->kernel)
			gather_key_line(g, "kernel\n, ", 9);
	} else if (is_process(g, p, n)) {
		b->ended = true;
	} else {
		add_frame(g, p, n);
	}
}
