/* SPDX-License-Identifier: ISC */
/* A frame of trace text as a name of folded text. */
#include "profile/fold.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "names/name.h"
#include "names/nest.h"
#include "profile/table.h"

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
	buf_addc(&f->scratch, '\t');
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
fold_frame_name(struct fold *f)
{
	const char *name;
	size_t len;

	name_of_frame(f->in.text, f->in.text_len, true, &name, &len);
	f->scratch.len = 0;
	if (!add_address(f, name, len))
		folded_add_name(&f->scratch, name, len);
	if (f->o->places)
		add_place(f, name, len);
	return table_name(f->table, f->scratch.p, f->scratch.len);
}
