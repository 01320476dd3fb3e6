/* SPDX-License-Identifier: ISC */
/*
 * pprof's format: fields may come in any order, so each sample, location,
 * function and text is written as soon as it is known.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "set/intern.h"
#include "text/pprof.h"

enum { FIELDS_MAX = 1 << 16, LEVEL = 1 };

struct packer {
	struct export *e;
	struct intern *strings;
	struct mapping {
		uint64_t start, limit, build_id;
	} kernel;
	struct buf fields;	    /* of the profile, to be packed */
	struct buf message, within; /* one of it; one within that */
	z_stream z;
};

static void
pack(struct packer *w, int flush)
{
	w->z.next_in = (unsigned char *)w->fields.p;
	w->z.avail_in = (unsigned)w->fields.len;
	do {
		out_room(1 << 12);
		w->z.next_out = (unsigned char *)out.p + out.len;
		w->z.avail_out = (unsigned)(out.cap - out.len);
		deflate(&w->z, flush);
		out.len = out.cap - w->z.avail_out;
	} while (w->z.avail_out == 0);
	w->fields.len = 0;
}

static void
put_number(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

static void
put_value(struct buf *b, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	put_number(b, field << 3 | WIRE_NUMBER);
	put_number(b, v);
}

static void
put_bytes(struct buf *b, unsigned field, const char *p, size_t len)
{
	put_number(b, field << 3 | WIRE_BYTES);
	put_number(b, len);
	buf_add(b, p, len);
}

/* Adds a message to one that holds it, and empties it. */
static void
put_message(struct buf *b, unsigned field, struct buf *message)
{
	put_bytes(b, field, message->p, message->len);
	message->len = 0;
}

/* Adds a message to the profile. */
static void
put(struct packer *w, unsigned field)
{
	put_message(&w->fields, field, &w->message);
	if (w->fields.len >= FIELDS_MAX)
		pack(w, Z_NO_FLUSH);
}

static uint64_t
string(struct packer *w, const char *p, size_t len)
{
	p = export_utf8(w->e, p, len);
	return intern_id(w->strings, p, strlen(p));
}

static uint64_t
word(struct packer *w, const char *s)
{
	return string(w, s, strlen(s));
}

static void
put_sample(struct packer *w, uint32_t stack)
{
	static const char *const keys[] = {"thread", "state", "process"};
	struct export *e = w->e;
	struct buf *sample = &w->message, *b = &w->within;
	size_t n, len;
	const uint32_t *ids = table_stack(e->stacks, stack, &n);

	for (size_t i = LABELS; i < n; i++)
		put_number(b, (uint64_t)ids[i] + 1);
	if (n > LABELS)
		put_message(sample, SAMPLE_LOCATION, b);
	put_number(b, export_whole(e, table_count(e->stacks, stack, 0)));
	put_message(sample, SAMPLE_VALUE, b);
	for (int i = 0; i < LABELS; i++) {
		const char *p = table_name_text(e->fold.table, ids[i], &len);

		if (*p == '[')
			continue;
		put_value(b, LABEL_KEY,
		    word(w, bytes_starts(p, len, "CPU#") ? "cpu" : keys[i]));
		put_value(b, LABEL_TEXT, string(w, p, len));
		put_message(sample, SAMPLE_LABEL, b);
	}
	put(w, PROFILE_SAMPLE);
}

/* A location and its function, which have the same id. */
static void
put_location(struct packer *w, uint32_t id)
{
	struct frame_place p = export_place(w->e, id);
	struct mapping *k = &w->kernel;
	uint64_t number = (uint64_t)id + 1, at = p.at.address;
	uint64_t name = string(w, p.name, p.name_len),
		 file = string(w, p.file, p.file_len);
	bool mapped = at && !p.at.is_user && k->build_id;

	if (mapped) {
		if (k->limit == 0 || at < k->start)
			k->start = at;
		if (at >= k->limit)
			k->limit = at + (at < UINT64_MAX);
	}
	put_value(&w->message, LOCATION_ID, number);
	put_value(&w->message, LOCATION_MAPPING, mapped);
	put_value(&w->message, LOCATION_ADDRESS, at);
	put_value(&w->within, LINE_FUNCTION, number);
	put_value(&w->within, LINE_NUMBER, p.line);
	put_message(&w->message, LOCATION_LINE, &w->within);
	put(w, PROFILE_LOCATION);
	put_value(&w->message, FUNCTION_ID, number);
	put_value(&w->message, FUNCTION_NAME, name);
	put_value(&w->message, FUNCTION_SYSTEM_NAME, name);
	put_value(&w->message, FUNCTION_FILE, file);
	put(w, PROFILE_FUNCTION);
}

/* Seconds of the trailer in ns, or 0. */
static int64_t
time_of(const struct packer *w, const char *key)
{
	struct count c;

	if (!trailer_count(&w->e->fold.origin.sum, key, &c) ||
	    c.whole > INT64_MAX / 1000000000 - 1)
		return 0;
	return (int64_t)(c.whole * 1000000000 + c.frac / 1000000000);
}

static void
put_type(struct packer *w, unsigned field, const char *type, const char *unit)
{
	put_value(&w->message, TYPE_TYPE, word(w, type));
	put_value(&w->message, TYPE_UNIT, word(w, unit));
	put(w, field);
}

/* What counts are, and where they come from: as a comment, for kst-import. */
static void
put_origin(struct packer *w)
{
	const struct trailer *t = &w->e->fold.origin.sum;
	const char *unit = export_unit(w->e);
	bool is_time = strcmp(unit, "ns") == 0;
	int64_t begin = time_of(w, "begin"), duration = time_of(w, "seconds");
	struct buf text = BUF_INIT;
	struct count rate;

	put_type(w, PROFILE_SAMPLE_TYPE, is_time ? "time" : unit,
	    is_time			 ? "nanoseconds"
	    : strcmp(unit, "bytes") == 0 ? unit
					 : "count");
	if (duration == 0)
		duration = time_of(w, "end") - begin;
	put_value(&w->fields, PROFILE_TIME, (uint64_t)begin);
	put_value(&w->fields, PROFILE_DURATION, (uint64_t)duration);
	if (trailer_count(t, "rate", &rate) && count_real(&rate) >= 1e-9) {
		put_type(w, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		put_value(&w->fields, PROFILE_PERIOD,
		    (uint64_t)(1e9 / count_real(&rate) + 0.5));
	}
	trailer_put(t, &text);
	if (text.len) /* without LF */
		put_value(&w->fields, PROFILE_COMMENT,
		    string(w, text.p, text.len - 1));
	buf_done(&text);
}

/* After all locations, which tell its addresses. */
static void
put_kernel(struct packer *w)
{
	struct buf *m = &w->message;

	if (w->kernel.limit == 0)
		return;
	put_value(m, MAPPING_ID, 1);
	put_value(m, MAPPING_START, w->kernel.start);
	put_value(m, MAPPING_LIMIT, w->kernel.limit);
	put_value(m, MAPPING_FILE, word(w, "kernel"));
	put_value(m, MAPPING_BUILD_ID, w->kernel.build_id);
	put_value(m, MAPPING_HAS_FUNCTIONS, true);
	put_value(m, MAPPING_HAS_FILES, true);
	put_value(m, MAPPING_HAS_LINES, true);
	put(w, PROFILE_MAPPING);
}

static void
put_strings(struct packer *w)
{
	for (uint32_t i = 0; i < intern_count(w->strings); i++) {
		size_t len;
		const char *p = intern_str(w->strings, i, &len);

		buf_add(&w->message, p, len);
		put(w, PROFILE_STRING);
	}
}

static void
write_pprof(struct export *e)
{
	/* who wrote the file, for the next -o (kst-export/main.c) */
	static unsigned char creator[] = "kst-export profile";
	gz_header head = {.os = 255, .comment = creator};
	struct packer w = {.e = e, .strings = intern_new()};
	const char *build_id = trailer_get(&e->fold.origin.sum, "build-id");

	if (e->stacks->total.whole > INT64_MAX && e->left_out.n++ == 0)
		msg("counts beyond 63 bits");
	if (deflateInit2(&w.z, LEVEL, Z_DEFLATED, 16 + MAX_WBITS, 8,
		Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflateSetHeader(&w.z, &head) != Z_OK)
		msg_die(EXIT_SYSTEM, "out of memory");
	word(&w, ""); /* number 0 */
	w.kernel.build_id = word(&w, build_id ? build_id : "");
	put_origin(&w);
	for (size_t i = 0; i < table_stacks(e->stacks); i++)
		put_sample(&w, (uint32_t)i);
	for (uint32_t i = 0; i < table_names(e->stacks); i++)
		put_location(&w, i);
	put_kernel(&w);
	put_strings(&w);
	pack(&w, Z_FINISH);
	deflateEnd(&w.z);
	buf_done(&w.fields);
	buf_done(&w.message);
	buf_done(&w.within);
	intern_free(w.strings);
}

const struct export_format format_pprof = {
    .write = write_pprof, .addresses = true};
