/* SPDX-License-Identifier: ISC */
/* The places are those of RFC 1952, RFC 8878 and xz's file format 1.2. */
#include "packed.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "base/uint.h"
#include "base/xalloc.h"

/* What a packed byte becomes, in a guess that is good enough, and at most. */
enum { UNPACKED = 16, UNPACKED_MAX = 1 << 12 };

enum { HEADER = 18, XZ_FOOTER = 12, XZ_INDEX_MAX = 1 << 20 };

/* The end says it modulo 2^32, and of the last member alone. */
static uint64_t
gzip_text(int fd, uint64_t size)
{
	unsigned char end[4];

	if (size < sizeof end || pread(fd, end, sizeof end,
				     (off_t)(size - sizeof end)) != sizeof end)
		return 0;
	return uint_load(end, sizeof end, false);
}

/* The header of the first frame, if the text's size was known when made. */
static uint64_t
zstd_text(const unsigned char *head)
{
	static const size_t dict[] = {0, 1, 2, 4}, sizes[] = {0, 2, 4, 8};
	bool single = head[4] >> 5 & 1;
	size_t at = 5 + !single + dict[head[4] & 3], n = sizes[head[4] >> 6];

	if (uint_load(head, 4, false) != 0xfd2fb528)
		return 0;
	if (n == 0 && single)
		n = 1;
	return uint_load(head + at, n, false) + (n == 2 ? 256 : 0);
}

/* Reads a number of seven bits a byte; false when it goes on beyond end. */
static bool
xz_number(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p < end && shift < 63; shift += 7) {
		*v |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return true;
	}
	return false;
}

/* The sum over the blocks in an index. */
static uint64_t
xz_sum(const unsigned char *p, const unsigned char *end)
{
	uint64_t n, packed, text, sum = 0;

	if (p == end || *p++ != 0 || !xz_number(&p, end, &n))
		return 0;
	for (; n > 0; n--) {
		if (!xz_number(&p, end, &packed) ||
		    !xz_number(&p, end, &text) ||
		    __builtin_add_overflow(sum, text, &sum))
			return 0;
	}
	return sum;
}

/* The index of the last stream, before its footer. */
static uint64_t
xz_text(int fd, uint64_t size)
{
	unsigned char foot[XZ_FOOTER], *index;
	uint64_t n, sum = 0;

	if (size < sizeof foot || pread(fd, foot, sizeof foot,
				      (off_t)(size - sizeof foot)) != XZ_FOOTER)
		return 0;
	n = (uint_load(foot + 4, 4, false) + 1) * 4;
	if (memcmp(foot + 10, "YZ", 2) != 0 || n > XZ_INDEX_MAX ||
	    n + sizeof foot > size)
		return 0;
	index = xmalloc(n);
	if (pread(fd, index, n, (off_t)(size - sizeof foot - n)) == (ssize_t)n)
		sum = xz_sum(index, index + n);
	free(index);
	return sum;
}

/* Opens the file and reads its first bytes; the rest of head[HEADER] is 0. */
static int
open_head(const char *path, unsigned char *head, enum pack *pack)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEADER);

	*pack = source_pack((const char *)head, n > 0 ? (size_t)n : 0);
	return fd;
}

bool
packed_is(const char *path)
{
	unsigned char head[HEADER] = {0};
	enum pack pack;
	int fd = open_head(path, head, &pack);

	if (fd >= 0)
		close(fd);
	return pack != PACK_NONE;
}

uint64_t
packed_text(const char *path, uint64_t size)
{
	unsigned char head[HEADER] = {0};
	enum pack pack;
	uint64_t text = size;
	int fd = open_head(path, head, &pack);

	if (pack == PACK_GZIP)
		text = gzip_text(fd, size);
	else if (pack == PACK_ZSTD)
		text = zstd_text(head);
	else if (pack == PACK_XZ)
		text = xz_text(fd, size);
	if (fd >= 0)
		close(fd);
	if (pack != PACK_NONE && text < size) /* of a part, or not said */
		text = size * UNPACKED;
	return text / UNPACKED_MAX < size ? text : size * UNPACKED_MAX;
}
