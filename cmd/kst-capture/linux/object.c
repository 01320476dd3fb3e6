/* SPDX-License-Identifier: ISC */
#include "linux/object.h"

#include <stddef.h>
#include <string.h>

#include "base/num.h"
#include "elf/elfsym.h"

enum { SYM = 24 /* bytes of a symbol, its address at 8 */ };

bool
object_find(struct elfsym *kernel, const char *name, uint64_t *to)
{
	const unsigned char *sym, *str;
	uint64_t addr, n, str_len;

	if (!elfsym_section(kernel, ".symtab", &addr, &n, &sym) ||
	    !elfsym_section(kernel, ".strtab", &addr, &str_len, &str) ||
	    sym == NULL || str == NULL || str_len == 0 || str[str_len - 1])
		return false;
	for (; n >= SYM; n -= SYM, sym += SYM) {
		const uint64_t at = uint_load(sym, 4, false);

		if (at < str_len && strcmp((const char *)str + at, name) == 0) {
			*to = uint_load(sym + 8, 8, false);
			return true;
		}
	}
	return false;
}
