/* SPDX-License-Identifier: ISC */
/* The file of --trace as event text: what it says, and what is damaged. */
#include "events.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "io/out.h"
#include "../../cmd/kst-count/run.h"
#include "trace/pack.h"
#include "unit.h"

/* Spans: F is called by the code at the bottom, and G by F; the callers of H
 * are not known. */
enum { BASE = 2, F, G, LOST, H, SPANS };
enum { FRESH = RECORD_FRESH, BORN = RECORD_BORN, TRACE_MAX = 30000 };

/* What a plugin writes, and how much of it. */
static struct {
	struct trace_head head;
	struct record record[TRACE_MAX];
	struct trace_span span[SPANS];
	uint64_t more; /* bytes of records, that are not there */
	size_t cut;    /* bytes that are missing at the end */
} f;

static void
make(void)
{
	memset(&f, 0, sizeof f);
	f.head = (struct trace_head){
	    .size = sizeof f.head, .end = 9, .spans = SPANS, .records = 4};
	f.record[0] = (struct record){0, BASE, 0, 0, FRESH | BORN};
	f.record[1] = (struct record){2, F, 0, 0, FRESH};
	f.record[2] = (struct record){3, G, 0, 0, FRESH};
	f.record[3] = (struct record){5, BASE, 0, 0, 0};
	f.span[BASE] = (struct trace_span){0x3000, 1, SPAN_BASE};
	f.span[F] = (struct trace_span){0x1000, BASE, SPAN_CALL};
	f.span[G] = (struct trace_span){0x2000, F, SPAN_CALL};
	f.span[LOST] = (struct trace_span){0x1000, 1, SPAN_LOST};
	f.span[H] = (struct trace_span){0x1000, LOST, SPAN_TRAP};
}

/* How many bytes the file has. */
static off_t
fill(int fd)
{
	static uint8_t bytes[TRACE_MAX * PACK_MOST];
	const size_t records = f.head.records <= TRACE_MAX ? f.head.records : 4,
		     spans = f.head.spans <= SPANS ? f.head.spans : SPANS;
	struct record last = {0};
	uint8_t *end = bytes;
	size_t size;

	for (size_t i = 0; i < records; last = f.record[i++])
		end = pack_put(end, &f.record[i], &last);
	f.head.bytes = (uint64_t)(end - bytes) + f.more;
	size = (size_t)write(fd, &f.head, sizeof f.head);
	size += (size_t)write(fd, bytes, (size_t)(end - bytes));
	size += (size_t)write(fd, f.span, spans * sizeof *f.span);
	return (off_t)(f.cut < size ? size - f.cut : 0);
}

/* In a process of its own: its status. Output and messages are in `got`. */
static char got[1 << 20];

static int
writes(bool by_stack)
{
	struct options o = {.by = by_stack ? "stack" : "cpu"};
	struct trace_ask ask = {.on = true};
	FILE *to = tmpfile();
	int status = 99, fd;
	size_t n;

	fflush(stdout);
	if (to && fork() == 0) {
		alarm(20);
		if (dup2(fileno(to), 1) != 1 || dup2(1, 2) != 2 ||
		    events_open(&ask) != 0 ||
		    (fd = open(ask.path, O_RDWR)) < 0 ||
		    ftruncate(fd, fill(fd)) != 0)
			_exit(98);
		_exit(events_write(&o));
	}
	CHECK(to && wait(&status) > 0 && WIFEXITED(status));
	rewind(to);
	n = fread(got, 1, sizeof got - 1, to);
	got[n] = 0;
	fclose(to);
	for (char *p = got; (p = strpbrk(p, "\t")) != NULL;)
		*p = ' ';
	return WEXITSTATUS(status);
}

#define WRITES(by_stack, want)                      \
	do {                                        \
		CHECK(writes(by_stack) == 0);       \
		CHECK_TEXT(got, strlen(got), want); \
	} while (0)

