/* SPDX-License-Identifier: ISC */
/*
 * One CPU of the guest in one sample, as the backends without gdb see it: its
 * registers, parts of its memory, and the call stack made of them.
 */
#ifndef VCPU_H
#define VCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/reader.h"
#include "memory/memory.h"
#include "memory/pages.h"
#include "unwind/unwind.h"

/* How much of one stack is read at most, and how many files one stack has. */
enum { WINDOW_MAX = 256 << 10, VCPU_PROGRAMS = 32 };

struct elfsym;

/* A program or library at one place. */
struct program {
	const char *name;	      /* of the file, without folder */
	struct elfsym *sym;	      /* NULL: there is no file */
	uint64_t bias;		      /* what its symbols are to be moved by */
	struct unwind_module *module; /* not in use; NULL: it has no code */
};

/* Registers of riscv64's machine mode: mepc, mstatus, mscratch, mtvec; satp. */
enum machine_reg {
	MACHINE_EPC,
	MACHINE_STATUS,
	MACHINE_SCRATCH,
	MACHINE_TVEC,
	MACHINE_ATP,
	MACHINE_REGS
};

/* Of mstatus: the mode before; 0: user. */
enum { MACHINE_MPP = 0x1800 };

/* Whose code a CPU runs. */
struct vcpu_runs {
	uint64_t pid;
	const char *process; /* its name; NULL: which, is not known */
	char comm[16];	     /* its thread's, of Linux */
	bool entered;	     /* its process was looked for */
	/* Of Linux: its mm_struct, 0: none; a hash of that and of what no
	 * other process with it has. */
	uint64_t mm, space;
	struct program program[VCPU_PROGRAMS]; /* those met in its stack */
	size_t n_program;
};

/* The firmware below the kernel, of riscv64. */
struct vcpu_firmware {
	uint64_t reg[MACHINE_REGS]; /* those that `seen` has */
	unsigned seen;		    /* a bit for each */
	bool physical; /* the CPU sees physical memory: it is in machine mode */
	/* Where it is; the CPU's regs are those of what that interrupted. */
	uint64_t at; /* 0: they are its own */
	/* Machine mode does not use the page tables of what it interrupted. */
	bool translate;
};

struct vcpu {
	char id[32];	   /* the backend's own name of it */
	char title[32];	   /* gdb's: `Thread 1.2` */
	char extra[64];	   /* `CPU#1 [halted ]`, or "" */
	char name[64];	   /* of a thread that is not a CPU, else "" */
	bool ok;	   /* this sample has its registers */
	bool asked;	   /* it may be halted: extra has to be asked for */
	bool skip;	   /* nobody asked for what it does now */
	bool user;	   /* it runs a process's own code */
	bool paged;	   /* it used page tables at the sample before (x86) */
	const char *early; /* "[firmware]", "[boot]": no stack; NULL */
	struct vcpu_runs runs;
	struct unwind_regs regs;
	struct paging paging;
	struct vcpu_firmware firmware;
	struct snap snap;
	struct unwind_stack stack;
};

/* Whether it has a stack that is wanted. */
static inline bool
vcpu_unwinds(const struct vcpu *c)
{
	return c->ok && !c->skip && !c->early;
}

/* Takes one of these registers. */
static inline void
vcpu_machine(struct vcpu *c, enum machine_reg which, uint64_t value)
{
	const unsigned both = 1u << MACHINE_EPC | 1u << MACHINE_STATUS;

	c->firmware.reg[which] = value;
	c->firmware.seen |= 1u << which;
	if (which == MACHINE_ATP)
		paging_set(&c->paging, PAGING_LOW, value);
	c->regs.has_machine = (c->firmware.seen & both) == both;
	c->regs.machine_pc = c->firmware.reg[MACHINE_EPC];
	c->regs.machine_status = c->firmware.reg[MACHINE_STATUS] & MACHINE_MPP;
	c->regs.machine_vector = c->firmware.reg[MACHINE_TVEC];
}

/* Whether the stack came to its end, as far as can be known. */
static inline bool
vcpu_complete(const struct vcpu *c)
{
	return c->stack.end <= UNWIND_UNPROVEN;
}

/* Reads the memory of a stopped CPU, as struct reader does. */
typedef int vcpu_read(
    void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

#endif
