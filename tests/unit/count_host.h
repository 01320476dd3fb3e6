/* SPDX-License-Identifier: ISC */
/*
 * A QEMU for units of kst-count's plugin: version 2 of the interface. Each case
 * is a process that executes a few blocks of code, and what the plugin has
 * written then.
 */
#ifndef COUNT_HOST_H
#define COUNT_HOST_H

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qemu/api.h"
#include "plugin/flow.h"
#include "unit.h"

/* An instruction, and what the plugin wants to know of it. */
struct qemu_plugin_insn {
	uint64_t addr;
	const char *bytes;
	size_t size;
	uint64_t counts;
	struct {
		api_mem_cb call;
		void *data;
	} mem[2];
	size_t n_mem;
};

struct qemu_plugin_tb {
	struct qemu_plugin_insn insn[6];
	size_t n;
	api_exec_cb begins;
	void *data;
};

enum { VCPUS = 1025, FILE_MAX = 64 << 10 };

static char result[] = "result=/tmp/kst-unit.XXXXXX";
static char *const path = result + 7;
static char got[FILE_MAX];
static char ending[4096];
static struct request ask;
static const char *target;
static int newest;
static uint64_t executed[VCPUS];
static uint64_t sp; /* of the guest */
static volatile sig_atomic_t ended;
static void (*on_vcpu)(qemu_plugin_id_t id, unsigned vcpu);
static void (*on_code)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
static void (*on_exit_)(qemu_plugin_id_t id, void *data);

/* A register function's callback has the type of its version. */
#define TAKES(name, to)                                     \
	void qemu_plugin_register_##name(                   \
	    qemu_plugin_id_t id, api_any_cb cb, void *data) \
	{                                                   \
		CHECK(id == 7 && data == NULL);             \
		memcpy(&(to), &cb, sizeof cb);              \
	}
TAKES(vcpu_init_cb, on_vcpu)
TAKES(vcpu_tb_trans_cb, on_code)
TAKES(atexit_cb, on_exit_)

void
qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, api_exec_cb cb,
    enum qemu_plugin_cb_flags flags, void *data)
{
	CHECK(flags == QEMU_PLUGIN_CB_NO_REGS);
	tb->begins = cb;
	tb->data = data;
}

void
qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *x, api_mem_cb cb,
    enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data)
{
	CHECK(flags == QEMU_PLUGIN_CB_NO_REGS && rw == QEMU_PLUGIN_MEM_RW);
	x->mem[x->n_mem].call = cb;
	x->mem[x->n_mem++].data = data;
}

bool
qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info;
}

size_t
qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
	return (struct qemu_plugin_insn *)(uintptr_t)&tb->insn[i];
}

uint64_t
qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *x)
{
	return x->addr;
}

size_t
qemu_plugin_insn_size(const struct qemu_plugin_insn *x)
{
	return x->size;
}

uintptr_t
qemu_plugin_insn_data(const struct qemu_plugin_insn *x, void *to, size_t n)
{
	CHECK(to == NULL && n == 0);
	return (uintptr_t)x->bytes;
}

struct qemu_plugin_scoreboard *
qemu_plugin_scoreboard_new(size_t size)
{
	CHECK(size == sizeof *executed);
	return (struct qemu_plugin_scoreboard *)executed;
}

void *
qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *s, unsigned vcpu)
{
	return (uint64_t *)s + vcpu;
}

void
qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *x,
    enum qemu_plugin_op op, qemu_plugin_u64 entry, uint64_t imm)
{
	CHECK(op == QEMU_PLUGIN_INLINE_ADD_U64 && imm > 0);
	CHECK((void *)entry.score == executed && entry.offset == 0);
	x->counts = imm;
}

/*
 * A guest's code: its instructions one after the other, each as its length and
 * its bytes.
 */
static inline struct qemu_plugin_tb *
code(uint64_t pc, const char *p)
{
	struct qemu_plugin_tb *b = calloc(1, sizeof *b);

	for (; *p; p += 1 + *p) {
		b->insn[b->n++] = (struct qemu_plugin_insn){
		    .addr = pc, .bytes = p + 1, .size = (size_t)*p};
		pc += (unsigned char)*p;
	}
	on_code(7, b);
	return b;
}

/* x86's: instructions that only count, with their length, and others. */
#define NOP "\1\x90"
#define PUSH "\1\x50"
#define POP "\1\x58"
#define RET "\1\xc3"
#define IRET "\1\xcf"
#define REP_STOS "\2\xf3\xaa"
#define SYSCALL "\2\x0f\5"
#define JUMP "\2\xff\xe0"
#define CALL_RAX "\2\xff\xd0"
#define SYSRET "\3\x48\x0f\7"
#define JNE_10 "\2\x75\x10"
#define CALL_SELF "\5\xe8\xfa\xff\xff\xff" /* after a NOP */
#define CALL_FFA "\5\xe8\xfa\x0f\0\0" /* to 0x1000 after its beginning, + 1 */
/* RISC-V's: nop, jal to 0x1000 further, ret, sd and ld of ra. */
#define RV_NOP "\4\x13\0\0\0"
#define RV_CALL "\4\xef\x10\0\0"
#define RV_RET "\4\x67\x80\0\0"
#define RV_CALL_A0 "\4\xe7\0\5\0"
#define RV_JUMP "\4\x67\0\5\0"
#define RV_MRET "\4\x73\0\x20\x30"
#define RV_SAVE "\4\x23\x34\x11\0"
#define RV_LOAD "\4\x83\x30\x81\0"
/* The same of AArch64: nop, bl, br, eret, stp and ldp of x30. */
#define A64_NOP "\4\x1f\x20\3\xd5"
#define A64_CALL "\4\0\4\0\x94"
#define A64_JUMP "\4\0\0\x1f\xd6"
#define A64_RET "\4\xc0\3\x5f\xd6"
#define A64_ERET "\4\xe0\3\x9f\xd6"
#define A64_SAVE "\4\xfd\x7b\0\xa9"
#define A64_LOAD "\4\xfd\x7b\x40\xa9"

