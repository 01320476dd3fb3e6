/* SPDX-License-Identifier: ISC */
/* A module's symbols and unwind tables in the guest's memory. */
#include "linux/modfile.h"

#include <elf.h>
#include <string.h>

#include "elf/elfsym.h"
#include "fuzz.h"

enum { FILE_WORDS = 8 };

struct memory {
	const uint8_t *p;
	size_t n;
};

static int
read_memory(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const struct memory *m = arg;

	if (addr > m->n || m->n - addr < n)
		return -1;
	memcpy(to, m->p + addr, n);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = {data, size};
	const struct reader r = {read_memory, &m};
	const struct elfsym_frame *f;
	struct elfsym *sym;
	struct modfile file = {.size = 0x1000,
	    .symtab = FILE_WORDS,
	    .orc_ip = FILE_WORDS,
	    .orc = FILE_WORDS,
	    .name = "m"};

	fuzz_quiet();
	if (size < FILE_WORDS)
		return 0;
	file.text = data[0];
	file.symbols = data[1];
	file.strtab = FILE_WORDS + data[2];
	file.orcs = data[3];
	sym = modfile_read(&r, &file, EM_X86_64);
	for (uint64_t a = 0; sym != NULL && a < 0x1000; a += 64)
		elfsym_frames(sym, file.text + a, &f);
	elfsym_free(sym);
	return 0;
}
