/* SPDX-License-Identifier: ISC */
/* Knows the instructions that the end of an exception is made of. */
#include <string.h>

#include "unwind/insn.h"
#include "unwind/saved.h"

/* Where registers are loaded from, and what is done with them. */
struct leave {
	struct saved *s;
	int32_t slot[UNWIND_REGS];
	int pc;
};

static void
restore(struct leave *l, unsigned reg, int32_t off)
{
	l->slot[reg] = l->s->at[reg] = off;
}

/* From a register that was loaded here, or before. */
static void
set_pc(struct leave *l, unsigned reg)
{
	l->s->at[l->pc] = l->slot[reg];
	if (l->slot[reg] < 0)
		l->s->pc_in = (int)reg;
}

static void
set_status(struct leave *l, unsigned reg)
{
	l->s->status = l->slot[reg];
	if (l->slot[reg] < 0)
		l->s->status_in = (int)reg;
}

/* Returns whether it is the return. */
static bool
leave_aarch64(struct leave *l, uint32_t w)
{
	unsigned d = w & 31;
	int32_t pair = insn_sign(w >> 15 & 127, 7) * 8;

	if ((w & 0xffc003e0) == 0xa94003e0) { /* ldp d, e, [sp, #pair] */
		restore(l, d, pair);
		restore(l, w >> 10 & 31, pair + 8);
	} else if ((w & 0xffc003e0) == 0xf94003e0) { /* ldr d, [sp, #imm] */
		restore(l, d, 8 * (int32_t)(w >> 10 & 0xfff));
	} else if ((w & 0xffffffe0) == 0xd5184020) { /* msr elr_el1, d */
		set_pc(l, d);
	} else if ((w & 0xffffffe0) == 0xd5184000) { /* msr spsr_el1, d */
		set_status(l, d);
	} else if ((w & 0xffffffe0) == 0xd5184100) { /* msr sp_el0, d */
		l->s->at[A64_SP] = l->slot[d];
	} else if ((w & 0xffc003ff) == 0x910003ff) { /* add sp, sp, #imm */
		l->s->below = (int32_t)(w >> 10 & 0xfff);
	}
	return w == 0xd69f03e0; /* eret */
}

static bool
leave_riscv(struct leave *l, uint32_t w)
{
	unsigned d = w >> 7 & 31, a = w >> 15 & 31;

	if ((w & 3) != 3) {
		if ((w & 0xe003) == 0x6002) /* c.ldsp d, imm */
			restore(l, d,
			    (int32_t)((w >> 12 & 1) << 5 | (w >> 5 & 3) << 3 |
				      (w >> 2 & 7) << 6));
	} else if ((w & 0x707f) == 0x3003 && a == RV_SP) { /* ld d, imm(sp) */
		restore(l, d, insn_sign(w >> 20, 12));
	} else if ((w & 0xfff07fff) == 0x14101073) { /* csrw sepc, a */
		set_pc(l, a);
	} else if ((w & 0xfff07fff) == 0x10001073) { /* csrw sstatus, a */
		set_status(l, a);
	}
	return w == 0x10200073; /* sret */
}

bool
saved_leaving(
    enum unwind_arch arch, const uint8_t *code, size_t n, struct saved *s)
{
	struct leave l = {.s = s, .pc = unwind_abis[arch].pc};
	bool done = false;
	uint32_t w;

	memset(s, 0, sizeof *s);
	memset(s->at, 0xff, sizeof s->at);
	s->status = s->below = s->pc_in = s->status_in = -1;
	memset(l.slot, 0xff, sizeof l.slot);
	for (size_t i = 0, len; !done && i < n; i += len) {
		len = insn_length(arch, code + i, n - i, &w);
		if (len == 0)
			break;
		done = arch == UNWIND_AARCH64 ? leave_aarch64(&l, w)
					      : leave_riscv(&l, w);
	}
	for (int r = 0; r < UNWIND_REGS; r++)
		s->own |= (uint64_t)(s->at[r] < 0) << r;
	return done;
}
