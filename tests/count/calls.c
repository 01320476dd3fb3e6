/* SPDX-License-Identifier: ISC */
/*
 * The judge of kst-count --trace, for riscv64: a plugin of QEMU that is called
 * for each instruction. It follows calls and returns by the registers that the
 * instructions name, exceptions by the addresses of their handlers, and threads
 * by where a function that switches between them keeps the return address. It
 * writes "BEGIN END 0xADDRESS" for each call that has ended within `limit`
 * instructions to the file `result`. In 7.2 to 9.1; for one thread.
 *
 * Arguments: result=FILE limit=N [switch=LOW-HIGH] [vector=ADDRESS ...]
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

#include "qemu/api.h"

enum { CPUS = 8, DEEP = 1024, STACKS = 1024, VECTORS = 16 };
enum kind { PLAIN, CALL, RETURN, TRAP_RETURN };

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
    api_exec_cb cb, enum qemu_plugin_cb_flags flags, void *userdata);

struct insn {
	uint64_t addr, next;
	enum kind kind;
};

/* Of an exception, ret is that of a call which it came before; or 0. */
struct frame {
	uint64_t ret, begin, addr;
	bool trap;
};

/* A thread's calls; `key`: where its return address is while it waits. */
struct stack {
	uint64_t key;
	struct frame frame[DEEP];
	size_t n;
};

static struct cpu {
	struct stack *on;
	const struct insn *last;
	uint64_t stored, loaded; /* by the function that switches */
} cpus[CPUS];

static struct stack *stacks[STACKS];
static size_t n_stacks;
static uint64_t now, limit, vectors[VECTORS], low, high;
static size_t n_vectors;
static FILE *result;
static bool ended;

int qemu_plugin_version = 1;

__attribute__((constructor)) static void
set_version(void)
{
	if (qemu_plugin_register_vcpu_insn_exec_inline == NULL)
		qemu_plugin_version = 3;
}

static struct stack *
new_stack(void)
{
	if (n_stacks == STACKS)
		abort();
	return stacks[n_stacks++] = calloc(1, sizeof **stacks);
}

static void
push(struct stack *s, struct frame f)
{
	if (s->n == DEEP)
		abort();
	f.begin = now;
	s->frame[s->n++] = f;
}

static void
pop(struct stack *s)
{
	const struct frame *f = &s->frame[--s->n];

	if (now <= limit)
		fprintf(result, "%" PRIu64 " %" PRIu64 " 0x%" PRIx64 "\n",
		    f->begin, now, f->addr);
}

static bool
is_vector(uint64_t pc)
{
	for (size_t i = 0; i < n_vectors; i++)
		if (vectors[i] == pc)
			return true;
	return false;
}

/* The function that switches has returned: to the thread of that key. */
static void
switch_stack(struct cpu *c, uint64_t pc)
{
	struct stack *s = NULL;

	c->on->key = c->stored;
	for (size_t i = 0; i < n_stacks; i++)
		if (stacks[i]->key == c->loaded && stacks[i] != c->on)
			s = stacks[i];
	c->on = s ? s : new_stack();
	c->on->key = 0;
	if (c->on->n > 0 && c->on->frame[c->on->n - 1].ret == pc)
		pop(c->on);
}

/* Ends the innermost exception; returns its ret. */
static uint64_t
trap_return(struct stack *s)
{
	size_t n = s->n;

	while (n > 0 && !s->frame[n - 1].trap)
		n--;
	while (s->n > 0 && s->n >= n)
		pop(s);
	return n > 0 ? s->frame[n - 1].ret : 0;
}

