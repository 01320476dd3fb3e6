/* SPDX-License-Identifier: ISC */
/* A palette file, a name that its rules are asked about, and a colour. */
#include <stdint.h>

#include "colour/colour.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct colours *c = colours_new("chain", NULL);
	const char *text = (const char *)data;
	size_t name = size < 20 ? size : 20;
	struct hues hues;
	struct rgb colour;

	fuzz_quiet();
	c->built_in = false; /* its patterns may be wrong */
	palette_add(c, "fuzz", text + name, size - name);
	palette_end(c);
	colour_of(c, text, name);
	colours_free(c);
	rgb_parse(text, size, &colour);
	rgb_parse_hues(text, size, &hues);
	return 0;
}
