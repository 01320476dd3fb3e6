/* SPDX-License-Identifier: ISC */
/* A palette file, a name that its rules are asked about, and a colour. */
#include <stdint.h>

#include "colour/palette.h"
#include "fuzz.h"
#include "colour/rgb.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct palette *p = palette_new();
	const char *text = (const char *)data;
	size_t name = size < 20 ? size : 20;
	struct rgb colour;

	fuzz_quiet();
	palette_add(p, "fuzz", text + name, size - name);
	palette_of(p, text, name);
	palette_free(p);
	rgb_parse(text, size, &colour);
	return 0;
}
