/* SPDX-License-Identifier: ISC */
/* Decides whether symbols can match. */
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
    elfcheck_read *read, void *arg, int *equal)
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

bool
elfcheck_fits(
    struct elfsym *elf, elfcheck_read *read, void *arg, struct elfcheck *result)
{
	const unsigned char *code = NULL;
	uint64_t addr, size;

	if (!elfsym_section(elf, ".text", &addr, &size, &code) ||
	    code == NULL || size == 0)
		return true; /* nothing to compare with */
	result->places = compare(code, addr, size, read, arg, &result->equal);
	return result->places > 0 && result->equal * 2 >= result->places;
}

void
elfcheck_refuse(const char *path, const struct elfcheck *result)
{
	const char *name = msg_str(path);

	if (signals_caught > 1)
		msg("interrupted");
	else if (result->places == 0)
		msg("%s is not the running kernel, or it has not started yet: "
		    "no CPU is in its code (--no-check samples all the same)",
		    name);
	else
		msg("%s is not the running kernel: its code differs from the "
		    "guest's memory at %d of %d places (--no-check samples "
		    "all the same)",
		    name, result->places - result->equal, result->places);
}

int
elfcheck(const struct target *t, elfcheck_read *read, void *arg)
{
	struct elfcheck result;

	if (t->n_image == 0 || !t->check ||
	    elfcheck_fits(t->image[0].sym, read, arg, &result) ||
	    (result.places == 0 && signals_caught <= 1))
		return 0;
	elfcheck_refuse(elfsym_path(t->image[0].sym), &result);
	return -1;
}
