/* SPDX-License-Identifier: ISC */
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/in.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "set/bound.h"
#include "folder/data.h"

/* The longest text of tracefs, and bounds for a page. */
enum { TEXT_MAX = 1 << 16, PAGE_MIN = 64, PAGE_MAX = 1 << 18 };

/* `field:TYPE NAME;  offset:N;  size:N;` of the page's header or an event. */
static void
take_field(struct kheader *h, struct kformat *e, const char *line)
{
	const struct {
		const char *name;
		struct kfield *field;
	} known[] = {{"timestamp", e ? NULL : &h->time},
	    {"commit", e ? NULL : &h->commit}, {"data", e ? NULL : &h->data},
	    {"common_type", e ? &h->type : NULL},
	    {"common_pid", e ? &e->pid : NULL}, {"func", e ? &e->func : NULL},
	    {"next_pid", e ? &e->other : NULL},
	    {"pid", e && e->other.size == 0 ? &e->other : NULL}};
	char decl[256], *name;
	struct kfield f;

	if (sscanf(line, " field:%255[^;]; offset:%" SCNu32 "; size:%" SCNu32,
		decl, &f.at, &f.size) != 3 ||
	    f.at > UINT16_MAX)
		return;
	name = strrchr(decl, ' ');
	name = name ? name + 1 : decl;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].field && strcmp(name, known[i].name) == 0)
			*known[i].field = f;
}

/* The text of a file of tracefs. */
static void
take_text(struct kheader *h, const char *path, char *text)
{
	bool is_page = strcmp(path, "events/header_page") == 0;
	struct kformat e = {.id = UINT64_MAX, .kind = EVENT_INSTANT};
	char system[64], name[64], *save = NULL;
	struct buf b = BUF_INIT;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		sscanf(line, "ID: %" SCNu64, &e.id);
		take_field(h, is_page ? NULL : &e, line);
	}
	if (is_page || e.id == UINT64_MAX ||
	    sscanf(path, "events/%63[^/]/%63[^/]/format", system, name) != 2)
		return;
	if (strcmp(name, "funcgraph_entry") == 0)
		e.kind = EVENT_BEGIN;
	else if (strcmp(name, "funcgraph_exit") == 0)
		e.kind = EVENT_END;
	buf_printf(&b, "%s:%s", system, name);
	e.name = buf_str(&b);
	h->formats = xreallocn(h->formats, h->n + 1, sizeof *h->formats);
	h->formats[h->n++] = e;
}

/* After `TRACEFS: PATH: LENGTH`, a text of that length. */
static bool
take_section(struct kheader *h, struct in *in, const char *path, uint64_t n)
{
	char *text;

	if (n > TEXT_MAX || in_fill(in, n) < n)
		return false;
	text = xmemdup0(in->p, n);
	for (size_t i = 0; i < n; i++)
		in->line += in->p[i] == '\n';
	in->p += n;
	take_text(h, path, text);
	free(text);
	return true;
}

static bool
take_line(struct kheader *h, struct in *in, const char *line, size_t len)
{
	char text[512], path[256];
	uint64_t n;

	snprintf(text, sizeof text, "%.*s", (int)len, line);
	if (sscanf(text, "TRACEFS: %255[^:]: %" SCNu64, path, &n) == 2)
		return take_section(h, in, path, n);
	if (sscanf(text, "PAGE_SIZE: %" SCNu64, &n) == 1) {
		h->page = n;
	} else if (sscanf(text, "LONG_SIZE: %" SCNu64, &n) == 1) {
		h->commit.size = n == 4 || n == 8 ? (uint32_t)n : 0;
		h->data.at = 8 + h->commit.size;
	} else if (strncmp(text, "ENDIAN: ", 8) == 0) {
		h->big = text[8] == 'B';
	}
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

void
kheader_read(struct kheader *h, const char *dir, bool big)
{
	char *path = lines_path(dir, "kernel_header");
	const char *line;
	struct in in;
	size_t len;

	*h = (struct kheader){.big = big,
	    .time.size = 8,
	    .commit = {8, 8},
	    .data.at = 16,
	    .bad.what = "line that does not belong to a kernel_header"};
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
		qsort(h->formats, h->n, sizeof *h->formats, bound_compare);
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
	return bsearch(
	    &id, h->formats, h->n, sizeof *h->formats, bound_compare);
}
