/* SPDX-License-Identifier: ISC */
/*
 * ELF files with call frame information: a stack unwound from addresses all
 * over their code, on a memory that holds such addresses. And the same bytes
 * as Linux' own tables. Reaches risc_read, arm_insn_read and gotab_read.
 */
#include "unwind/walk.h"

#include <elf.h>
#include <sys/mman.h>

#include "fuzz.h"

enum { STARTS = 12 };

struct memory {
	uint64_t low, size;
	unsigned reads;
};

/* Addresses in the stack and in the code, in turns; now and then nothing. */
static int
read_memory(void *arg, uint64_t addr, uint64_t *word)
{
	struct memory *m = arg;

	m->reads++;
	if (m->reads % 97 == 0)
		return -1;
	if (m->reads % 3 == 0)
		*word = (addr & ~(uint64_t)7) + 32;
	else
		*word = m->low + (addr >> 3) * 7 % (m->size + 1);
	return 0;
}

static void
walk_all(struct unwinder *u, const struct uelf *e)
{
	static struct unwind_stack st;
	struct memory m = {e->low, e->high - e->low, 0};
	struct unwind_regs r = {0};

	for (uint64_t i = 0; i < STARTS; i++) {
		for (int k = 0; k < UNWIND_REGS; k++)
			r.r[k] = 0x7fff0000 + 64 * (uint64_t)k;
		r.r[u->abi->pc] = m.low + m.size / STARTS * i;
		r.has_exception = i % 2;
		r.exception_pc = m.low + i;
		unwinder_run(u, &r, read_memory, &m, &st);
		if (st.n == 0 || st.n > UNWIND_DEPTH)
			abort();
	}
}

/* A tenth of the bytes each: the addresses, the entries. */
static void
try_orc(const uint8_t *data, size_t size)
{
	struct orc_sections s = {
	    data, data + size / 10 * 4, size / 10 * 4, size / 10 * 6, 1 << 20};
	struct orc *o = orc_new(&s);
	struct caller c;

	for (uint64_t i = 0; o != NULL && i < STARTS; i++)
		orc_find(o, s.ip_addr + i * size / STARTS, &c);
	orc_free(o);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct unwind_module *m = NULL;
	char path[32];
	const char *why;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (int a = 0; a < UNWIND_ARCHS && m == NULL; a++) {
		const unsigned machine =
		    size > 19 ? data[18] | data[19] << 8 : 0;
		struct unwinder *u;

		if (machine != unwind_abis[a].machine && machine != EM_NONE)
			continue; /* it would refuse the file */
		u = unwinder_new((enum unwind_arch)a);
		m = unwinder_add(u, path, 0, false, &why);
		if (m != NULL)
			walk_all(u, m->e);
		unwinder_free(u);
	}
	close(fd);
	try_orc(data, size);
	return 0;
}
