/* SPDX-License-Identifier: ISC */
#include "ending/ending.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "run.h"
#include "text/folded.h"

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

/* Bytes of a stack after which no frame begins: a message has few more. */
enum { STACK_BYTES = 1100 };

/*
 * Says `CPU#0: leaf < caller < ...` of a folded stack with a count, or of one
 * that was left how long ago that was. Returns how many of these there are.
 */
static uint64_t
say_stack(struct piece line, bool left)
{
	uint64_t insns = 0, all = 0;
	const char *count = memrchr(line.p, ' ', line.len);
	const char *p = line.p, *end = count ? count : p + line.len, *stop;
	struct piece *frame = NULL;
	struct buf b = BUF_INIT;
	size_t n = 0, cap = 0, first = 1;

	for (; p < end; p = stop + 1) {
		stop = folded_frame_end(p, end);
		*xpush(frame, n, cap) = (struct piece){p, (size_t)(stop - p)};
	}
	if (n > 0 && bytes_starts(frame[0].p, frame[0].len, "[left ")) {
		sscanf(frame[0].p, "[left %" SCNu64 " %" SCNu64, &insns, &all);
		first = 2;
	}
	for (size_t i = n; i-- > first;) {
		buf_adds(&b, i + 1 < n ? " < " : ": ");
		if (b.len > STACK_BYTES) {
			buf_adds(&b, "...");
			break;
		}
		buf_adds(&b, msg_text(frame[i].p, frame[i].len));
	}
	if (n > 1 && first == 1)
		msg("%s%s", msg_text(frame[0].p, frame[0].len), buf_str(&b));
	else if (n > first && left)
		msg("left %" PRIu64
		    " instructions before the end and not gone on%s",
		    insns, buf_str(&b));
	buf_done(&b);
	free(frame);
	return left ? all : 0;
}

/*
 * Says on which stacks the CPUs were, and with `left` which ones wait: whoever
 * has found what was sought has no use for those.
 */
static void
say_stacks(struct piece named, bool left)
{
	struct piece line;
	uint64_t all = 0;

	while (next_line(&named, &line))
		all = say_stack(line, left);
	if (all > END_LEFT)
		msg("%" PRIu64 " more stacks were left before these and have "
		    "not gone on",
		    all - END_LEFT);
}

bool
ending_of(const struct buf *lines, struct ending *e)
{
	struct piece rest = {lines->p, lines->len}, line;
	char text[256];

	*e = (struct ending){0};
	if (!next_line(&rest, &line))
		return false;
	snprintf(text, sizeof text, "%.*s", (int)line.len, line.p);
	return sscanf(text,
		   "%d %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %d %" SCNu64 " %d %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &e->why, &e->begun, &e->insns, &e->stacks, &e->all, &e->lost,
		   &e->seen, &e->by, &e->home, &e->rootless, &e->judged,
		   &e->differ) >= 10;
}

/* Why the count ended, and what it has. */
static void
say_ending(
    const struct options *o, const struct ending *e, bool asked, bool at_line)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "ended ");
	if (asked)
		buf_adds(&b, "by a signal ");
	else if (o->over)
		buf_adds(&b, "by --duration ");
	else if (e->why == END_UNTIL || at_line)
		buf_printf(&b, "at %s%s ", msg_str(o->until),
		    at_line ? ", the guest being idle," : "");
	else if (e->why == END_EXIT)
		buf_adds(&b, "with QEMU ");
	buf_printf(&b, "after %" PRIu64 " instructions%s", e->insns,
	    e->insns == 0 && (o->from || o->in) ? " of the range" : "");
	if (!o->request.trace.on) /* which adds up no stacks */
		buf_printf(&b, ", in %" PRIu64 " stack%s", e->stacks,
		    e->stacks == 1 ? "" : "s");
	if (e->lost > 0)
		buf_printf(&b, ", %.1f %% of the %s [lost]",
		    100 * (double)e->lost / (double)e->all, o->what);
	if (e->rootless > 0)
		buf_printf(&b,
		    "; the outermost callers of %.1f %% of the %s are not "
		    "known",
		    100 * (double)e->rootless / (double)e->all, o->what);
	msg("%s", buf_str(&b));
	buf_done(&b);
}

/* Where the kernel's code was. */
static void
say_place(const char *path, const struct ending *e)
{
	const bool below = e->by >> 63;

	msg("%s %s at its addresses %c 0x%" PRIx64 "%s", msg_str(path),
	    e->home ? "ran" : "runs", below ? '-' : '+', below ? -e->by : e->by,
	    e->home ? ", and then where it is linked" : "");
}

int
ending_say(const struct options *o, const struct buf *lines,
    const struct buf *names, bool asked, bool at_line, bool *empty)
{
	struct ending e;
	const char *never;

	if (!ending_of(lines, &e))
		return EXIT_OK;
	never = !e.begun ? "--from" : o->in && e.insns == 0 ? "--in" : NULL;
	*empty = never != NULL;
	if (never)
		msg("%s: %s never came%s", never,
		    msg_str(e.begun ? o->in : o->from),
		    o->icount ? "; what waits for a time comes sooner with "
				"--no-icount"
			      : "");
	say_ending(o, &e, asked, at_line);
	say_stacks((struct piece){names->p, names->len},
	    strcmp(o->what, "waiting") == 0 || asked ||
		(o->until && e.why != END_UNTIL && !at_line));
	if (o->elf.n > 0 && e.by != 0)
		say_place(o->elf.use[0].arg, &e);
	if (o->elf.n > 0 && !e.seen)
		msg("none of the code of %s was executed: is it another "
		    "kernel's file?",
		    msg_str(o->elf.use[0].arg));
	/* a signal may come early; a file that was found was not asked for */
	if (never || (o->elf.n > 0 && !e.seen && !asked && !o->found))
		return EXIT_FAILED;
	return EXIT_OK;
}
