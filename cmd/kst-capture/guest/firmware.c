/* SPDX-License-Identifier: ISC */
/* The only file that knows where firmware lives. */
#include "guest/firmware.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

/* The address of a leaf frame, `#0  0x... in`; false if it has none. */
static bool
leaf_address(const char *p, const char *end, uint64_t *addr)
{
	const char *stop;

	if (end - p < 3 || memcmp(p, "0x", 2) != 0)
		return false;
	stop = memchr(p, ' ', (size_t)(end - p));
	return stop && num_hex(p + 2, (size_t)(stop - p) - 2, addr) == 0;
}

bool
in_firmware(const struct buf *text)
{
	const char *p = text->p, *end = p + text->len;
	uint64_t addr;
	bool any = false;

	while (p < end && (p = memmem(p, (size_t)(end - p), "#0  ", 4))) {
		bool begins = p == text->p || p[-1] == '\n';

		p += 4;
		if (!begins)
			continue;
		if (!leaf_address(p, end, &addr))
			return false;
		if (addr >= 0x100000 &&
		    (addr < 0xff000000 || addr > 0xffffffff))
			return false;
		any = true;
	}
	return any;
}
