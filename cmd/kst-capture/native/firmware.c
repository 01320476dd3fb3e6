/* SPDX-License-Identifier: ISC */
/*
 * Firmware that takes an interrupt from below leaves mscratch pointing above
 * the registers that it has saved: x0 to x31, mepc and mstatus in this order,
 * as OpenSBI of any version does.
 */
#include "native/firmware.h"

#include <string.h>

#include "base/num.h"

enum {
	WORDS = 64,	  /* that far below mscratch the registers are */
	ENTRY_CODE = 512, /* the firmware's entry is not longer */
	SP = 2,
	PC = 32
};

static unsigned
previous_mode(uint64_t mstatus)
{
	return mstatus >> 11 & 3;
}

static bool
is_call(uint32_t w)
{
	return (w & 0xfff) == 0x0ef || (w & 0x7fff) == 0x00e7 || /* jal, jalr */
	       ((w & 0xf07f) == 0x9002 && (w & 0xf80) != 0);	 /* c.jalr */
}

enum entry {
	ENTRY_DONE,  /* the CPU has left it */
	ENTRY_SP,    /* it still has the interrupted one's stack pointer */
	ENTRY_SAVED, /* that is saved */
	ENTRY_OTHER  /* it is not of the known kind */
};

/*
 * How far the entry's code is, which saves all registers before it calls. Until
 * then they are as they were, but for tp, t0, and sp, which is set from t0.
 */
static enum entry
look_at_entry(struct vcpu *c, vcpu_read *read, void *arg)
{
	uint64_t entry = c->firmware.reg[MACHINE_TVEC] & ~UINT64_C(3);
	uint64_t done = c->regs.r[PC] - entry;
	enum entry state = ENTRY_SP;
	uint8_t code[ENTRY_CODE];
	uint32_t w;

	if (done >= sizeof code)
		return ENTRY_DONE;
	if (read(arg, c, entry, code, sizeof code) != 0)
		return ENTRY_OTHER;
	for (size_t at = 0, n; at + 4 <= sizeof code; at += n) {
		n = (code[at] & 3) == 3 ? 4 : 2;
		w = (uint32_t)uint_load(code + at, n, false);
		if ((w & 0xfff) == 0x173) /* csrrw sp */
			return ENTRY_OTHER;
		if (at >= done)
			return state;
		if (is_call(w))
			return ENTRY_DONE;
		if ((w & 0xfffff) == 0x28113) /* addi sp, t0, n */
			state = ENTRY_SAVED;
	}
	return ENTRY_OTHER;
}

/* For a CPU in the entry. */
static bool
take_back(struct vcpu *c, enum entry state, vcpu_read *read, void *arg)
{
	uint8_t bytes[8];

	if (state == ENTRY_SAVED) {
		if (read(arg, c, c->regs.r[SP] + 8 * SP, bytes, 8) != 0)
			return false;
		c->regs.r[SP] = uint_load(bytes, 8, false);
	}
	c->regs.r[PC] = c->firmware.reg[MACHINE_EPC];
	return true;
}

/*
 * The saved registers are where the address is that the processor has, or the
 * next one after a call, with a zero for x0 and the same mode.
 */
static bool
find_saved(struct vcpu *c, vcpu_read *read, void *arg)
{
	const uint64_t pc = c->firmware.reg[MACHINE_EPC];
	const unsigned mode = previous_mode(c->firmware.reg[MACHINE_STATUS]);
	uint64_t top = c->firmware.reg[MACHINE_SCRATCH], word[WORDS];
	uint8_t bytes[8 * WORDS];

	if ((top & 7) != 0 ||
	    read(arg, c, top - sizeof bytes, bytes, sizeof bytes) != 0)
		return false;
	for (int i = 0; i < WORDS; i++)
		word[i] = uint_load(bytes + 8 * i, 8, false);
	for (int i = WORDS - 2; i >= PC; i--) {
		if ((word[i] != pc && word[i] != pc + 4) || word[i - PC] != 0 ||
		    previous_mode(word[i + 1]) != mode)
			continue;
		memcpy(c->regs.r, word + i - PC, (PC + 1) * sizeof *word);
		return true;
	}
	return false;
}

bool
firmware_leave(struct vcpu *c, vcpu_read *read, void *arg)
{
	const uint64_t own = c->regs.r[PC], epc = c->firmware.reg[MACHINE_EPC];
	const unsigned mode = previous_mode(c->firmware.reg[MACHINE_STATUS]);
	enum entry state;

	if (c->firmware.seen != (1 << MACHINE_REGS) - 1 || epc == 0 || mode > 1)
		return false;
	state = look_at_entry(c, read, arg);
	if (state == ENTRY_OTHER ||
	    (state == ENTRY_DONE ? !find_saved(c, read, arg)
				 : !take_back(c, state, read, arg)))
		return false;
	c->regs.mode = mode == 0 ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
	c->firmware.at = own;
	c->firmware.translate = true;
	return true;
}

bool
firmware_translates(struct vcpu *c)
{
	return c->regs.mode == UNWIND_MODE_FIRMWARE && c->regs.has_machine &&
	       previous_mode(c->firmware.reg[MACHINE_STATUS]) <= 1;
}
