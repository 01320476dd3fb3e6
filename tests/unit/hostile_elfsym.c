/* SPDX-License-Identifier: ISC */
/*
 * The seeds of the fuzz entry, cut at every 64th byte, and with bytes
 * changed at random by a fixed seed: each is loaded and looked up, and must
 * neither crash nor take long. Meant for the build with sanitizers.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "unit.h"

/* The fuzz entry's function, which is linked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUT = 64, ROUNDS = 5000 };

static unsigned
next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16 & 0x7fff;
}

static size_t
read_seed(const char *name, uint8_t **data)
{
	char path[512];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "tests/fuzz/elfsym.seeds/%s", name);
	f = fopen(path, "rb");
	if (f == NULL)
		return 0;
	*data = xmalloc(1 << 20);
	n = fread(*data, 1, 1 << 20, f);
	fclose(f);
	return n;
}

/* Changes a few bytes, in the headers at the end more often than elsewhere. */
static void
damage(uint8_t *p, size_t n, unsigned *seed)
{
	static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff};
	const unsigned changes = next_random(seed) % 8 + 1;

	for (unsigned i = 0; i < changes; i++) {
		size_t at =
		    ((size_t)next_random(seed) << 15 | next_random(seed)) % n;

		if (next_random(seed) % 4 == 0)
			at = n - 1 - at % (n / 4);
		if (next_random(seed) % 2)
			p[at] = odd[next_random(seed) % sizeof odd];
		else
			p[at] ^= (uint8_t)(1 << next_random(seed) % 8);
	}
}

/* The seed as it is has names, inlined calls and lines to lose. */
static void
check_whole(const char *name)
{
	struct buf err = BUF_INIT;
	struct elfsym *s;
	const struct elfsym_frame *f;
	const unsigned char *bytes;
	size_t deep = 0;
	char path[512];
	uint64_t addr, len;

	snprintf(path, sizeof path, "tests/fuzz/elfsym.seeds/%s", name);
	s = elfsym_load(path, ELFSYM_INLINE | ELFSYM_LINES, &err);
	CHECK(s != NULL && elfsym_section(s, ".text", &addr, &len, &bytes));
	for (uint64_t i = 0; s != NULL && i < len; i++)
		deep += elfsym_frames(s, addr + i, &f) == 3 && f[0].line > 0;
	CHECK(deep > 10);
	elfsym_free(s);
	buf_done(&err);
}

static void
test_seed(const char *name)
{
	uint8_t *data = NULL, *copy;
	const size_t n = read_seed(name, &data);
	unsigned seed = 1;
	const clock_t start = clock();

	CHECK(n > 1000);
	if (n <= 1000)
		return;
	check_whole(name);
	for (size_t len = 0; len < n; len += CUT) {
		LLVMFuzzerTestOneInput(data, len);
	}
	copy = xmalloc(n);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(copy, data, n);
		damage(copy, n, &seed);
		LLVMFuzzerTestOneInput(copy, n);
	}
	free(copy);
	free(data);
	CHECK((clock() - start) / CLOCKS_PER_SEC < 30);
}

int
main(void)
{
	DIR *dir = opendir("tests/fuzz/elfsym.seeds");
	struct dirent *e;

	CHECK(dir != NULL);
	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			test_seed(e->d_name);
	if (dir != NULL)
		closedir(dir);
	return unit_end();
}
