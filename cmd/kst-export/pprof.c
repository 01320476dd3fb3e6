/* SPDX-License-Identifier: ISC */
/*
 * pprof's format: fields may come in any order and number, so each sample,
 * location, function and text is packed as a profile of its own.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "pprof.pb-c.h"
#include "set/intern.h"

struct packer {
	struct export *e;
	Pprof__Profile p; /* what is packed next */
	Pprof__Mapping kernel;
	struct intern *strings;
	struct buf packed;
	z_stream z;
};

static void
pack(struct packer *w, const void *p, size_t len, int flush)
{
	w->z.next_in = (unsigned char *)(uintptr_t)p;
	w->z.avail_in = (unsigned)len;
	do {
		out_room(1 << 12);
		w->z.next_out = (unsigned char *)out.p + out.len;
		w->z.avail_out = (unsigned)(out.cap - out.len);
		deflate(&w->z, flush);
		out.len = out.cap - w->z.avail_out;
	} while (w->z.avail_out == 0);
}

/* Writes what is in w->p, and empties it. */
static void
put(struct packer *w)
{
	w->packed.len = 0;
	buf_room(&w->packed, pprof__profile__get_packed_size(&w->p) + 1);
	w->packed.len =
	    pprof__profile__pack(&w->p, (unsigned char *)w->packed.p);
	pack(w, w->packed.p, w->packed.len, Z_NO_FLUSH);
	pprof__profile__init(&w->p);
}

static int64_t
string(struct packer *w, const char *p, size_t len)
{
	p = export_utf8(w->e, p, len);
	return intern_id(w->strings, p, strlen(p));
}

static int64_t
word(struct packer *w, const char *s)
{
	return string(w, s, strlen(s));
}

static void
put_sample(struct packer *w, uint32_t stack)
{
	static const char *const keys[] = {"thread", "state", "process"};
	struct export *e = w->e;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *samples = &s;
	Pprof__Label labels[LABELS], *label[LABELS];
	size_t n, len;
	const uint32_t *ids = table_stack(e->stacks, stack, &n);
	int64_t value =
	    (int64_t)export_whole(e, table_count(e->stacks, stack, 0));

	s.label = label;
	for (int i = 0; i < LABELS; i++) {
		const char *p = table_name_text(e->fold.table, ids[i], &len);

		if (*p == '[')
			continue;
		label[s.n_label] = &labels[i];
		pprof__label__init(label[s.n_label]);
		label[s.n_label]->key =
		    word(w, bytes_starts(p, len, "CPU#") ? "cpu" : keys[i]);
		label[s.n_label++]->str = string(w, p, len);
	}
	s.n_location_id = n - LABELS;
	s.location_id = xreallocn(NULL, n, sizeof *s.location_id);
	for (size_t i = 0; i < s.n_location_id; i++)
		s.location_id[i] = (uint64_t)ids[LABELS + i] + 1;
	s.n_value = 1;
	s.value = &value;
	w->p.n_sample = 1;
	w->p.sample = &samples;
	put(w);
	free(s.location_id);
}

/* A location and its function, which have the same id. */
static void
put_location(struct packer *w, uint32_t id)
{
	Pprof__Location l = PPROF__LOCATION__INIT, *locations = &l;
	Pprof__Function f = PPROF__FUNCTION__INIT, *functions = &f;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	Pprof__Mapping *m = &w->kernel;
	struct frame_place p = export_place(w->e, id);

	f.id = l.id = line.function_id = (uint64_t)id + 1;
	f.name = f.system_name = string(w, p.name, p.name_len);
	f.filename = string(w, p.file, p.file_len);
	line.line = (int64_t)p.line;
	l.address = p.at.address;
	if (l.address && !p.at.is_user && m->build_id) {
		l.mapping_id = m->id = 1;
		if (m->memory_limit == 0 || l.address < m->memory_start)
			m->memory_start = l.address;
		if (l.address >= m->memory_limit)
			m->memory_limit = l.address + (l.address < UINT64_MAX);
	}
	l.n_line = 1;
	l.line = &lines;
	w->p.n_location = w->p.n_function = 1;
	w->p.location = &locations;
	w->p.function = &functions;
	put(w);
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

/* What counts are, and where they come from: as a comment, for kst-import. */
static void
put_origin(struct packer *w)
{
	const struct trailer *t = &w->e->fold.origin.sum;
	const char *unit = export_unit(w->e);
	bool is_time = strcmp(unit, "ns") == 0;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	struct buf text = BUF_INIT;
	struct count rate;
	int64_t comment;

	type.type = word(w, is_time ? "time" : unit);
	type.unit = word(w, is_time			 ? "nanoseconds"
			    : strcmp(unit, "bytes") == 0 ? unit
							 : "count");
	w->p.n_sample_type = 1;
	w->p.sample_type = &types;
	w->p.time_nanos = time_of(w, "begin");
	w->p.duration_nanos = time_of(w, "seconds");
	if (w->p.duration_nanos == 0)
		w->p.duration_nanos = time_of(w, "end") - w->p.time_nanos;
	if (trailer_count(t, "rate", &rate) && count_real(&rate) >= 1e-9) {
		period.type = word(w, "cpu");
		period.unit = word(w, "nanoseconds");
		w->p.period_type = &period;
		w->p.period = (int64_t)(1e9 / count_real(&rate) + 0.5);
	}
	trailer_put(t, &text);
	if (text.len)
		comment = string(w, text.p, text.len - 1); /* without LF */
	w->p.n_comment = text.len > 0;
	w->p.comment = &comment;
	put(w);
	buf_done(&text);
}

/* After all locations, which tell its addresses. */
static void
put_kernel(struct packer *w)
{
	Pprof__Mapping *mappings = &w->kernel;

	w->kernel.filename = word(w, "kernel");
	w->kernel.has_functions = w->kernel.has_filenames =
	    w->kernel.has_line_numbers = true;
	w->p.n_mapping = w->kernel.id;
	w->p.mapping = &mappings;
	put(w);
}

static void
put_strings(struct packer *w)
{
	for (uint32_t i = 0; i < intern_count(w->strings); i++) {
		ProtobufCBinaryData text;

		text.data =
		    (uint8_t *)(uintptr_t)intern_str(w->strings, i, &text.len);
		w->p.n_string_table = 1;
		w->p.string_table = &text;
		put(w);
	}
}

static void
write_pprof(struct export *e)
{
	struct packer w = {.e = e,
	    .p = PPROF__PROFILE__INIT,
	    .kernel = PPROF__MAPPING__INIT,
	    .strings = intern_new()};
	const char *build_id = trailer_get(&e->fold.origin.sum, "build-id");

	if (e->stacks->total.whole > INT64_MAX && e->left_out.n++ == 0)
		msg("counts beyond 63 bits");
	if (deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
		16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
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
	pack(&w, NULL, 0, Z_FINISH);
	deflateEnd(&w.z);
	buf_done(&w.packed);
	intern_free(w.strings);
}

const struct export_format format_pprof = {
    .write = write_pprof, .addresses = true};
