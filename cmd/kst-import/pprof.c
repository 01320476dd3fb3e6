/* SPDX-License-Identifier: ISC */
/* pprof's format: one message of protobuf. */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "field.h"
#include "set/intern.h"
#include "text/folded.h"
#include "text/pprof.h"

enum { ID = sizeof(uint64_t), NOT_YET = UINT32_MAX };

/* A file that is read, and what samples need of it. */
struct profile {
	struct import *im;
	struct piece all;
	struct text {
		uint32_t at;   /* of its field, in the file */
		uint32_t name; /* the table's, or NOT_YET */
	} * texts;
	uint32_t *functions; /* by number: the text of its name */
	uint32_t *frames; /* of all locations: the table's names, root first */
	uint32_t *ends;	  /* by number of a location: after its frames */
	struct intern *function_ids, *location_ids;
	size_t n_texts, n_types, texts_cap, functions_cap, frames_cap, ends_cap;
	size_t n_frames;
	uint64_t default_type;
};

/* A text of the profile, empty where there is none. */
static struct piece
text(const struct profile *p, uint64_t i)
{
	struct field f = {.bytes = {"", 0}};
	struct piece m = p->all;

	if (i < p->n_texts) {
		m.p += p->texts[i].at;
		m.len -= p->texts[i].at;
		field_next(&m, &f);
	}
	return f.bytes;
}

static bool
is_text(const struct profile *p, uint64_t i, const char *word)
{
	struct piece t = text(p, i);

	return bytes_is(t.p, t.len, word);
}

/* The table's name of a text, which is asked for once. */
static uint32_t
name_of(struct profile *p, uint32_t i)
{
	struct piece t = text(p, i);

	if (p->texts[i].name == NOT_YET)
		p->texts[i].name = table_any_name(p->im->table, t.p, t.len);
	return p->texts[i].name;
}

/* Finds the texts; counts what has a number. False: damaged. */
static bool
read_texts(struct profile *p)
{
	struct piece m = p->all;
	struct field f;
	int got;

	for (const char *at = m.p; (got = field_next(&m, &f)) > 0; at = m.p) {
		bool bytes = f.number <= PROFILE_STRING ||
			     f.number == PROFILE_PERIOD_TYPE;

		if (bytes && !f.is_bytes)
			return false;
		p->n_types += f.number == PROFILE_SAMPLE_TYPE;
		if (f.number == PROFILE_DEFAULT_TYPE)
			p->default_type = f.value;
		if (f.number == PROFILE_STRING)
			*xpush(p->texts, p->n_texts, p->texts_cap) =
			    (struct text){(uint32_t)(at - p->all.p), NOT_YET};
	}
	return got == 0;
}

/*
 * Finds which value counts, its number and its type: the one asked for or, as
 * in pprof, the default one or the last; but samples where they are counted.
 * False: there is none of that name, or the profile is damaged.
 */
static bool
choose_type(const struct profile *p, size_t *number, uint64_t type[2])
{
	const char *want = p->im->o->type, *word = want ? want : "samples";
	struct piece m = p->all, t;
	uint64_t v[2];

	for (*number = 0; field_bytes(&m, PROFILE_SAMPLE_TYPE, &t) > 0;
	     ++*number) {
		if (!field_numbers(t, v, 2))
			return false;
		if (is_text(p, v[0], word) ||
		    (!want && ((v[0] == p->default_type && v[0]) ||
				  *number + 1 == p->n_types))) {
			memcpy(type, v, sizeof v);
			return true;
		}
	}
	return false;
}

/* An id of each function; its name. An id comes once. */
static bool
read_functions(struct profile *p)
{
	struct piece m = p->all, function;
	uint64_t v[FUNCTION_NAME];
	size_t n = 0;

	while (field_bytes(&m, PROFILE_FUNCTION, &function) > 0) {
		if (!field_numbers(function, v, FUNCTION_NAME) ||
		    v[FUNCTION_NAME - 1] >= p->n_texts || n == IDS_MAX ||
		    intern_id(p->function_ids, (char *)v, ID) != n)
			return false;
		*xpush(p->functions, n, p->functions_cap) =
		    (uint32_t)v[FUNCTION_NAME - 1];
	}
	return true;
}

/* Adds a location's frames, its lines' functions; false: damaged. */
static bool
add_frames(struct profile *p, struct piece location, uint64_t address)
{
	struct table *table = p->im->table;
	size_t first = p->n_frames, last;
	struct piece line;
	uint64_t id;
	char hex[24];
	int got;

	while ((got = field_bytes(&location, LOCATION_LINE, &line)) > 0) {
		uint32_t f;

		if (!field_numbers(line, &id, 1))
			return false;
		f = intern_find(p->function_ids, (char *)&id, ID);
		*xpush(p->frames, p->n_frames, p->frames_cap) =
		    f == UINT32_MAX ? table_any_name(table, NULL, 0)
				    : name_of(p, p->functions[f]);
	}
	if (p->n_frames == first) {
		snprintf(hex, sizeof hex, "0x%" PRIx64, address);
		*xpush(p->frames, p->n_frames, p->frames_cap) =
		    table_any_name(table, hex, strlen(hex));
	}
	/* the outermost is the last line */
	for (last = p->n_frames; first + 1 < last; first++) {
		uint32_t frame = p->frames[first];

		p->frames[first] = p->frames[--last];
		p->frames[last] = frame;
	}
	return got == 0;
}

