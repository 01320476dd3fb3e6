/* SPDX-License-Identifier: ISC */
#include "elf/elfspec.h"

#include <string.h>
#include <unistd.h>

#include "base/num.h"

size_t
elfspec_split(const char *spec, char *how, uint64_t *val)
{
	const char *at = strrchr(spec, '@'), *p;

	*how = 0;
	if (at == NULL || at == spec || access(spec, F_OK) == 0)
		return strlen(spec);
	p = at + 1;
	*how = *p == '+' ? '+' : '@';
	p += *p == '+';
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	if (num_hex(p, strlen(p), val) == 0)
		return (size_t)(at - spec);
	*how = 0;
	return strlen(spec);
}
