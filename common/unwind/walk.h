/* SPDX-License-Identifier: ISC */
/* Private to the room: one stack in the making, and a step up it. */
#ifndef KST_WALK_H
#define KST_WALK_H

#include "cfi/uelf.h"
#include "unwind/unwind.h"

struct risc_frame; /* of insn/risc.h */
struct walk_pair;

struct unwind_rule {
	uint64_t start, end;
	bool root;
	struct caller entry;
};

struct unwind_module {
	struct uelf *e;
	uint64_t bias;
	uint64_t low, high; /* of the file's addresses, those it holds */
	bool again;	    /* all else belongs to another module */
	bool use;
	bool bare;		  /* its functions were not looked for yet */
	bool program;		  /* its code is the file's */
	bool frames;		  /* its functions have frames, or may have */
	bool records;		  /* they have frame pointers */
	struct unwind_rule *rule; /* by address */
	size_t n_rule;
};

struct unwinder {
	enum unwind_arch arch;
	const struct unwind_abi *abi;
	struct unwind_module **mod;
	size_t n_mod;
	struct unwind_settings set;
	struct walk_pair *pair; /* WALK_PAIRS */
};

/* The function around an address, and its code in the file. */
struct function {
	uint64_t start, size; /* size 0: not known */
	uint64_t at;	      /* of the address in it */
	const uint8_t *code;  /* n bytes from its start; NULL: none */
	size_t n;
};

struct walk {
	struct unwinder *u;
	unwind_read *read;
	void *arg;
	struct unwind_stack *st;
	struct unwind_regs regs;
	uint64_t known; /* a bit for each register that can be relied on */
	bool exact;	/* the frame to leave was interrupted */
	uint64_t last;	/* the pc of the CPU's last exception; 0: not told */

	/* For one step: */
	struct unwind_module *m; /* of the code; NULL: none */
	uint64_t lookup;	 /* the address to look up */
	bool switched;		 /* the code has left its caller's stack */
	const struct caller *caller;
	struct caller made; /* room for it */
	bool guessed;	    /* the return address must follow a call */
	bool by_record;	    /* that of a frame record */
	bool any_code;	    /* read also code that is in no module */
	uint64_t no_code;   /* an address whose code is not there; 0: none */
};

/* Whether a register of the frame can be relied on. */
static inline bool
walk_knows(const struct walk *w, unsigned reg)
{
	return (w->known >> reg & 1) != 0;
}

/*
 * The stages of a step, in their order. Each may find where the caller's
 * registers are (w->caller, w->guessed), or why the stack ends.
 */
enum stage_result { STAGE_NEXT, STAGE_FOUND, STAGE_END };
typedef enum stage_result walk_stage(struct walk *w);

/* Replaces the registers by those of the caller; -1 when there is none. */
int walk_step(struct walk *w);

#endif