static void
go(struct cpu *c, uint64_t pc)
{
	const struct insn *l = c->last;
	struct stack *s = c->on;
	size_t n = s->n;

	if (is_vector(pc)) {
		uint64_t ret = l->kind == CALL ? l->next : 0;

		/* one right after another */
		if (l->kind == TRAP_RETURN)
			ret = trap_return(s);
		push(s, (struct frame){.addr = pc, .trap = true, .ret = ret});
	} else if (l->kind == CALL) {
		if (pc == low)
			c->stored = c->loaded = 0;
		push(s, (struct frame){.addr = pc, .ret = l->next});
	} else if (l->kind == RETURN && l->addr >= low && l->addr < high) {
		switch_stack(c, pc);
	} else if (l->kind == RETURN) {
		while (n > 0 && (s->frame[n - 1].ret != pc))
			n--;
		while (n > 0 && s->n >= n)
			pop(s);
	} else if (l->kind == TRAP_RETURN) {
		const uint64_t ret = trap_return(s);

		if (ret)
			push(s, (struct frame){.addr = pc, .ret = ret});
	}
}

static void
on_insn(unsigned vcpu, void *insn)
{
	struct cpu *c = &cpus[vcpu];
	const struct insn *x = insn;

	if (ended)
		return;
	if (c->last)
		go(c, x->addr);
	else
		c->on = new_stack();
	c->last = x;
	if (++now <= limit)
		return;
	ended = true;
	fclose(result);
	kill(getpid(), SIGTERM);
}

static void
on_access(
    unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *userdata)
{
	struct cpu *c = &cpus[vcpu];
	/* ra is the first that is stored, and that is loaded */
	uint64_t *first =
	    qemu_plugin_mem_is_store(info) ? &c->stored : &c->loaded;

	(void)userdata;
	if (*first == 0)
		*first = addr;
}

static void
decode(struct insn *x, const uint8_t *p, size_t size)
{
	const uint32_t w = size == 2 ? p[0] | (uint32_t)p[1] << 8
				     : p[0] | (uint32_t)p[1] << 8 |
					   (uint32_t)p[2] << 16 |
					   (uint32_t)p[3] << 24;
	const uint32_t rd = w >> 7 & 31;

	x->next = x->addr + size;
	if (size == 2 ? w == 0x8082 : w == 0x00008067)
		x->kind = RETURN;
	else if (size == 2
		     ? (w & 0xf07f) == 0x9002 && rd != 0
		     : ((w & 127) == 0x6f || (w & 127) == 0x67) && rd == 1)
		x->kind = CALL;
	else if (w == 0x30200073 || w == 0x10200073)
		x->kind = TRAP_RETURN;
}

static void
on_tb(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const size_t size = qemu_plugin_insn_size(insn);
		struct insn *x = calloc(1, sizeof *x);
		uint8_t bytes[4] = {0};

		if (qemu_plugin_version > 2)
			qemu_plugin_insn_data(insn, bytes, size);
		else
			memcpy(bytes,
			    (const void *)qemu_plugin_insn_data(insn, NULL, 0),
			    size > 4 ? 4 : size);
		x->addr = qemu_plugin_insn_vaddr(insn);
		decode(x, bytes, size);
		qemu_plugin_register_vcpu_insn_exec_cb(
		    insn, on_insn, QEMU_PLUGIN_CB_NO_REGS, x);
		if (x->addr >= low && x->addr < high)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access,
			    QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, x);
	}
}

static void
on_end(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	if (!ended)
		fclose(result);
	ended = true;
}

int
qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		if (value++ == NULL)
			return 1;
		if (strncmp(argv[i], "result", 6) == 0)
			result = fopen(value, "w");
		else if (strncmp(argv[i], "limit", 5) == 0)
			limit = strtoull(value, NULL, 10);
		else if (strncmp(argv[i], "switch", 6) == 0)
			sscanf(value, "%" SCNx64 "-%" SCNx64, &low, &high);
		else if (n_vectors < VECTORS)
			vectors[n_vectors++] = strtoull(value, NULL, 0);
	}
	if (result == NULL)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, (api_any_cb)on_tb, NULL);
	qemu_plugin_register_atexit_cb(id, (api_any_cb)on_end, NULL);
	return 0;
}