/* The frames of each location; an id comes once. */
static bool
read_locations(struct profile *p)
{
	struct piece m = p->all, location;
	uint64_t v[LOCATION_ADDRESS];
	size_t n = 0;

	while (field_bytes(&m, PROFILE_LOCATION, &location) > 0) {
		if (!field_numbers(location, v, LOCATION_ADDRESS) ||
		    n == IDS_MAX ||
		    intern_id(p->location_ids, (char *)v, ID) != n ||
		    !add_frames(p, location, v[LOCATION_ADDRESS - 1]))
			return false;
		*xpush(p->ends, n, p->ends_cap) = (uint32_t)p->n_frames;
	}
	return true;
}

/* The value of that number; false: there is none. */
static bool
find_value(struct piece sample, size_t number, uint64_t *v)
{
	struct piece some = {"", 0};

	for (size_t i = 0; i <= number; i++)
		if (field_repeated(&sample, SAMPLE_VALUE, &some, v) <= 0)
			return false;
	return true;
}

/* False if the sample does not fit the profile. */
static bool
add_sample(struct profile *p, struct piece sample, size_t type)
{
	struct import *im = p->im;
	struct piece some = {"", 0};
	struct count count = {0};
	uint64_t id;
	size_t n = 0;
	int got;

	if (!find_value(sample, type, &count.whole))
		return false;
	/* the leaf first: the key is filled from its end */
	while (
	    (got = field_repeated(&sample, SAMPLE_LOCATION, &some, &id)) > 0) {
		uint32_t l = intern_find(p->location_ids, (char *)&id, ID);
		size_t end;

		if (l == UINT32_MAX)
			return false;
		end = p->ends[l];
		for (size_t i = end; i > (l ? p->ends[l - 1] : 0); i--) {
			if (n == STACK_MAX)
				return false;
			im->key[STACK_MAX - ++n] = p->frames[i - 1];
		}
	}
	im->frames += n;
	if (got < 0 || im->frames > FRAMES_MAX)
		return false;
	if (count.whole > INT64_MAX)
		im->negative++;
	else if (count.whole)
		im->overflows += table_add(im->table, im->key + STACK_MAX - n,
				     n, &count) != 0;
	return true;
}

/* The trailer of kst-export, in a comment, and one that tells the unit. */
static void
add_trailer(const struct profile *p, const uint64_t type[2])
{
	struct import *im = p->im;
	struct piece m = p->all, some = {"", 0}, t;
	uint64_t i;

	while (im->said.len == 0 &&
	       field_repeated(&m, PROFILE_COMMENT, &some, &i) > 0) {
		t = text(p, i);
		buf_add(&im->said, t.p, t.len);
	}
	buf_adds(&im->unit, FOLDED_TRAILER "unit=");
	t = text(p, type[0]);
	if (is_text(p, type[1], "nanoseconds"))
		buf_adds(&im->unit, "ns");
	else if (is_text(p, type[1], "bytes"))
		buf_adds(&im->unit, "bytes");
	else
		buf_add(&im->unit, t.p, t.len);
}

static const char *
add_profile(struct profile *p)
{
	struct piece m = p->all, sample;
	uint64_t type[2];
	size_t number;
	bool good;

	if (!read_texts(p))
		return "not a profile of pprof, or a damaged one";
	if (!choose_type(p, &number, type))
		return "it has no values of that type";
	p->im->frames = 0;
	good = type[0] < p->n_texts && read_functions(p) && read_locations(p);
	while (good && field_bytes(&m, PROFILE_SAMPLE, &sample) > 0)
		good = add_sample(p, sample, number);
	add_trailer(p, type);
	return good ? NULL
	       : p->im->frames > FRAMES_MAX
		   ? "its stacks have too many frames in all"
		   : "its samples refer to locations, functions or names that "
		     "it does not have";
}

const char *
pprof_read(struct import *im, struct piece file)
{
	struct profile p = {.im = im, .all = file};
	const char *why;

	p.function_ids = intern_new();
	p.location_ids = intern_new();
	why = add_profile(&p);
	intern_free(p.function_ids);
	intern_free(p.location_ids);
	free(p.texts);
	free(p.functions);
	free(p.frames);
	free(p.ends);
	return why;
}
