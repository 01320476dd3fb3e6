/* SPDX-License-Identifier: ISC */
#include "linux/object.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
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

bool
object_is_linux(struct elfsym *kernel)
{
	/* the first two are not in the symbols of each kernel as it boots */
	static const char *const both[] = {"start_kernel", "copy_process"};
	struct elfsym_func f;
	uint64_t at;
	unsigned has = 0;

	if (object_find(kernel, "linux_banner", &at) ||
	    object_find(kernel, "init_task", &at))
		return true;
	for (size_t i = 0; elfsym_nth(kernel, i, &f); i++)
		for (unsigned k = 0; k < 2; k++)
			if (bytes_is(f.name, f.len, both[k]))
				has |= 1U << k;
	return has == 3;
}
