/* SPDX-License-Identifier: ISC */
#include "events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "io/out.h"
#include "naming.h"
#include "run.h"
#include "text/events.h"
#include "trace/pack.h"
#include "emit.h"

/* Bytes that are read at once. */
enum { BATCH = 1 << 16 };

static int file = -1;

int
events_open(struct trace_ask *ask)
{
	file = naming_file();
	snprintf(ask->path, sizeof ask->path, "/proc/%ld/fd/%d", (long)getpid(),
	    file);
	return file < 0 ? -1 : 0;
}

/* Adds the functions of that name. */
static void
add_only(struct elfsym *s, const char *name, bool plain, struct trace_ask *ask)
{
	struct elfsym_func f;

	for (size_t i = 0; s && elfsym_nth(s, i, &f); i++) {
		if (!naming_is(&f, name, plain))
			continue;
		if (ask->n_only == TRACE_ONLY)
			opt_wrong("--only: more than %d functions", TRACE_ONLY);
		ask->only[ask->n_only++] = f.start;
	}
}

void
events_only(struct elfsym *s, const struct opt_list *only, bool modules,
    struct trace_ask *ask)
{
	ask->only_given = true;
	for (size_t k = 0; k < only->n; k++) {
		const char *name = only->use[k].arg;
		const uint32_t before = ask->n_only;

		if (modules && naming_is_module(name))
			continue; /* known when its module is there */
		for (int plain = 0; plain < 2 && ask->n_only == before; plain++)
			add_only(s, name, plain, ask);
		if (s == NULL)
			opt_wrong("--only: where the function '%s' is, is told "
				  "by the kernel's file: give it with -e",
			    msg_str(name));
		if (ask->n_only == before)
			opt_wrong("--only: no function '%s' in the kernel's "
				  "ELF file" NAMING_INLINED,
			    msg_str(name));
	}
}

/* Names -------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
gather_addresses(struct events *e)
{
	size_t n = 0;

	e->addr = xreallocn(NULL, e->head.spans + 1, sizeof *e->addr);
	for (uint64_t i = 0; i < e->head.spans; i++)
		if (e->span[i].kind != SPAN_NONE)
			e->addr[n++] = e->span[i].addr;
	qsort(e->addr, n, sizeof *e->addr, compare);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || e->addr[i] != e->addr[i - 1])
			e->addr[e->n_addr++] = e->addr[i];
}

/* `end`: where the name of each address ends in `names`. */
static void
set_names(struct events *e, const size_t *end)
{
	e->name = xcalloc(e->head.spans, sizeof *e->name);
	for (uint64_t i = 0; i < e->head.spans; i++) {
		const uint64_t *at;
		size_t n, from;

		if (e->span[i].kind == SPAN_NONE)
			continue;
		at = bsearch(&e->span[i].addr, e->addr, e->n_addr,
		    sizeof *e->addr, compare);
		n = (size_t)(at - e->addr);
		from = n > 0 ? end[n - 1] : 0;
		e->name[i] = (struct piece){e->names.p + from, end[n] - from};
		if (e->span[i].kind == SPAN_LOST)
			e->name[i] = (struct piece){"[lost]", 6};
	}
}

/* Takes the names off the lines of the file, in the order of addresses. */
static int
take_names(struct events *e, int named)
{
	const off_t size = lseek(named, 0, SEEK_END);
	struct buf text = BUF_INIT;
	size_t *end, n = 0;
	const char *p, *stop;

	buf_room(&text, (size_t)size);
	if (pread(named, text.p, (size_t)size, 0) != size) {
		msg_errno("a temporary file");
		buf_done(&text);
		return EXIT_SYSTEM;
	}
	end = xreallocn(NULL, e->n_addr + 1, sizeof *end);
	for (p = text.p;
	     n < e->n_addr &&
	     (stop = memchr(p, '\n', (size_t)(text.p + size - p))) != NULL;
	     p = stop + 1) {
		const char *count = memrchr(p, ' ', (size_t)(stop - p));

		event_escape(
		    &e->names, p, (size_t)((count ? count : stop) - p));
		end[n++] = e->names.len;
	}
	if (n == e->n_addr)
		set_names(e, end);
	free(end);
	buf_done(&text);
	return n == e->n_addr ? EXIT_OK : EXIT_SYSTEM;
}

