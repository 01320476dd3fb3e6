/* SPDX-License-Identifier: ISC */
/* A frame of trace text as a name of folded text. */
#include "profile/frame_name.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "names/name.h"
#include "names/nest.h"
#include "profile/table.h"
#include "set/intern.h"

/*
 * Appends the address of a frame without a name, without leading zeros. Returns
 * false if it has a name, or no address.
 */
static bool
add_address(struct fold *f, const char *name, size_t len)
{
	const char *p = f->in.text;
	size_t end = name_address(p, f->in.text_len), zeros = 2;

	if (end == 0 || (name != p && !bytes_is(name, len, "??")))
		return false;
	while (zeros + 1 < end && p[zeros] == '0')
		zeros++;
	buf_adds(&f->scratch, f->o->merge_unknown ? "??" : "0x");
	if (!f->o->merge_unknown)
		buf_add(&f->scratch, p + zeros, end - zeros);
	return true;
}

/* Appends where the function is, after `f (...) at ` or `f () from `. */
static void
add_place(struct fold *f, const char *name, size_t len)
{
	const char *end = f->in.text + f->in.text_len, *place = NULL, *mark;

	for (const char *p = name + len; p < end; p++)
		if (nest_starts(p, end, ") at "))
			place = p + strlen(") at ");
		else if (nest_starts(p, end, ") from "))
			place = p + strlen(") from ");
	if (place == NULL)
		return;
	mark = end > place && end[-1] == ']'
		   ? memrchr(place, '[', (size_t)(end - place))
		   : NULL;
	if (mark && mark > place && mark[-1] == ' ') /* ` [tail call]` */
		end = mark - 1;
	buf_adds(&f->scratch, f->o->places);
	folded_add_name(&f->scratch, place, (size_t)(end - place));
}

uint64_t
fold_address(const struct fold *f)
{
	const char *p = f->in.head + f->in.head_len;
	size_t len = name_address(p, f->in.frame_len);
	uint64_t address = 0;

	if (len)
		num_hex(p + 2, len - 2, &address);
	return address;
}

uint32_t
fold_plain(struct fold *f, const char *p, size_t len)
{
	struct buf b = BUF_INIT;
	uint32_t id, *plain;

	if (f->mangled == NULL)
		f->mangled = intern_new();
	id = intern_id(f->mangled, p, len);
	plain = xitem_zeroed(f->plain, id, f->plain_cap);
	if (*plain == 0) {
		if (f->o->plain(p, len, &b))
			*plain = 1 + table_any_name(f->table, b.p, b.len);
		else
			*plain = 1 + table_any_name(f->table, p, len);
		buf_done(&b);
	}
	return *plain - 1;
}

void
fold_names_done(struct fold *f)
{
	free(f->nameless);
	intern_free(f->mangled);
	free(f->plain);
}

static void
add_name(struct fold *f, const char *name, size_t len)
{
	struct buf b = BUF_INIT;

	if (f->o->plain && *name == '_' && f->o->plain(name, len, &b))
		folded_add_name(&f->scratch, b.p, b.len);
	else
		folded_add_name(&f->scratch, name, len);
	buf_done(&b);
}

uint32_t
fold_frame_name(struct fold *f)
{
	const char *name;
	size_t len;
	uint32_t id;

	name_of_frame(f->in.text, f->in.text_len, true, &name, &len);
	f->scratch.len = 0;
	if (!add_address(f, name, len))
		add_name(f, name, len);
	if (f->o->places)
		add_place(f, name, len);
	id = table_name(f->table, f->scratch.p, f->scratch.len);
	if (bytes_is(name, len, "??"))
		*xitem_zeroed(f->nameless, id, f->nameless_cap) = true;
	return id;
}

bool
fold_trim_nameless(struct fold *f)
{
	size_t n = f->n_frames, len;
	const char *name;

	while (n > 0 && f->frames[n - 1] < f->nameless_cap &&
	       f->nameless[f->frames[n - 1]])
		n--;
	if (n == 0 || n == f->n_frames)
		return false;
	name = table_name_text(f->table, f->frames[n - 1], &len);
	if (bytes_starts(name, len, "0x")) /* a bare address */
		return false;
	f->n_frames = n;
	return true;
}
