/* SPDX-License-Identifier: ISC */
#include "guest/sample.h"

#include <elf.h>
#include <stddef.h>

void
sample_clear(struct sample *s)
{
	s->text.len = 0;
	s->stacks = s->booting = s->user = 0;
	s->ends = (struct ends){0};
	s->stop_ns = s->slide = 0;
	s->extra = NULL;
}

/* PCs begin, and their firmware runs, in the lowest MiB or the last 16 MiB
 * below 4 GiB. */
static bool
pc_firmware(uint64_t pc)
{
	return pc < 0x100000 || (pc >= 0xff000000 && pc <= 0xffffffff);
}

/* The flash memory of QEMU's virt; its first ROM, and OpenSBI in memory. */
enum { AARCH64_FLASH = 0x8000000 };
#define RISCV64_SBI UINT64_C(0x80200000)
enum { LOONGARCH64_FLASH = 0x1c000000, LOONGARCH64_FLASH_SIZE = 0x2000000 };

bool
sample_firmware(unsigned machine, uint64_t pc)
{
	switch (machine) {
	case EM_AARCH64:
		return pc < AARCH64_FLASH;
	case EM_RISCV:
		return pc < RISCV64_SBI;
	case EM_LOONGARCH:
		return pc - LOONGARCH64_FLASH < LOONGARCH64_FLASH_SIZE;
	default:
		return pc_firmware(pc);
	}
}

void
sample_stack(struct sample *s, uint64_t pc, bool early)
{
	s->stacks++;
	s->booting += early || (pc && pc_firmware(pc));
}

bool
sample_is_boot(const struct sample *s)
{
	return s->stacks > 0 && s->booting == s->stacks;
}