/* Has kst-sym name the addresses. Returns an exit status. */
static int
find_names(struct events *e, const struct options *o)
{
	int names = naming_file(), status = EXIT_SYSTEM;
	struct buf b = BUF_INIT;

	gather_addresses(e);
	for (size_t i = 0; i < e->n_addr; i++)
		buf_printf(&b, "0x%" PRIx64 " 1\n", e->addr[i]);
	if (names >= 0 && write(names, b.p, b.len) != (ssize_t)b.len)
		msg_errno("a temporary file");
	else if (names >= 0)
		status = naming_run(
		    o, &names, (const char *[]){"--no-inline", NULL});
	if (status <= EXIT_FAILED) {
		const int taken = take_names(e, names);

		status = taken > status ? taken : status;
	}
	buf_done(&b);
	if (names >= 0)
		close(names);
	return status;
}

/* The file ----------------------------------------------------------------- */

static bool
read_all(void *to, size_t size, off_t at)
{
	char *p = to;
	ssize_t n;

	for (; size > 0 && (n = pread(file, p, size, at)) > 0; p += n, at += n)
		size -= (size_t)n;
	return size == 0;
}

/* The head and the spans, of which each parent comes before its children. */
static bool
read_spans(struct events *e)
{
	const off_t size = lseek(file, 0, SEEK_END);
	struct trace_head *h = &e->head;
	const uint64_t unit = sizeof *e->span;

	if (!read_all(h, sizeof *h, 0) || h->size != sizeof *h ||
	    h->spans > (uint64_t)size / unit || h->bytes > (uint64_t)size ||
	    sizeof *h + h->bytes + h->spans * unit != (uint64_t)size)
		return false;
	e->span = xreallocn(NULL, h->spans + 1, unit);
	e->depth = xcalloc(h->spans + 1, sizeof *e->depth);
	if (!read_all(e->span, h->spans * unit, (off_t)(sizeof *h + h->bytes)))
		return false;
	for (uint64_t i = NO_SPAN + 1; i < h->spans; i++) {
		const uint32_t parent = e->span[i].parent;

		if (parent >= i || e->span[i].kind == SPAN_NONE)
			return false;
		e->depth[i] = e->depth[parent] + 1;
	}
	return h->spans > NO_SPAN;
}

/* Those of the next bytes of the file; `end` is where records end. Counts
 * them in *n.
 */
static bool
write_some(
    struct events *e, struct record *r, uint64_t *at, uint64_t end, uint64_t *n)
{
	uint8_t bytes[BATCH];
	const uint64_t left = end - *at;
	const size_t size = left < BATCH ? left : BATCH;
	const uint8_t *p = bytes, *stop = bytes + size;

	if (!read_all(bytes, size, (off_t)*at))
		return false;
	for (; p < stop && (size == left || stop - p >= PACK_MOST); ++*n) {
		p = pack_get(p, stop, r);
		if (p == NULL || r->span == 0 || r->span >= e->head.spans)
			return false;
		emit_record(e, r);
	}
	*at += (uint64_t)(p - bytes);
	return true;
}

static bool
write_records(struct events *e)
{
	uint64_t at = sizeof e->head, end = at + e->head.bytes, n = 0;
	struct record r = {0};
	bool good = true;

	while (good && at < end)
		good = write_some(e, &r, &at, end, &n);
	emit_end(e);
	return good && n == e->head.records;
}

/* No call of what --only or --in names was seen. */
static void
say_none(const struct options *o)
{
	struct buf names = BUF_INIT;

	if (o->only.n == 0)
		buf_adds(&names, msg_str(o->in));
	for (size_t i = 0; i < o->only.n; i++) {
		buf_adds(&names, i ? " or " : "");
		buf_adds(&names, msg_str(o->only.use[i].arg));
	}
	msg("nothing called %s, or jumped to its beginning; inlined copies "
	    "have no calls",
	    buf_str(&names));
	buf_done(&names);
}

static int
write_events(struct events *e, const struct options *o)
{
	int status;

	if (!read_spans(e)) {
		msg("the records of --trace are damaged");
		return EXIT_SYSTEM;
	}
	status = find_names(e, o);
	if (status > EXIT_FAILED)
		return status;
	if (!write_records(e)) {
		msg("the records of --trace are damaged");
		return EXIT_SYSTEM;
	}
	if (e->head.dropped > 0)
		msg("%" PRIu64 " calls on further stacks were left out: "
		    "restrict them with --depth, --only or --in",
		    e->head.dropped);
	if (!e->any && (o->only.n > 0 || o->in)) {
		say_none(o);
		return msg_status(EXIT_FAILED);
	}
	return status;
}

int
events_write(const struct options *o)
{
	struct events e = {
	    .running = NO_TRACK, .by_stack = strcmp(o->by, "stack") == 0};
	int status = write_events(&e, o);

	free(e.span);
	free(e.depth);
	free(e.addr);
	free(e.name);
	buf_done(&e.names);
	return out_end(status);
}
