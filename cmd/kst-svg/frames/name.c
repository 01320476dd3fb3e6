/* SPDX-License-Identifier: ISC */
/* Names of frames as the picture shows them. */
#include "frames/name.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "frames/tree.h"

/* How Rust's legacy symbols write what linkers do not allow. */
static const struct {
	const char *code, *text;
} rust_codes[] = {{"$LT$", "<"}, {"$GT$", ">"}, {"$RF$", "&"}, {"$BP$", "*"},
    {"$C$", ","}, {"$LP$", "("}, {"$RP$", ")"}, {"$SP$", "@"}, {"$u20$", " "},
    {"$u27$", "'"}, {"$u2b$", "+"}, {"$u3b$", ";"}, {"$u5b$", "["},
    {"$u5d$", "]"}, {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u7e$", "~"}};

enum { HASH = 19 }; /* of a legacy symbol: `::h` and 16 digits */

static bool
ends_in_hash(const char *p, size_t len)
{
	uint64_t v;

	return len > HASH && memcmp(p + len - HASH, "::h", 3) == 0 &&
	       num_hex(p + len - 16, 16, &v) == 0;
}

/* Appends a frame as rustc's own demangler writes it. */
static void
add_rust(struct buf *b, const char *p, size_t len)
{
	size_t n_codes = sizeof rust_codes / sizeof *rust_codes;

	if (ends_in_hash(p, len))
		len -= HASH;
	if (bytes_starts(p, len, "_$")) {
		p++;
		len--;
	}
	while (len) {
		const char *text = bytes_starts(p, len, "..") ? "::" : NULL;
		size_t k = 0, n = text ? 2 : 1;

		while (*p == '$' && k < n_codes &&
		       !bytes_starts(p, len, rust_codes[k].code))
			k++;
		if (*p == '$' && k < n_codes) {
			text = rust_codes[k].text;
			n = strlen(rust_codes[k].code);
		}
		if (text)
			buf_adds(b, text);
		else
			buf_addc(b, *p);
		p += n;
		len -= n;
	}
}

bool
frame_is_plain(const char *p, size_t len)
{
	return len > 0 && len <= FRAME_NAME_MAX &&
	       !(p[0] == '_' && bytes_starts(p, len, "_$LT$")) &&
	       !(len > HASH && p[len - HASH] == ':' && ends_in_hash(p, len)) &&
	       memchr(p, FRAME_SEMICOLON, len) == NULL;
}

bool
frame_text(const char **p, size_t *len, struct buf *b)
{
	/* C++ demanglers leave Rust's legacy symbols with codes and hash */
	bool is_rust =
	    ends_in_hash(*p, *len) || bytes_starts(*p, *len, "_$LT$");

	if (*len == 0) { /* as kst-folded(5) writes it */
		*p = "??";
		*len = 2;
	}
	if (*len > FRAME_NAME_MAX)
		*len = FRAME_NAME_MAX;
	if (!is_rust && memchr(*p, FRAME_SEMICOLON, *len) == NULL)
		return false;
	b->len = 0;
	if (is_rust)
		add_rust(b, *p, *len);
	else
		buf_add(b, *p, *len);
	for (size_t i = 0; i + 1 < b->len; i++)
		if (b->p[i] == FRAME_SEMICOLON && b->p[i + 1] == ' ')
			b->p[i] = ';';
	*p = b->p;
	*len = b->len;
	return is_rust;
}

bool
frame_is_named(const char *p, size_t len)
{
	return len > 0 && *p != '[' && !bytes_starts(p, len, "0x") &&
	       !bytes_starts(p, len, "CPU#");
}
