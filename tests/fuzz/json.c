/* SPDX-License-Identifier: ISC */
/*
 * OSDK's JSON. What is read becomes trace text, which becomes JSON again; the
 * first byte chooses to begin with trace text instead.
 */
#include <stdint.h>

#include "../../cmd/kst-json/capture.h"
#include "fuzz.h"
#include "text/json.h"

static void
put_trace(void *arg, struct capture *c)
{
	capture_put_trace(c, ++*(uint64_t *)arg);
}

static void
put_json(void *arg, struct capture *c)
{
	++*(uint64_t *)arg;
	capture_put_json(c);
}

static void
from_json(const uint8_t *data, size_t size)
{
	struct capture c = {0};
	struct cpus all = {0};
	struct json j;
	struct in in;
	uint64_t n = 0;

	fuzz_in_init(&in, data, size);
	json_init(&j, &in);
	if (!osdk_read(&j, &c, &all, put_trace, &n) && j.err == NULL)
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
	uint64_t n = 0;

	memset(&c, 0, sizeof c);
	c.cpus = &all;
	c.put = put_json;
	c.arg = &n;
	collect_init(&c);
	fuzz_in_init(&in, data, size);
	if (in_fill(&in, 1))
		collect_trace(&c, &in);
	collect_done(&c);
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
