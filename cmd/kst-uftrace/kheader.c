/* SPDX-License-Identifier: ISC */
#include "beside.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/in.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "folder/lines.h"

/* The longest text of tracefs, and bounds for a page. */
enum { TEXT_MAX = 1 << 16, PAGE_MIN = 64, PAGE_MAX = 1 << 18 };

/* `KEY` and a number after it on the line. */
static bool
number_after(const char *p, size_t len, const char *key, uint64_t *v)
{
	size_t n = strlen(key), digits = 0;

	while (len >= n && memcmp(p, key, n) != 0) {
		p++;
		len--;
	}
	if (len < n)
		return false;
	p += n;
	len -= n;
	while (digits < len && p[digits] >= '0' && p[digits] <= '9')
		digits++;
	return num_u64(p, digits, v) == 0;
}

/* `field:TYPE NAME;  offset:N;  size:N;` */
static bool
field_line(const char *p, size_t len, const char **name, size_t *name_len,
    struct kfield *f)
{
	const char *end, *w;
	uint64_t at, size;

	while (len > 0 && (*p == '\t' || *p == ' ')) {
		p++;
		len--;
	}
	if (!bytes_starts(p, len, "field:") || !(end = memchr(p, ';', len)) ||
	    !number_after(end, len - (size_t)(end - p), "offset:", &at) ||
	    !number_after(end, len - (size_t)(end - p), "size:", &size) ||
	    at > UINT16_MAX)
		return false;
	for (w = end; w > p && w[-1] != ' ' && w[-1] != ':';)
		w--;
	*name = w;
	*name_len = (size_t)(end - w);
	f->at = (uint32_t)at;
	f->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	return true;
}

/* The fields of the page's header, or of an event. */
static void
take_field(struct kheader *h, struct kformat *e, const char *line, size_t len)
{
	const struct {
		const char *name;
		struct kfield *field;
	} known[] = {{"timestamp", e ? NULL : &h->time},
	    {"commit", e ? NULL : &h->commit}, {"data", e ? NULL : &h->data},
	    {"common_type", e ? &h->type : NULL},
	    {"common_pid", e ? &e->pid : NULL}, {"func", e ? &e->func : NULL},
	    {"next_pid", e ? &e->other : NULL}};
	const char *name;
	struct kfield f;
	size_t n;

	if (!field_line(line, len, &name, &n, &f))
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].field && bytes_is(name, n, known[i].name))
			*known[i].field = f;
	if (e && e->other.size == 0 && bytes_is(name, n, "pid"))
		e->other = f;
}

/* The text of PATH, a file of tracefs. */
static void
take_text(struct kheader *h, const char *path, size_t path_len,
    const char *text, size_t len)
{
	static const char events[] = "events/", format[] = "/format";
	bool is_page = bytes_is(path, path_len, "events/header_page");
	struct kformat e = {.id = UINT64_MAX, .kind = RECORD_EVENT};
	const char *end = text + len, *nl;

	for (const char *p = text; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		if (bytes_starts(p, (size_t)(nl - p), "ID: "))
			number_after(p, (size_t)(nl - p), "ID: ", &e.id);
		take_field(h, is_page ? NULL : &e, p, (size_t)(nl - p));
	}
	if (is_page || e.id == UINT64_MAX ||
	    !bytes_starts(path, path_len, events) ||
	    !bytes_ends(path, path_len, format) ||
	    path_len < sizeof events + sizeof format)
		return;
	e.name = xmemdup0(path + sizeof events - 1,
	    path_len - (sizeof events - 1) - (sizeof format - 1));
	if (strchr(e.name, '/'))
		*strchr(e.name, '/') = ':';
	if (strcmp(e.name, "ftrace:funcgraph_entry") == 0)
		e.kind = RECORD_ENTRY;
	else if (strcmp(e.name, "ftrace:funcgraph_exit") == 0)
		e.kind = RECORD_EXIT;
	h->formats = xreallocn(h->formats, h->n + 1, sizeof *h->formats);
	h->formats[h->n++] = e;
}

/* `TRACEFS: PATH: LENGTH`, and a text of that length. */
static bool
take_section(struct kheader *h, struct in *in, const char *p, size_t len)
{
	const char *colon = memchr(p, ':', len);
	char *path;
	size_t path_len;
	uint64_t n;

	if (!colon || !number_after(colon, len - (size_t)(colon - p), ": ", &n))
		return false;
	path_len = (size_t)(colon - p);
	path = xmemdup0(p, path_len); /* in_fill() moves the line */
	if (n <= TEXT_MAX && in_fill(in, n) >= n) {
		take_text(h, path, path_len, in->p, n);
		for (size_t i = 0; i < n; i++)
			in->line += in->p[i] == '\n';
		in->p += n;
	} else {
		n = UINT64_MAX;
	}
	free(path);
	return n != UINT64_MAX;
}

static bool
take_line(struct kheader *h, struct in *in, const char *line, size_t len)
{
	static const char tracefs[] = "TRACEFS: ";
	uint64_t size;

	if (bytes_starts(line, len, tracefs))
		return take_section(h, in, line + sizeof tracefs - 1,
		    len - (sizeof tracefs - 1));
	if (bytes_starts(line, len, "PAGE_SIZE: "))
		return number_after(line, len, ": ", &h->page);
	if (bytes_starts(line, len, "LONG_SIZE: ")) {
		if (!number_after(line, len, ": ", &size) ||
		    (size != 4 && size != 8))
			return false;
		h->commit.size = (uint32_t)size;
		h->data.at = 8 + (uint32_t)size;
		return true;
	}
	if (bytes_starts(line, len, "ENDIAN: "))
		h->big = bytes_starts(line, len, "ENDIAN: BE");
	return true;
}

/* Numbers of 1 to 8 bytes, in the order of a page. */
static bool
is_sane(const struct kheader *h)
{
	return h->page >= PAGE_MIN && h->page <= PAGE_MAX &&
	       h->time.size == 8 &&
	       (h->commit.size == 4 || h->commit.size == 8) &&
	       h->time.at + h->time.size <= h->data.at &&
	       h->commit.at + h->commit.size <= h->data.at &&
	       h->data.at < h->page && h->n > 0;
}

static int
by_id(const void *pa, const void *pb)
{
	const struct kformat *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

void
kheader_read(struct kheader *h, const char *dir, bool big)
{
	char *path = lines_path(dir, "kernel_header");
	const char *line;
	struct in in;
	size_t len;

	memset(h, 0, sizeof *h);
	h->big = big;
	h->time.size = h->commit.at = h->commit.size = 8;
	h->data.at = 16;
	h->bad.what = "line that does not belong to a kernel_header";
	in_init_folder(&in, &path, 1, 1 << 14);
	while (in_next(&in, &line, &len))
		if (!take_line(h, &in, line, len))
			fault_say(&h->bad, &in, "not understood");
	h->failed = in_failed(&in) || fault_sum(&h->bad, 1) != 0;
	if (!in_failed(&in) && !is_sane(h)) {
		msg("%s: it does not tell how the kernel's records are laid "
		    "out",
		    msg_str(path));
		h->failed = true;
		h->page = 0;
	}
	in_done(&in);
	free(path);
	if (h->n)
		qsort(h->formats, h->n, sizeof *h->formats, by_id);
}

void
kheader_done(struct kheader *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->formats[i].name);
	free(h->formats);
}

const struct kformat *
kheader_format(const struct kheader *h, uint64_t id)
{
	const struct kformat key = {.id = id};

	return bsearch(&key, h->formats, h->n, sizeof key, by_id);
}
