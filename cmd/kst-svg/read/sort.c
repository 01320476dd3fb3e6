/* SPDX-License-Identifier: ISC */
/*
 * Stacks are arrays of numbers of names while they are collected, and of their
 * ranks while they are sorted: a tenth of their text. Where many names are
 * new, sorting names costs more than it saves: then stacks are texts.
 */
#include "read/read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "set/intern.h"
#include "set/ranks.h"
#include "set/textsort.h"
#include "base/xalloc.h"

/* Many: more than a name for so many lines and frames. The first look. */
enum { LINES_PER_NAME = 4, FRAMES_PER_NAME = 16, LINES_FIRST = 4096 };

struct sort {
	struct intern *names;  /* NULL if there are many */
	struct intern *stacks; /* as arrays of names' numbers, or as texts */
	size_t lines, frames, look_at; /* look_at: so many lines */
	weight (*weights)[2];	       /* of each stack */
	size_t cap;
	struct ranks ranks;
	struct text *items; /* the stacks in order */
	size_t next;
	struct buf text; /* of the stack that is given back */
	uint32_t *ids;	 /* of the stack that is added */
	size_t cap_ids;
};

struct sort *
sort_new(void)
{
	struct sort *s = xcalloc(1, sizeof *s);

	s->names = intern_new();
	s->stacks = intern_new();
	s->look_at = LINES_FIRST;
	return s;
}

void
sort_free(struct sort *s)
{
	if (s == NULL)
		return;
	intern_free(s->names);
	intern_free(s->stacks);
	ranks_done(&s->ranks);
	free(s->items);
	free(s->weights);
	buf_done(&s->text);
	free(s->ids);
	free(s);
}

/* A name by its number, or once stacks are sorted by its rank. */
static const char *
name_of(const struct sort *s, uint32_t number, size_t *len)
{
	return intern_str(
	    s->names, s->ranks.of ? ranks_id(&s->ranks, number) : number, len);
}

/* Appends a stack's names to a text that has `n` of them. */
static void
add_names(struct sort *s, const uint32_t *numbers, size_t n, size_t end)
{
	for (; n < end; n++) {
		size_t len;
		const char *p = name_of(s, numbers[n], &len);

		if (n > 0)
			buf_addc(&s->text, ';');
		buf_add(&s->text, p, len);
	}
}

/* The stacks so far become texts; they keep their numbers. */
static void
forget_names(struct sort *s)
{
	struct intern *texts = intern_new();

	for (uint32_t i = 0; i < intern_count(s->stacks); i++) {
		size_t len;
		const char *p = intern_str(s->stacks, i, &len);

		s->text.len = 0;
		add_names(s, (const uint32_t *)p, 0, len / sizeof(uint32_t));
		intern_id(texts, s->text.p, s->text.len);
	}
	intern_free(s->stacks);
	intern_free(s->names);
	s->stacks = texts;
	s->names = NULL;
	s->text.len = 0;
}

/* The number of a stack whose names are not numbered. */
static uint32_t
text_id(struct sort *s, const char *stack, size_t len, bool reverse)
{
	if (!reverse)
		return intern_id(s->stacks, stack, len);
	s->text.len = 0;
	for (const char *semi; (semi = memrchr(stack, ';', len)) != NULL;
	     len = (size_t)(semi - stack)) {
		buf_add(&s->text, semi + 1, (size_t)(stack + len - semi) - 1);
		buf_addc(&s->text, ';');
	}
	buf_add(&s->text, stack, len);
	return intern_id(s->stacks, s->text.p, s->text.len);
}