static inline void
access_memory(
    unsigned cpu, const struct qemu_plugin_insn *x, bool store, uint64_t addr)
{
	for (size_t i = 0; i < x->n_mem; i++)
		x->mem[i].call(cpu, store, addr, x->mem[i].data);
}

/* Each instruction's access, by which the stack pointer moves. */
static inline void
step(unsigned cpu, const struct qemu_plugin_insn *x)
{
	const bool is_x86 = strcmp(target, "x86_64") == 0;
	const char *p = x->bytes;

	executed[cpu] += x->counts;
	if (!is_x86 &&
	    (memcmp(p, RV_SAVE + 1, 4) == 0 || memcmp(p, A64_SAVE + 1, 4) == 0))
		access_memory(cpu, x, true, sp + 8);
	if (!is_x86 &&
	    (memcmp(p, RV_LOAD + 1, 4) == 0 || memcmp(p, A64_LOAD + 1, 4) == 0))
		access_memory(cpu, x, false, sp + 8);
	if (!is_x86)
		return;
	if (*p == *(PUSH + 1) || *p == *(CALL_FFA + 1) ||
	    (*p == *(CALL_RAX + 1) && p[1] == *(CALL_RAX + 2)))
		access_memory(cpu, x, true, sp -= 8);
	if (*p == *(POP + 1) || *p == *(RET + 1) || *p == *(IRET + 1)) {
		access_memory(cpu, x, false, sp);
		sp += *p == *(IRET + 1) ? 24 : 8;
	}
}

/* The first n instructions of a block. */
static inline void
part(unsigned cpu, const struct qemu_plugin_tb *b, size_t n)
{
	b->begins(cpu, b->data);
	for (size_t i = 0; i < n; i++)
		step(cpu, &b->insn[i]);
}

static inline void
all_of(const struct qemu_plugin_tb *b)
{
	part(0, b, b->n);
}

/* What an exception stores is not the code's. */
static inline void
fail(const struct qemu_plugin_tb *b, size_t n)
{
	part(0, b, n);
	sp -= 24;
}

static inline void
on_term(int sig)
{
	(void)sig;
	ended = 1;
}

/* In a process of its own: QEMU from begin to end. */
static inline int
be_qemu(void (*guest)(void))
{
	qemu_info_t info = {.target_name = target,
	    .version = {0, newest},
	    .system_emulation = true};
	char *args[] = {result};
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(&ask, sizeof ask, 1, f) != 1 || fclose(f) != 0)
		return 2;
	signal(SIGTERM, on_term);
	if (qemu_plugin_install(7, &info, 1, args) != 0)
		return 3;
	on_vcpu(7, 0);
	sp = 0x80000;
	guest();
	on_exit_(7, NULL);
	return unit_failed != 0;
}

/* Moves the lines that tell how it ended from `got` to `ending`. */
static inline void
take_ending(void)
{
	char *from = strstr(got, END_MARK), *to = from;

	ending[0] = 0;
	while (to != NULL && strncmp(to, END_MARK, sizeof END_MARK - 1) == 0)
		to = strchr(to, '\n') + 1;
	if (from == NULL)
		return;
	snprintf(ending, sizeof ending, "%.*s", (int)(to - from), from);
	memmove(from, to, strlen(to) + 1);
}

/* Returns the status, with what was written in `got` and `ending`. */
static inline int
runs(void (*guest)(void))
{
	int fd, status;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		int rc = be_qemu(guest);

		fflush(stdout);
		_exit(rc);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	fd = open(path, O_RDONLY);
	n = read(fd, got, sizeof got - 1);
	close(fd);
	got[n > 0 ? n : 0] = 0;
	take_ending();
	return WEXITSTATUS(status);
}

static inline void
reset(enum count_what what, const char *unit)
{
	ask = (struct request){.size = sizeof ask,
	    .apart = true,
	    .what = what,
	    .whats = 1U << what,
	    .high = UINT64_MAX};
	strcpy(ask.unit, unit);
	target = "x86_64";
	newest = 2;
}

#define LAST "#kst:unit=instructions,exact=1\n"
#define WRITES(guest, want)                              \
	do {                                             \
		CHECK(runs(guest) == 0);                 \
		CHECK_TEXT(got, strlen(got), want LAST); \
	} while (0)
/* The same with other units than instructions. */
#define WRITES_UNIT(guest, want)                    \
	do {                                        \
		CHECK(runs(guest) == 0);            \
		CHECK_TEXT(got, strlen(got), want); \
	} while (0)

/* Runs a test with a file for what the plugin writes; returns the status of the
 * unit. */
static inline int
with_result(void (*test)(void))
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test();
	unlink(path);
	return unit_end();
}

#endif
