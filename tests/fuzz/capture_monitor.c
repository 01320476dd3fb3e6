/* SPDX-License-Identifier: ISC */
/*
 * What QEMU's monitor prints: where the guest's memory and timer are. Its
 * answers are the lines between lines `--`, one after the other.
 */
#include <unistd.h>

#include "memory/outside.h"
#include "wire/stood.h"

#include "fuzz.h"

struct answers {
	const char *p;
	size_t left;
};

static int
ask(void *arg, const char *command, struct buf *text)
{
	struct answers *a = arg;
	const char *end = a->left ? memmem(a->p, a->left, "--\n", 3) : NULL;
	const size_t n = end ? (size_t)(end - a->p) : a->left;

	(void)command;
	buf_add(text, a->p, n);
	a->p += n + (end ? 3 : 0);
	a->left -= n + (end ? 3 : 0);
	return a->left > 0 || n > 0 ? 0 : -1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answers answers = {(const char *)data, size};
	const struct monitor m = {ask, &answers};
	struct outside *o = outside_open(getpid());
	struct stood s = {0};
	uint8_t b[64];

	fuzz_quiet();
	stood_begin(&s, &m);
	if (o != NULL)
		outside_map(o, &m);
	for (uint64_t i = 1; i < 9; i++) {
		const uint64_t now = i << 32;
		struct stop stop;

		if (o != NULL)
			outside_copy_still(o, i << 20, b, sizeof b);
		stop = (struct stop){.asked = now, .stood = now + i};
		stood_look(&s, &stop, &m);
		stop.going = now + i;
		stop.gone = now + 2 * i;
		stood_add(&s, &stop);
	}
	outside_free(o);
	return 0;
}