/* The number of a stack as an array of its names' numbers. */
static uint32_t
numbers_id(struct sort *s, const char *stack, size_t len, bool reverse)
{
	const char *end = stack + len;
	size_t n = 0;

	for (const char *stop; len && stack <= end; stack = stop + 1) {
		stop = memchr(stack, ';', (size_t)(end - stack));
		stop = stop ? stop : end;
		*xpush(s->ids, n, s->cap_ids) =
		    intern_id(s->names, stack, (size_t)(stop - stack));
	}
	s->frames += n;
	for (size_t i = 0; reverse && i < n / 2; i++) {
		uint32_t swap = s->ids[i];

		s->ids[i] = s->ids[n - 1 - i];
		s->ids[n - 1 - i] = swap;
	}
	return intern_id(s->stacks, (const char *)s->ids, n * sizeof *s->ids);
}

void
sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse)
{
	uint32_t known, id;

	if (s->names && s->lines++ == s->look_at) {
		uint32_t names = intern_count(s->names);

		s->look_at *= 2;
		if (names > s->lines / LINES_PER_NAME &&
		    names > s->frames / FRAMES_PER_NAME)
			forget_names(s);
	}
	known = intern_count(s->stacks);
	id = s->names ? numbers_id(s, stack, len, reverse)
		      : text_id(s, stack, len, reverse);
	(void)xitem(s->weights, id, s->cap);
	for (int k = 0; k < 2; k++)
		s->weights[id][k] = w[k] + (id < known ? s->weights[id][k] : 0);
}

void
sort_done(struct sort *s)
{
	uint32_t n = intern_count(s->stacks);

	intern_seal(s->stacks);
	if (s->names)
		ranks_init(&s->ranks, s->names);
	s->items = xreallocn(NULL, (size_t)n + 1, sizeof *s->items);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *p = intern_str(s->stacks, i, &len);

		if (s->names)
			ranks_from_ids(&s->ranks, (uint32_t *)(uintptr_t)p,
			    len / sizeof(uint32_t));
		s->items[i] = (struct text){p, (uint32_t)len, i, 0};
	}
	textsort(s->items, n);
}

/*
 * Counts what each stack does not share with the one before it: of stacks of
 * numbers the callers, since they have few names; of texts all frames.
 */
size_t
sort_frames(const struct sort *s)
{
	static const struct text none = {.p = ""};
	size_t n = intern_count(s->stacks), frames = 0;

	for (size_t i = 0; i < n; i++) {
		const struct text *x = &s->items[i];
		const struct text *last = i ? x - 1 : &none;
		const struct text *next = i + 1 < n ? x + 1 : &none;
		size_t at = bytes_shared(x->p, x->len, last->p, last->len);

		if (s->names) {
			size_t more =
			    x->len / sizeof(uint32_t) - at / sizeof(uint32_t);

			frames += more ? more - 1 : 0;
			continue;
		}
		while (at < x->len)
			frames += x->p[at++] == ';';
		frames +=
		    bytes_shared(x->p, x->len, next->p, next->len) < x->len;
	}
	return frames >= n ? frames : n - 1; /* one may be empty */
}

/* The text of a stack, made from the last one's. */
static void
make_text(struct sort *s, const struct text *x, const struct text *last)
{
	const uint32_t *was = (const uint32_t *)last->p;
	size_t same = bytes_shared(x->p, x->len, last->p, last->len), len;

	same /= sizeof *was;
	for (size_t i = same; i < last->len / sizeof *was; i++) {
		name_of(s, was[i], &len);
		s->text.len -= len + (i > 0);
	}
	add_names(s, (const uint32_t *)x->p, same, x->len / sizeof *was);
}

bool
sort_next(struct sort *s, struct sorted *out)
{
	static const struct text none;
	const struct text *x = &s->items[s->next];

	if (s->next == intern_count(s->stacks))
		return false;
	if (s->names)
		make_text(s, x, s->next ? x - 1 : &none);
	s->next++;
	out->p = s->names ? buf_str(&s->text) : x->p; /* never NULL */
	out->len = s->names ? s->text.len : x->len;
	memcpy(out->w, s->weights[x->id], sizeof out->w);
	out->first = x->id;
	return true;
}
