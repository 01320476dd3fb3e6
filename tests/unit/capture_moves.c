/* SPDX-License-Identifier: ISC */
/*
 * A guest that is reset, and whose kernel is elsewhere then: also where a part
 * of the new place is one of the old place.
 */
#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elfsym.h"
#include "guest/backend.h"
#include "native/native.h"
#include "native/sampler.h"
#include "unit.h"
#include "wire/wire.h"

enum { ROOM = 0x100000, LINKED = 0x40000, SIZE = 0x10000, AT = 0x9000 };
enum { RSP = 7, RIP = 16 }; /* DWARF's numbers */

static uint8_t memory[ROOM], code[SIZE];
static struct sampler *sampler;
static uint64_t pc;
static bool paged;

static int
read_list(void *arg, const struct sampler_read *list, size_t n)
{
	uint8_t *to;

	(void)arg;
	for (size_t i = 0; i < n; i++) {
		if (list[i].at >= ROOM || list[i].len > ROOM - list[i].at)
			continue;
		to = snap_add(&sampler->shot.cpu[list[i].cpu].snap,
		    list[i].addr, list[i].len);
		if (to != NULL)
			memcpy(to, memory + list[i].at, list[i].len);
	}
	return 0;
}

static int
stop(void *arg)
{
	struct vcpu *c = &sampler->shot.cpu[0];

	(void)arg;
	c->ok = true;
	c->regs.r[RIP] = pc;
	c->regs.r[RSP] = 0x8000;
	c->regs.paged = paged;
	c->regs.mode = UNWIND_MODE_KERNEL;
	return 0;
}

static int
nothing(void *arg)
{
	(void)arg;
	return 0;
}

static int
look(void *arg, bool readable)
{
	(void)arg;
	(void)readable;
	return 0;
}

static int
meet(void *arg, const struct target *t)
{
	static struct wire wire;
	struct sampler *s = sampler = arg;

	(void)t;
	s->conn.w = &wire;
	s->guest.abi = &unwind_abis[UNWIND_X86_64];
	s->conn.chunk = 0x800;
	sampler_add(s);
	return 0;
}

/* An ELF file of the code alone. */
static struct elfsym *
make_file(void)
{
	static const char names[] = "\0.text\0.names";
	const Elf64_Ehdr eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
				   ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof eh,
	    .e_ehsize = sizeof eh,
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	    .e_shoff = 0x100,
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = 3,
	    .e_shstrndx = 2};
	const Elf64_Phdr ph = {.p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_offset = 0x1000,
	    .p_vaddr = LINKED,
	    .p_filesz = SIZE,
	    .p_memsz = SIZE,
	    .p_align = 0x1000};
	const Elf64_Shdr sh[] = {{0},
	    {.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = LINKED,
		.sh_offset = 0x1000,
		.sh_size = SIZE},
	    {.sh_name = 7,
		.sh_type = SHT_STRTAB,
		.sh_offset = 0x800,
		.sh_size = sizeof names}};
	const int fd = memfd_create("kernel", MFD_CLOEXEC);
	struct buf err = BUF_INIT;
	struct elfsym *sym;
	char path[40];

	CHECK(pwrite(fd, &eh, sizeof eh, 0) == sizeof eh);
	CHECK(pwrite(fd, &ph, sizeof ph, sizeof eh) == sizeof ph);
	CHECK(pwrite(fd, sh, sizeof sh, 0x100) == sizeof sh);
	CHECK(pwrite(fd, names, sizeof names, 0x800) == sizeof names);
	CHECK(pwrite(fd, code, SIZE, 0x1000) == SIZE);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	sym = elfsym_load(path, 0, &err);
	CHECK(sym != NULL);
	buf_done(&err);
	return sym;
}

static void
load_at(uint64_t base)
{
	memset(memory, 0, sizeof memory);
	memcpy(memory + base, code, SIZE);
}

/* A sample of a CPU there; how far the kernel is from where it was linked. */
static uint64_t
take(uint64_t at, bool pages)
{
	struct sample sample = {0};

	pc = at;
	paged = pages;
	CHECK(sampler_sample(sampler, &sample) == SAMPLE_OK);
	buf_done(&sample.text);
	return sample.slide;
}

int
main(void)
{
	static const struct sampler_ops ops = {
	    meet, look, stop, read_list, nothing, nothing, NULL};
	struct target_image image = {0};
	struct target target = {
	    .kernel_base = 1, .image = &image, .n_image = 1};
	uint32_t next = 1;

	for (size_t i = 0; i < SIZE; i++, next = next * 1103515245 + 12345)
		code[i] = (uint8_t)(next >> 16);
	image.sym = make_file();
	sampler_open(sizeof *sampler, &ops, &target);
	load_at(LINKED);
	CHECK(take(LINKED + AT, true) == 0);
	/* Unasked, nobody looks where a kernel is that has its addresses. */
	load_at(LINKED + 0x8000);
	CHECK(take(LINKED + AT, true) == 0);
	CHECK(take(0x500, false) == 0);
	CHECK(take(LINKED + AT, true) == 0x8000);
	/* One that is nowhere of the old place is looked for at once. */
	load_at(LINKED + 0x40000);
	CHECK(take(LINKED + 0x40000 + AT, true) == 0x40000);
	sampler_close(sampler, false);
	elfsym_free(image.sym);
	return unit_end();
}
