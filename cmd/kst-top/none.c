/* SPDX-License-Identifier: ISC */
/* What is said where no stack is left: a function may be misspelt. */
#include "top.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/name.h"
#include "names/rx.h"
#include "profile/table.h"

/* As many names are told; as many are compared letter by letter. */
enum { TOLD = 3, COMPARED = 1 << 16, SHORT = 3 };

static bool
has_match(struct rx *rx, const struct table *t)
{
	for (uint32_t i = 0; i < table_names(t); i++) {
		size_t len;
		const char *name = table_name_text(t, i, &len);

		if (rx_match(rx, name, name_line(name, len)) != 0)
			return true;
	}
	return false;
}

/* The longest word of a pattern, without what stands for other letters. */
static struct piece
word_of(const char *pattern)
{
	struct piece best = {"", 0};

	for (const char *p = pattern, *end; *p; p = end) {
		for (end = p; isalnum((unsigned char)*end) || *end == '_';)
			end++;
		if ((size_t)(end - p) > best.len)
			best = (struct piece){p, (size_t)(end - p)};
		if (*end == '\\' && end[1])
			end++;
		if (*end)
			end++;
	}
	return best;
}

struct like {
	const struct table *t;
	struct piece word;
	struct piece told[TOLD];
	size_t n; /* of those found; more than TOLD: there are others */
};

static void
tell(struct like *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->n && i < TOLD; i++)
		if (bytes_same(l->told[i].p, l->told[i].len, name, len))
			return;
	if (l->n < TOLD)
		l->told[l->n] = (struct piece){name, len};
	l->n++;
}

/* Finds names that contain the word or, if there are none, are near it. */
static void
find(struct like *l)
{
	uint32_t names = table_names(l->t);
	struct buf b = BUF_INIT;
	size_t len;

	for (uint32_t i = 0; i < names && l->n <= TOLD; i++) {
		const char *name = table_name_text(l->t, i, &len);

		len = name_line(name, len);
		if (memmem(name, len, l->word.p, l->word.len))
			tell(l, name, len);
	}
	for (uint32_t i = 0; l->n == 0 && i < names && i < COMPARED; i++) {
		const char *name = table_name_text(l->t, i, &len);

		len = name_line(name, len);
		b.len = 0;
		buf_add(&b, name, len);
		if (opt_near(l->word.p, l->word.len, buf_str(&b)))
			tell(l, name, len);
	}
	buf_done(&b);
}

/* Says so if no function matches a pattern that is given. */
static bool
say_no_match(struct rx *rx, const struct table *t)
{
	const char *pattern = rx ? rx_pattern(rx) : "";
	struct like l = {.t = t, .word = word_of(pattern)};
	struct buf b = BUF_INIT;

	if (rx == NULL || has_match(rx, t))
		return false;
	if (l.word.len >= SHORT)
		find(&l);
	for (size_t i = 0; i < l.n && i < TOLD; i++) {
		buf_adds(&b, i	       ? ", "
			     : l.n > 1 ? "; there are "
				       : "; there is ");
		buf_adds(&b, msg_text(l.told[i].p, l.told[i].len));
	}
	if (l.n > TOLD)
		buf_adds(&b, ", ...");
	msg("no stack has a function that matches '%s'%s", msg_str(pattern),
	    buf_str(&b));
	buf_done(&b);
	return true;
}

void
none_say(const struct options *o, const struct table *t)
{
	bool said = say_no_match(o->view.focus, t);

	said |= say_no_match(o->view.middle, t);
	for (size_t i = 0; i < o->meanwhile.n; i++)
		said |= say_no_match(o->meanwhile.v[i], t);
	if (!said)
		msg("the options leave out all stacks");
}