static void
whole(void)
{
	make();
	WRITES(false,
	    "0 CPU#0 B 0x3000\n2 CPU#0 B 0x1000\n3 CPU#0 B 0x2000\n"
	    "5 CPU#0 E 0x2000\n5 CPU#0 E 0x1000\n9 CPU#0 E 0x3000 ~\n");
	/* callers that are not known have no address */
	f.record[3] = (struct record){5, H, 1, 0, FRESH | BORN};
	WRITES(true,
	    "0 stack#0 B 0x3000\n2 stack#0 B 0x1000\n3 stack#0 B 0x2000\n"
	    "5 stack#0 B [away]\n5 stack#1 B [lost] ~\n"
	    "5 stack#1 B <signal handler called>\n5 stack#1 B 0x1000\n"
	    "9 stack#0 E [away]\n9 stack#0 E 0x2000 ~\n"
	    "9 stack#0 E 0x1000 ~\n9 stack#0 E 0x3000 ~\n"
	    "9 stack#1 E 0x1000 ~\n9 stack#1 E <signal handler called> ~\n"
	    "9 stack#1 E [lost] ~\n");
	make();
	f.head.dropped = 1;
	CHECK(writes(false) == 0 &&
	      strstr(got, "1 calls on further stacks were left out"));
	/* no span, and so no record */
	make();
	f.head.spans = 2;
	f.head.records = 0;
	WRITES(false, "");
}

/* More records than are read at once. */
static void
many(void)
{
	size_t lines = 0;

	make();
	f.head.end = f.head.records = TRACE_MAX;
	for (size_t i = 0; i < TRACE_MAX; i++)
		f.record[i] = (struct record){
		    i, i % 2 ? F : BASE, 0, 0, i % 2 || i == 0 ? FRESH : 0};
	CHECK(writes(false) == 0);
	for (const char *p = got; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	/* f begins or ends, and all ends */
	CHECK(lines == TRACE_MAX + 2);
	CHECK(strncmp(got, "0 CPU#0 B 0x3000\n1 CPU#0 B 0x1000\n2 ", 36) == 0);
	CHECK(strstr(got, "\n8998 CPU#0 E 0x1000\n8999 CPU#0 B 0x1000\n"));
}

#define DAMAGED(change)                                                     \
	do {                                                                \
		make();                                                     \
		change;                                                     \
		CHECK(writes(false) == EXIT_SYSTEM);                        \
		CHECK(strstr(got, "the records of --trace are damaged\n")); \
	} while (0)

static void
damaged(void)
{
	DAMAGED(f.cut = 1);
	DAMAGED(f.cut = SIZE_MAX);
	DAMAGED(f.cut = 1 + 4 * 3 + SPANS * 16);
	DAMAGED(f.head.size = 0);
	DAMAGED(f.head.size++);
	DAMAGED(f.head.spans = 0);
	DAMAGED((f.head.records = 0, f.head.spans = 1));
	DAMAGED(f.head.spans++);
	DAMAGED(f.head.records = UINT64_MAX);
	DAMAGED(f.head.spans = UINT64_MAX);
	DAMAGED(f.more = 1);
	DAMAGED(f.more = UINT64_MAX);
	/* with which the size overflows to the right one */
	DAMAGED((f.head.spans = UINT64_MAX - 5, f.more = 6 + SPANS * 16));
	DAMAGED(f.head.spans += 1 + UINT64_MAX / 16);
	/* a span is its own parent, or comes before it, or is none */
	DAMAGED(f.span[G].parent = G);
	DAMAGED(f.span[G].parent = H);
	DAMAGED(f.span[BASE].parent = BASE);
	DAMAGED(f.span[BASE].kind = SPAN_NONE);
	DAMAGED(f.span[H].kind = SPAN_NONE);
	/* a record of no span, also among those that are read later */
	DAMAGED(f.record[0].span = 0);
	DAMAGED(f.record[3].span = SPANS);
	make();
	f.head.records = TRACE_MAX;
	for (size_t i = 4; i < TRACE_MAX; i++)
		f.record[i] = f.record[3];
	f.record[TRACE_MAX - 500].span = 0;
	CHECK(writes(false) == EXIT_SYSTEM);
}

int
main(void)
{
	whole();
	many();
	damaged();
	return unit_end();
}
