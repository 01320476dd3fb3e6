/* SPDX-License-Identifier: ISC */
/* The only file that decides whether symbols can match. */
#include "guest/elfcheck.h"

#include <string.h>

#include "guest/backend.h"
#include "wire/clock.h"
#include "elf/elfsym.h"
#include "base/msg.h"

enum { PLACES = 16, BYTES = 32 };

/* How many places can be read, and how many are equal. */
static int
compare(const unsigned char *code, uint64_t addr, uint64_t size,
    int (*read)(void *arg, uint64_t addr, unsigned char *to, size_t len),
    void *arg, int *equal)
{
	unsigned char seen[BYTES];
	int readable = 0;

	*equal = 0;
	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t at =
		    size <= BYTES ? 0 : (size - BYTES) / (PLACES - 1) * i;
		size_t n = size < BYTES ? (size_t)size : BYTES;

		if (read(arg, addr + at, seen, n) != 0)
			continue;
		readable++;
		*equal += memcmp(seen, code + at, n) == 0;
	}
	return readable;
}

int
elfcheck(const struct target *t,
    int (*read)(void *arg, uint64_t addr, unsigned char *to, size_t len),
    void *arg)
{
	const unsigned char *code = NULL;
	const char *name;
	uint64_t addr, size;
	int equal, readable;

	if (t->code == NULL || !t->check)
		return 0;
	name = msg_str(t->elf);
	if (!elfsym_section(t->code, ".text", &addr, &size, &code) ||
	    code == NULL || size == 0)
		return 0; /* nothing to compare with */
	readable = compare(code, addr, size, read, arg, &equal);
	if (readable > 0 && equal * 2 >= readable)
		return 0;
	if (signals_caught > 1)
		msg("interrupted");
	else if (readable == 0)
		msg("%s is not the running kernel, or it has not started yet: "
		    "its code is not mapped (--no-check samples all the same)",
		    name);
	else
		msg("%s is not the running kernel: its code differs from the "
		    "guest's memory at %d of %d places (--no-check samples "
		    "all the same)",
		    name, readable - equal, readable);
	return -1;
}
