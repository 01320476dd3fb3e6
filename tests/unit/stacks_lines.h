/* SPDX-License-Identifier: ISC */
/* For stacks.c: reads the lines of a module and of a stack. */
#ifndef STACKS_LINES_H
#define STACKS_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stacks_elf.h"

enum { WORDS = 8192, RULES = 32, MODULES = 16, LINE = 1 << 16 };

struct rule_line {
	uint64_t start, end;
	bool root;
	struct caller entry;
};

/* What the lines of a file have said. */
static struct {
	const char *path;
	unsigned line;
	enum unwind_arch arch;
	const struct unwind_abi *abi;
	struct unwinder *u;
	struct unwind_settings set;
	/* The module that is being read. */
	bool in_module, program;
	struct module_elf module;
	struct rule_line rule[RULES];
	size_t n_rule;
	/* The code of all modules, which is in memory; what is not told is 0.
	 */
	struct run code[RUNS];
	size_t n_code, first_code;
	uint64_t freed, freed_size; /* that is not in memory any more */
	struct {
		uint64_t addr, size;
	} range[MODULES];
	size_t n_range;
	/* The stack that is being read. */
	bool in_stack;
	struct unwind_regs regs;
	struct {
		uint64_t addr, value;
	} word[WORDS];
	size_t n_word;
} f;

static void
bad(const char *why)
{
	fprintf(stderr, "%s:%u: %s\n", f.path, f.line, why);
	exit(1);
}

static uint64_t
number(const char *text, int base)
{
	char *end;
	uint64_t v;

	if (text == NULL)
		bad("a number is missing");
	v = strtoull(text, &end, base);
	if (*end != 0 || end == text)
		bad("not a number");
	return v;
}

static uint64_t
hex(void)
{
	return number(strtok(NULL, " \n"), 16);
}

static void
hex_bytes(struct buf *b)
{
	const char *p;
	unsigned v;

	while ((p = strtok(NULL, " \n")) != NULL)
		for (; *p != 0; p += 2) {
			if (sscanf(p, "%2x", &v) != 1 || p[1] == 0)
				bad("not bytes");
			buf_addc(b, (char)v);
		}
}

