/* SPDX-License-Identifier: ISC */
/*
 * OSDK's JSON. What is read becomes trace text, which becomes JSON again; the
 * first byte chooses to begin with trace text instead.
 */
#include <stdint.h>

#include "../../cmd/kst-json/capture.h"
#include "../../cmd/kst-json/collect.h"
#include "../../cmd/kst-json/osdk.h"
#include "fuzz.h"

static void
from_json(const uint8_t *data, size_t size)
{
	struct cpus all = {0};
	struct capture c = {.cpus = &all};
	const char *why = NULL;
	struct in in;

	fuzz_in_init(&in, data, size);
	if (in_fill(&in, 1))
		why = osdk_read(&c, &in);
	if (why && strstr(why, "(null)"))
		abort();
	capture_done(&c);
	in_done(&in);
}

static void
to_json(const uint8_t *data, size_t size)
{
	static struct collect c;
	struct cpus all = {0};
	struct in in;

	memset(&c, 0, sizeof c);
	c.capture.cpus = &all;
	stacks_init(&c.in, true);
	fuzz_in_init(&in, data, size);
	if (in_fill(&in, 1))
		collect_trace(&c, &in);
	capture_done(&c.capture);
	stacks_done(&c.in);
	in_done(&in);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *text;
	size_t len;

	if (size == 0)
		return 0;
	if (data[0] & 1) {
		to_json(data + 1, size - 1);
		fuzz_drop_output();
		return 0;
	}
	from_json(data + 1, size - 1);
	len = out.len;
	text = xmalloc(len + 1);
	if (len)
		memcpy(text, out.p, len);
	fuzz_drop_output();
	to_json(text, len);
	fuzz_drop_output();
	free(text);
	return 0;
}
