/* SPDX-License-Identifier: ISC */
/* What writers ask for of what was read. */
#include "export.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/utf8.h"
#include "names/name.h"

const char *
export_unit(const struct export *e)
{
	const char *unit = trailer_get(&e->fold.origin.sum, "unit");

	return unit ? unit : "samples";
}

uint64_t
export_whole(struct export *e, const struct count *c)
{
	e->rounded += c->frac > 0;
	return c->whole +
	       (c->whole < UINT64_MAX && c->frac >= 500000000000000000);
}

const char *
export_utf8(struct export *e, const char *p, size_t len)
{
	struct buf *b = &e->scratch;
	size_t from = 0;

	b->len = 0;
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_len(p + i, len - i);
		if (n > 0)
			continue;
		buf_add(b, p + from, i - from);
		buf_adds(b, "\xef\xbf\xbd");
		from = i + 1;
	}
	buf_add(b, p + from, len - from);
	return buf_str(b);
}

struct frame_place
export_place(const struct export *e, uint32_t location)
{
	struct frame_place p = {.file = ""};
	const char *tab, *colon;
	size_t n;

	memcpy(&p.at, table_name_text(e->stacks, location, &n), sizeof p.at);
	p.name = table_name_text(e->fold.table, p.at.name, &p.name_len);
	n = name_address(p.name, p.name_len);
	if (n > 0 && p.at.address == 0)
		num_hex(p.name + 2, n - 2, &p.at.address);
	if (n > 0 && bytes_starts(p.name + n, p.name_len - n, " in ")) {
		p.name += n + strlen(" in ");
		p.name_len -= n + strlen(" in ");
	}
	tab = memchr(p.name, '\t', p.name_len);
	n = tab ? (size_t)(tab - p.name) : name_line(p.name, p.name_len);
	if (n == p.name_len)
		return p;
	p.file = p.name + n + (tab ? 1 : strlen(" at "));
	p.file_len = p.name_len - (size_t)(p.file - p.name);
	p.name_len = n;
	colon = memrchr(p.file, ':', p.file_len);
	n = colon ? (size_t)(colon - p.file) : 0;
	if (n && num_u64(colon + 1, p.file_len - n - 1, &p.line) == 0)
		p.file_len = n;
	p.line = p.line > INT32_MAX ? 0 : p.line;
	return p;
}
