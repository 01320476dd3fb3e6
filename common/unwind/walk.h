/* SPDX-License-Identifier: ISC */
/* Private to the room: one stack in the making, and a step up it. */
#ifndef KST_WALK_H
#define KST_WALK_H

#include "cfi/uelf.h"
#include "unwind/unwind.h"

struct risc_frame; /* of insn/risc.h */

struct unwind_rule {
	uint64_t start, end;
	bool root;
	struct caller entry;
};

struct unwind_module {
	struct uelf *e;
	uint64_t bias;
	bool use;
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
	/* A guessed return address must follow a call; of the function. */
	enum { PROOF_NONE, PROOF_CALL, PROOF_FUNCTION } proof;
	uint64_t start;	  /* where the function begins */
	bool any_code;	  /* read also code that is in no module */
	uint64_t no_code; /* an address whose code is not there; 0: none */
};

/* Whether a register of the frame can be relied on. */
static inline bool
walk_knows(const struct walk *w, unsigned reg)
{
	return (w->known >> reg & 1) != 0;
}

/*
 * The stages of a step, in their order: each may know where the caller's
 * registers are (w->caller, w->proof), or why the stack ends.
 */
enum stage_result { STAGE_NEXT, STAGE_FOUND, STAGE_END };
typedef enum stage_result walk_stage(struct walk *w);

walk_stage stage_vector; /* the beginning of an exception */
walk_stage stage_rule;	 /* a rule for the function */
walk_stage stage_orc;	 /* the kernel's own tables */
walk_stage stage_cfi;	 /* call frame information */
walk_stage stage_entry;	 /* the code of an exception's entry */
walk_stage stage_frames; /* frame pointers; of arm the code */
walk_stage stage_code;	 /* the code of a function without */

/*
 * Steps by a function's code on arm. Neither compiler's frame pointers lead to
 * a record at a known place; the code tells where it has them, as exception
 * tables would.
 */
enum stage_result walk_arm(struct walk *w);

/*
 * Replaces the registers of Cortex-M, which return from an exception, by those
 * of what it has interrupted.
 */
enum stage_result walk_leave_exception(struct walk *w);

/* Whether a return address says that nobody called. */
bool walk_no_caller(const struct walk *w, uint64_t pc);

/* Whether a CPU of Cortex-M is at the first instruction of a handler. */
bool walk_at_handler(const struct walk *w, const struct unwind_regs *regs);

/* Sets why the stack ends. */
enum stage_result walk_end(struct walk *w, enum unwind_end end);

/* Replaces the registers by those of the caller; -1 when there is none. */
int walk_step(struct walk *w);

/* The module in use that holds an address, NULL: none; of the walk's code. */
struct unwind_module *unwinder_find(const struct unwinder *u, uint64_t addr);
struct unwind_module *walk_find(const struct walk *w, uint64_t addr);

/* In a module, which may be NULL. */
struct function walk_function(const struct unwind_module *m, uint64_t addr);

/*
 * The frame of a function that has called, as risc_frame() reads it from the
 * code up to the call, and `more` bytes. Returns false when that is not known,
 * or the processor does not keep the return address in a register.
 */
bool walk_called(
    const struct walk *w, size_t more, struct risc_frame *f, const bool *until);

/*
 * The caller by the code of a function of x86_64 in the file: what a kernel
 * patches leaves the stack. Returns whether it tells; w->start is set.
 */
bool walk_by_code(struct walk *w, struct caller *c);

/*
 * That in w->made, if the return address follows a call. STAGE_NEXT: it is not
 * known; STAGE_END, without a reason: it does not.
 */
enum stage_result walk_by_return(struct walk *w);

/* Code of a module; with w->any_code, any. Returns how many bytes there are. */
size_t walk_code(struct walk *w, uint64_t addr, uint8_t *to, size_t n);

/* Reads a word of the stack; arg is a struct walk. */
int walk_memory(void *arg, uint64_t addr, uint64_t *word);

/*
 * Looks whether the function with call frame information is an exception's
 * entry all the same, by its code in the file.
 */
bool walk_file_entry(struct walk *w);

/*
 * Whether frame pointers, from that of a CPU up to an exception's entry, lead
 * to a caller that its stack lacks: between two of its frames, or after its
 * end, if no rule, table or code tells that end. What they do not lead through
 * proves nothing.
 */
bool walk_frames_differ(struct walk *w, uint64_t fp);

/* A return address without aarch64's signature, or arm's bit of Thumb. */
uint64_t walk_unsigned(const struct walk *w, uint64_t pc);

/* Whether an exception leads to the CPU's program counter. */
bool walk_at_vector(const struct walk *w, const struct unwind_regs *regs);

/* Whether the function around an address is Thumb code. */
bool walk_thumb(const struct walk *w, uint64_t addr);

/* Whether an address follows a call, as return addresses do. */
bool walk_is_return(struct walk *w, uint64_t addr);

/* Whether the words there can be cs and the flags of x86. */
bool walk_flags(struct walk *w, uint64_t at);

/*
 * Whether the words at an address are those that an interrupt pushes on x86.
 * Adds the rules by which the caller is what it interrupted; `cfa` is the CFA
 * of w->made.
 */
bool walk_pushed(struct walk *w, uint64_t at, uint64_t cfa);

#endif