static void
little(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

/* pc, sp, fp, ra, status or r and DWARF's number. */
static unsigned
register_number(const char *name)
{
	if (strcmp(name, "pc") == 0)
		return f.abi->pc;
	if (strcmp(name, "sp") == 0)
		return f.abi->sp;
	if (strcmp(name, "fp") == 0)
		return f.abi->fp;
	if (strcmp(name, "ra") == 0)
		return f.abi->ra;
	if (strcmp(name, "status") == 0)
		return CALLER_STATUS;
	if (name[0] != 'r' || number(name + 1, 10) >= f.abi->n)
		bad("no such register");
	return (unsigned)number(name + 1, 10);
}

static void
arch_line(void)
{
	const char *name = strtok(NULL, " \n");

	for (int i = 0; i < UNWIND_ARCHS; i++)
		if (name != NULL && strcmp(unwind_abis[i].name, name) == 0) {
			f.arch = (enum unwind_arch)i;
			f.abi = &unwind_abis[i];
			f.u = unwinder_new(f.arch);
			name = strtok(NULL, " \n");
			f.set =
			    (struct unwind_settings){.show_skid = name == NULL};
			unwinder_set(f.u, &f.set);
			return;
		}
	bad("no such architecture");
}

static void
orc_line(void)
{
	const uint64_t addr = hex();
	const int64_t at = (int64_t)(f.module.text + f.module.ip.bytes.len);

	f.module.ip.addr = f.module.text;
	little(&f.module.ip.bytes, addr - (uint64_t)at, 4);
	for (int i = 0; i < 3; i++) {
		const char *text = strtok(NULL, " \n");

		little(&f.module.orc.bytes,
		    (uint64_t)strtol(text ? text : "", 0, 0), 2);
	}
}

static void
rule_line(bool root)
{
	struct rule_line *r = &f.rule[f.n_rule++];
	const char *name;

	*r = (struct rule_line){.root = root};
	r->start = hex();
	r->end = hex();
	caller_init(&r->entry, f.abi->sp, 0);
	while (f.n_rule < RULES && (name = strtok(NULL, " \n")) != NULL)
		caller_add(&r->entry, register_number(name), CALLER_AT,
		    (int64_t)number(strtok(NULL, " \n"), 10));
}

static void
code_line(void)
{
	struct run *last = f.code + (f.n_code > 0 ? f.n_code - 1 : 0);
	const uint64_t addr = hex();

	if (f.n_code == f.first_code || last->addr + last->bytes.len != addr) {
		if (f.n_code == RUNS)
			bad("too many parts of code");
		last = &f.code[f.n_code++];
		last->addr = addr;
		last->bytes.len = 0;
	}
	hex_bytes(&last->bytes);
}

static void
module_line(const char *key)
{
	if (strcmp(key, "text") == 0) {
		f.module.text = hex();
		f.module.size = hex();
	} else if (strcmp(key, "code") == 0) {
		code_line();
	} else if (strcmp(key, "freed") == 0) {
		f.freed = hex();
		f.freed_size = hex();
	} else if (strcmp(key, "function") == 0) {
		const uint64_t addr = hex();

		buf_add(
		    &f.module.function.bytes, (const char *)&addr, sizeof addr);
	} else if (strcmp(key, "start") == 0) {
		f.module.start = hex();
	} else if (strcmp(key, "tracer") == 0) {
		f.module.tracer = hex();
	} else if (strcmp(key, "orc") == 0) {
		orc_line();
	} else if (strcmp(key, "eh-frame") == 0) {
		f.module.eh_frame.addr = hex();
		hex_bytes(&f.module.eh_frame.bytes);
	} else if (strcmp(key, "go") == 0 || strcmp(key, "go-moved") == 0) {
		f.module.moved = key[2] != 0;
		hex_bytes(&f.module.go.bytes);
	} else if (strcmp(key, "root") == 0 || strcmp(key, "entry") == 0) {
		rule_line(key[0] == 'r');
	} else {
		bad("unknown line of a module");
	}
}

static void
stack_line(const char *key)
{
	static const char *const modes[] = {
	    "unknown", "kernel", "user", "firmware"};
	const char *text;

	if (strcmp(key, "mode") == 0) {
		text = strtok(NULL, " \n");
		for (int i = 0; i < 4; i++)
			if (text != NULL && strcmp(text, modes[i]) == 0)
				f.regs.mode = (enum unwind_mode)i;
	} else if (strcmp(key, "exception") == 0) {
		f.regs.has_exception = true;
		f.regs.exception_pc = hex();
		f.regs.exception_status = hex();
	} else if (strcmp(key, "vector") == 0) {
		f.regs.vector = f.regs.machine_vector = hex();
	} else if (strcmp(key, "machine") == 0) {
		f.regs.has_machine = true;
		f.regs.machine_pc = hex();
		f.regs.machine_status = hex();
	} else if (strcmp(key, "cpsr") == 0) {
		f.regs.cpsr = (uint32_t)hex();
	} else if (strcmp(key, "thread-sp") == 0) {
		f.regs.thread_sp = hex();
	} else if (strcmp(key, "spare") == 0) {
		for (int i = 0; i < UNWIND_SPARES; i++) {
			f.regs.has_spare[i] = true;
			f.regs.spare[i] = hex();
		}
	} else if (strcmp(key, "regs") == 0) {
		while ((text = strtok(NULL, " \n")) != NULL) {
			const unsigned reg = register_number(text);

			f.regs.r[reg < UNWIND_REGS ? reg : 0] = hex();
		}
	} else if (strcmp(key, "word") == 0) {
		uint64_t addr = hex();

		while ((text = strtok(NULL, " \n")) != NULL) {
			if (f.n_word == WORDS)
				bad("too many words");
			f.word[f.n_word].addr = addr;
			f.word[f.n_word++].value = number(text, 16);
			addr += f.abi->word;
		}
	} else {
		bad("unknown line of a stack");
	}
}

#endif
