/* SPDX-License-Identifier: ISC */
/* A palette file, and a name that its rules are asked about. */
#include <stdint.h>

#include "../../cmd/kst-svg/palette.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct palette *p = palette_new();
	const char *text = (const char *)data;
	size_t name = size < 20 ? size : 20;

	fuzz_quiet();
	palette_add(p, "fuzz", text + name, size - name);
	palette_of(p, text, name);
	palette_free(p);
	return 0;
}
