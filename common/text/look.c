/* SPDX-License-Identifier: ISC */
#include "text/look.h"

#include <string.h>

#include "base/bytes.h"

char *const *
look_unpacker(const char *p, size_t n)
{
	static char *const gzip[] = {(char *)"gzip", (char *)"-dc", NULL};
	static char *const zstd[] = {(char *)"zstd", (char *)"-dcq", NULL};
	static char *const xz[] = {(char *)"xz", (char *)"-dc", NULL};

	if (bytes_starts(p, n, "\x1f\x8b"))
		return gzip;
	if (n >= 6 && memcmp(p,
			  "\xfd"
			  "7zXZ",
			  6) == 0)
		return xz;
	if (bytes_starts(p, n, "\x28\xb5\x2f\xfd") ||
	    (n >= 4 && (p[0] & 0xf0) == 0x50 &&
		memcmp(p + 1, "\x2a\x4d\x18", 3) == 0))
		return zstd; /* or a frame that is to be skipped */
	return NULL;
}

const char *
look_foreign(const char *p, size_t n)
{
	static const char *const known[][2] = {{"BZh", "bzip2"},
	    {"\x04\x22\x4d\x18", "lz4"}, {"LZIP", "lzip"},
	    {"PK\x03\x04", "zip"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (bytes_starts(p, n, known[i][0]))
			return known[i][1];
	return NULL;
}

/* An object: neither trace text nor folded text begins like one. */
bool
look_json(const char *p, size_t n)
{
	static const char blank[] = " \t\r\n";
	size_t i = bytes_starts(p, n, "\xef\xbb\xbf") ? 3 : 0;

	while (i < n && memchr(blank, p[i], sizeof blank - 1))
		i++;
	if (i == n || p[i] != '{')
		return false;
	for (i++; i < n && memchr(blank, p[i], sizeof blank - 1); i++)
		;
	return i == n || p[i] == '"' || p[i] == '}';
}
