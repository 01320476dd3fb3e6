/* SPDX-License-Identifier: ISC */
/*
 * The plugin of kst-count, with this program as its QEMU: version 2 of the
 * interface. Each case is a process that executes a few blocks of code, and
 * what the plugin has written then.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "plugin/api.h"
#include "plugin/flow.h"
#include "unit.h"

/* An instruction, and what the plugin wants to know of it. */
struct qemu_plugin_insn {
	uint64_t addr;
	const char *bytes;
	size_t size;
	bool is_counted;
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
	CHECK(op == QEMU_PLUGIN_INLINE_ADD_U64 && imm == 1);
	CHECK((void *)entry.score == executed && entry.offset == 0);
	x->is_counted = true;
}

/*
 * A guest's code: its instructions one after the other, each as its length and
 * its bytes.
 */
static struct qemu_plugin_tb *
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

static void
access_memory(
    unsigned cpu, const struct qemu_plugin_insn *x, bool store, uint64_t addr)
{
	for (size_t i = 0; i < x->n_mem; i++)
		x->mem[i].call(cpu, store, addr, x->mem[i].data);
}

/* Each instruction's access, by which the stack pointer moves. */
static void
step(unsigned cpu, const struct qemu_plugin_insn *x)
{
	const bool is_x86 = strcmp(target, "x86_64") == 0;
	const char *p = x->bytes;

	executed[cpu] += x->is_counted;
	if (!is_x86 && memcmp(p, RV_SAVE + 1, 4) == 0)
		access_memory(cpu, x, true, sp + 8);
	if (!is_x86 && memcmp(p, RV_LOAD + 1, 4) == 0)
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
static void
part(unsigned cpu, const struct qemu_plugin_tb *b, size_t n)
{
	b->begins(cpu, b->data);
	for (size_t i = 0; i < n; i++)
		step(cpu, &b->insn[i]);
}

static void
all_of(const struct qemu_plugin_tb *b)
{
	part(0, b, b->n);
}

/* What an exception stores is not the code's. */
static void
fail(const struct qemu_plugin_tb *b, size_t n)
{
	part(0, b, n);
	sp -= 24;
}

static void
on_term(int sig)
{
	(void)sig;
	ended = 1;
}

/* In a process of its own: QEMU from begin to end. */
static int
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
static void
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
static int
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

static void
reset(enum count_what what, const char *unit)
{
	ask = (struct request){
	    .size = sizeof ask, .what = what, .high = UINT64_MAX};
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

/* A calls F at 0x2000, and goes on at 0x1006. */
static void
guest_calls(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP NOP RET),
				    *on = code(0x1006, NOP JUMP);

	for (int i = 0; i < 3; i++) {
		all_of(a);
		all_of(code(0x2000, NOP NOP RET)); /* the same one again */
		all_of(on);
	}
	all_of(a);
	part(0, f, 1);
}

static void
test_calls(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_calls, "CPU#0;0x1000 4\n"
			    "CPU#0;0x1001 4\n"
			    "CPU#0;0x1006;0x2000 3\n"
			    "CPU#0;0x1006;0x2001 3\n"
			    "CPU#0;0x1006;0x2002 3\n"
			    "CPU#0;0x1006 3\n"
			    "CPU#0;0x1007 3\n"
			    "CPU#0;0x1006;0x2000 1\n");
	CHECK_TEXT(ending, strlen(ending),
	    "#kst-end:2 1 24 2 24 0 1 0\n#kst-end:CPU#0;0x1006;0x2000\n");
	reset(COUNT_CALLS, "calls");
	WRITES_UNIT(
	    guest_calls, "CPU#0;0x1006;0x2000 4\n#kst:unit=calls,exact=1\n");
	reset(COUNT_READS, "reads");
	WRITES_UNIT(
	    guest_calls, "CPU#0;0x1006;0x2002 3\n#kst:unit=reads,exact=1\n");
	reset(COUNT_WRITES, "writes");
	WRITES_UNIT(guest_calls, "CPU#0;0x1001 4\n#kst:unit=writes,exact=1\n");
}

/* Where the count begins and ends. */
static void
test_ranges(void)
{
	reset(COUNT_INSNS, "instructions");
	ask.in = 0x2000;
	WRITES(guest_calls, "CPU#0;0x1006;0x2000 3\nCPU#0;0x1006;0x2001 3\n"
			    "CPU#0;0x1006;0x2002 3\nCPU#0;0x1006;0x2000 1\n");
	/* below it: what it calls, too */
	ask.in = 0x1000;
	ask.limit = 11;
	WRITES(guest_calls,
	    "CPU#0;0x1000 2\nCPU#0;0x1001 2\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2001 2\n"
	    "CPU#0;0x1006;0x2002 2\nCPU#0;0x1006 1\nCPU#0;0x1007 1\n");
	/* a jump into it is not it, and its end is its return */
	ask.limit = 0;
	ask.in = 0x1006;
	WRITES(guest_calls,
	    "CPU#0;0x1000 3\nCPU#0;0x1001 3\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2001 2\n"
	    "CPU#0;0x1006;0x2002 2\nCPU#0;0x1006 3\nCPU#0;0x1007 3\n"
	    "CPU#0;0x1006;0x2000 1\n");
	reset(COUNT_INSNS, "instructions");
	ask.from = (struct place){.given = true, .addr = 0x2000};
	ask.until = (struct place){.given = true, .addr = 0x1000};
	WRITES(guest_calls,
	    "CPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x2001 1\n"
	    "CPU#0;0x1006;0x2002 1\nCPU#0;0x1006 1\nCPU#0;0x1007 1\n");
	/* from 0x1006 on this CPU is followed: its callers are not known */
	reset(COUNT_INSNS, "instructions");
	ask.low = ask.high = 0x1006;
	ask.limit = 10;
	WRITES(guest_calls, "CPU#0;0x1000 2\nCPU#0;0x1001 2\nCPU#0;0x2000 1\n"
			    "CPU#0;0x2001 1\nCPU#0;0x2002 1\nCPU#0;0x1006 1\n"
			    "CPU#0;0x1007 1\nCPU#0;0x1006;0x2000 1\n"
			    "CPU#0;0x1006;0x2001 1\nCPU#0;0x1006;0x2002 1\n");
}

/* Pieces of 8 instructions. */
static void
test_pieces(void)
{
	reset(COUNT_INSNS, "instructions");
	ask.every = 8;
	ask.limit = 17;
	WRITES(guest_calls,
	    "[0.000000000s];CPU#0;0x1000 2\n[0.000000000s];CPU#0;0x1001 2\n"
	    "[0.000000000s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000000s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000000s];CPU#0;0x1006;0x2002 1\n"
	    "[0.000000000s];CPU#0;0x1006 1\n[0.000000000s];CPU#0;0x1007 1\n"
	    "[0.000000008s];CPU#0;0x1000 1\n[0.000000008s];CPU#0;0x1001 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000008s];CPU#0;0x1006;0x2002 1\n"
	    "[0.000000008s];CPU#0;0x1006 1\n[0.000000008s];CPU#0;0x1007 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2000 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2001 1\n"
	    "[0.000000016s];CPU#0;0x1006;0x2002 1\n");
}

/* Exceptions in the middle of a block, and how they are returned from. */
static void
guest_parts(void)
{
	const struct qemu_plugin_tb *p = code(0x1000, NOP NOP NOP NOP JUMP),
				    *vector = code(0x9000, NOP IRET);

	fail(p, 2); /* an interrupt after the second one */
	all_of(vector);
	all_of(code(0x1002, NOP JUMP));
	fail(p, 3); /* the third one fails, and is tried again */
	all_of(vector);
	all_of(code(0x1002, NOP JUMP));
	part(0, p, 2); /* QEMU itself tries the second one again, */
	all_of(code(0x1001, NOP JUMP));
	part(0, p, 4); /* or goes on in another block */
	all_of(code(0x1004, JUMP));
	fail(p, 0); /* before the first one, */
	all_of(vector);
	fail(p, 1); /* and of the first one */
	all_of(vector);
	all_of(p);
}

static void
test_parts(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_parts,
	    "CPU#0;0x1000 1\nCPU#0;0x1001 1\nCPU#0;0x1002 1\nCPU#0;0x1003 1\n"
	    "CPU#0;0x1004 1\nCPU#0;0x1000 2\nCPU#0;0x1001 2\n"
	    "CPU#0;0x1001;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0x9001 1\nCPU#0;0x1002 2\n"
	    "CPU#0;0x1003 2\nCPU#0;0x1002;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1002;<signal handler called>;0x9001 1\nCPU#0;0x1001 1\n"
	    "CPU#0;0x1002 1\nCPU#0;0x1000 1\nCPU#0;0x1000 1\nCPU#0;0x1001 1\n"
	    "CPU#0;0x1002 1\nCPU#0;0x1003 1\nCPU#0;0x1004 1\n"
	    "CPU#0;0x1000;<signal handler called>;0x9000 2\n"
	    "CPU#0;0x1000;<signal handler called>;0x9001 2\n");
	/* what failed is none of those that were asked for */
	ask.limit = 23;
	WRITES(guest_parts,
	    "CPU#0;0x1000 2\nCPU#0;0x1001 2\n"
	    "CPU#0;0x1001;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0x9001 1\nCPU#0;0x1002 2\n"
	    "CPU#0;0x1003 2\nCPU#0;0x1002;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1002;<signal handler called>;0x9001 1\nCPU#0;0x1001 1\n"
	    "CPU#0;0x1002 1\nCPU#0;0x1000 2\nCPU#0;0x1000 1\nCPU#0;0x1001 1\n"
	    "CPU#0;0x1002 1\nCPU#0;0x1003 1\nCPU#0;0x1004 1\n"
	    "CPU#0;0x1000;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1000;<signal handler called>;0x9001 1\n");
}

/* Exceptions between blocks. */
static void
guest_ends(void)
{
	const struct qemu_plugin_tb *p = code(0x1000, NOP JUMP),
				    *vector = code(0x9000, NOP IRET),
				    *jne = code(0x1100, NOP JNE_10),
				    *a = code(0x1200, NOP CALL_FFA),
				    *rax = code(0x1300, NOP CALL_RAX),
				    *f = code(0x2200, NOP RET);

	all_of(jne); /* a branch that leads neither on nor to its target */
	sp -= 24;
	all_of(vector);
	all_of(code(0x1113, JUMP)); /* to its target */
	all_of(jne);
	sp -= 24;
	all_of(vector);
	all_of(code(0x1103, JUMP)); /* or on */
	all_of(jne);
	sp -= 24;
	all_of(vector);
	all_of(code(0x1101, JNE_10)); /* it did not execute */
	all_of(code(0x1113, JUMP));
	all_of(p); /* a jump, */
	all_of(code(0x1400, JUMP));
	sp -= 24;
	all_of(vector); /* and one that an interrupt follows */
	all_of(code(0x1500, JUMP));
	all_of(a); /* a call, then an interrupt at a place that is new */
	sp -= 24;
	all_of(code(0x9100, IRET));
	all_of(f);
	all_of(code(0x1206, JUMP));
	all_of(rax);
	sp -= 24;
	all_of(vector);
	all_of(f);
	all_of(code(0x1303, JUMP)); /* a return, then an interrupt */
	all_of(rax);
	all_of(f);
	sp -= 24;
	all_of(vector);
	all_of(code(0x1303, JUMP));
	all_of(a); /* a return from none, then an interrupt */
	all_of(code(0x2200, IRET));
	all_of(code(0x9000, JUMP));
	all_of(code(0x9200, JUMP));
}

static void
test_ends(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_ends,
	    "CPU#0;0x1100 2\nCPU#0;0x1101 2\n"
	    "CPU#0;0x1101;<signal handler called>;0x9000 3\n"
	    "CPU#0;0x1101;<signal handler called>;0x9001 3\nCPU#0;0x1113 2\n"
	    "CPU#0;0x1103 1\nCPU#0;0x1101 1\nCPU#0;0x1100 1\nCPU#0;0x1000 1\n"
	    "CPU#0;0x1001 1\nCPU#0;0x1400 1\n"
	    "CPU#0;0x1400;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1400;<signal handler called>;0x9001 1\nCPU#0;0x1500 1\n"
	    "CPU#0;0x1200 2\nCPU#0;0x1201 2\n"
	    "CPU#0;0x1206;0x1201;<signal handler called>;0x9100 1\n"
	    "CPU#0;0x1206;0x2200 1\nCPU#0;0x1206;0x2201 1\nCPU#0;0x1206 1\n"
	    "CPU#0;0x1300 2\nCPU#0;0x1301 2\n"
	    "CPU#0;0x1303;0x1301;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1303;0x1301;<signal handler called>;0x9001 1\n"
	    "CPU#0;0x1303;0x2200 2\nCPU#0;0x1303;0x2201 2\nCPU#0;0x1303 2\n"
	    "CPU#0;0x2201;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x2201;<signal handler called>;0x9001 1\n"
	    "CPU#0;0x1206;0x2200 1\nCPU#0;0x1206;0x9000 1\n"
	    "CPU#0;0x1206;0x9200 1\n");
	reset(COUNT_CALLS, "calls");
	WRITES_UNIT(guest_ends, "CPU#0;0x1206;0x2200 2\nCPU#0;0x1303;0x2200 2\n"
				"#kst:unit=calls,exact=1\n");
}

/* System calls, and what else a return from an exception may be. */
static void
guest_traps(void)
{
	const struct qemu_plugin_tb *user = code(0x1000, NOP SYSCALL),
				    *a = code(0xa000, NOP CALL_FFA),
				    *f = code(0xb000, NOP),
				    *back = code(0xb001, SYSRET),
				    *iret = code(0xb001, IRET);

	all_of(user);
	all_of(a);
	all_of(f);
	all_of(back); /* out of a call */
	all_of(code(0x1003, JUMP));
	sp = 0x80000;
	all_of(a);
	all_of(f);
	sp = 0x80000 - 8 - 256;
	all_of(iret); /* a jump by such a return */
	all_of(code(0xc000, JUMP));
	sp = 0x80000 - 8 - 4096 - 24;
	fail(f, 1);
	all_of(code(0x9000, JUMP));
	sp = 0x80000 - 8 - 4096;
	all_of(code(0x9001, IRET)); /* to elsewhere */
	all_of(code(0xd000, JUMP));
	sp = 0x80000 - 8 - 256 - 1;
	all_of(code(0x9002, IRET)); /* a program begins */
	all_of(code(0xe000, JUMP));
}

/* Returns from exceptions in which another stack was left. */
static void
guest_other_traps(void)
{
	const struct qemu_plugin_tb *user = code(0x1000, NOP SYSCALL),
				    *a = code(0xa000, NOP CALL_FFA),
				    *f = code(0xb000, NOP RET);

	all_of(user);
	all_of(a);
	sp = 0x60000;
	all_of(f); /* another stack, which has no exception, */
	all_of(code(0x5000, NOP IRET));
	all_of(code(0x1003, JUMP)); /* and yet one returns: a child of fork */
	all_of(code(0x2000, NOP SYSCALL));
	all_of(a); /* it has one, and returns from the other's */
	sp = 0x50000;
	all_of(code(0xb000, NOP IRET));
	all_of(code(0x1003, JUMP));
	all_of(code(0x3000, NOP SYSCALL));
	all_of(a);
	sp = 0x40000;
	all_of(code(0xb000, NOP IRET));
	all_of(code(0x9999, JUMP)); /* and where nobody was */
}

static void
test_other_traps(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_other_traps,
	    "CPU#0;0x1000 1\n"
	    "CPU#0;0x1001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x5000 1\n"
	    "CPU#0;0x5001 1\n"
	    "CPU#0;0x1003 2\n"
	    "CPU#0;0x2000 1\n"
	    "CPU#0;0x2001 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x2001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x3000 1\n"
	    "CPU#0;0x3001 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x3001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x9999 1\n");
}

static void
test_traps(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_traps,
	    "CPU#0;0x1000 1\nCPU#0;0x1001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa001 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb000 1\n"
	    "CPU#0;0x1001;<signal handler called>;0xa006;0xb001 1\n"
	    "CPU#0;0x1003 1\nCPU#0;0xa000 1\nCPU#0;0xa001 1\n"
	    "CPU#0;0xa006;0xb000 1\nCPU#0;0xa006;0xb001 1\n"
	    "CPU#0;0xa006;0xc000 1\n"
	    "CPU#0;0xa006;0xb000;<signal handler called>;0x9000 1\n"
	    "CPU#0;0xa006;0xb000;<signal handler called>;0x9001 1\n"
	    "CPU#0;0xa006;0xd000 1\nCPU#0;0xa006;0x9002 1\nCPU#0;0xe000 1\n");
	reset(COUNT_INTERRUPTS, "interrupts");
	WRITES_UNIT(guest_traps,
	    "CPU#0;0x1001;<signal handler called>;0xa000 1\n"
	    "CPU#0;0xa006;0xb000;<signal handler called>;0x9000 1\n"
	    "#kst:unit=interrupts,exact=1\n");
}

/* Below two calls, the guest is reset. */
static void
guest_reset(void)
{
	const struct qemu_plugin_tb *v = code(0xfff0, NOP),
				    *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP CALL_FFA),
				    *g = code(0x3000, NOP);

	for (int i = 0; i < 2; i++) {
		all_of(v);
		all_of(a);
		all_of(f);
		all_of(g);
	}
}

static void
test_reset(void)
{
	reset(COUNT_BLOCKS, "blocks");
	ask.low = 0x1000;
	ask.high = 0x3fff;
	WRITES_UNIT(guest_reset,
	    "CPU#0;0xfff0 2\nCPU#0;0x1000 2\n"
	    "CPU#0;0x1006;0x2000 2\nCPU#0;0x1006;0x2006;0x3000 2\n"
	    "#kst:unit=blocks,exact=1\n");
}

/* Two threads: the slot of a return address tells which one goes on. */
static void
guest_threads(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP RET),
				    *t = code(0x5000, NOP CALL_FFA),
				    *g = code(0x6000, NOP RET);

	all_of(a);
	sp = 0x60000;
	all_of(f); /* the other one begins, */
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g); /* and waits in g */
	all_of(code(0x1006, JUMP));
	sp = 0x80000;
	all_of(a);
	sp = 0x60000;
	all_of(f);
	all_of(code(0x5006, JUMP));
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g);
	all_of(code(0x1006, JUMP));
	/* one of its four innermost frames may be returned from, no other */
	sp = 0x80000;
	for (int i = 0; i < 6; i++)
		all_of(code(0x1000, NOP CALL_FFA)), all_of(code(0x2000, JUMP));
	all_of(code(0x2000, NOP RET));
	sp = 0x60000;
	all_of(code(0x1006, RET));
	all_of(t);
	sp = 0x80000 - 8;
	all_of(g);
	all_of(code(0x1006, JUMP));
	sp = 0x50000;
	all_of(t);
	sp = 0x80000 - 16;
	all_of(g);
	all_of(code(0x1006, JUMP));
}

static void
test_threads(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_threads,
	    "CPU#0;0x1000 3\nCPU#0;0x1001 3\nCPU#0;0x1006;0x2000 2\n"
	    "CPU#0;0x1006;0x2001 2\nCPU#0;0x5000 4\nCPU#0;0x5001 4\n"
	    "CPU#0;0x5006;0x6000 4\nCPU#0;0x5006;0x6001 4\nCPU#0;0x1006 3\n"
	    "CPU#0;0x5006 1\nCPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1001 1\nCPU#0;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1000 1\nCPU#0;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006;0x2001 1\n"
	    "CPU#0;0x1006;0x1006;0x1006;0x1006;0x1006;0x1006 1\n"
	    "CPU#0;0x1006;0x1006 1\n");
}

/* Returns that are jumps, and jumps that leave frames. */
static void
guest_returns(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *b = code(0x2000, NOP CALL_FFA),
				    *ret = code(0x3000, NOP RET);

	all_of(a); /* its return address was changed */
	all_of(code(0x2000, RET));
	all_of(code(0x7000, JUMP));
	sp = 0x80000;
	all_of(a);
	all_of(b);
	sp = 0x80000 - 8;
	all_of(ret); /* over a frame */
	all_of(code(0x1006, JUMP));
	all_of(a);
	all_of(b);
	all_of(code(0x3000, PUSH PUSH RET)); /* an address just pushed */
	all_of(code(0x7100, JUMP));
	sp = 0x80000;
	all_of(a); /* the same slot again: b and a are gone */
	all_of(code(0x2000, POP PUSH RET));
	all_of(code(0x1006, JUMP));
	all_of(a);
	sp = 0x80000 - 24;
	all_of(code(0x2000, RET)); /* it has moved its return address */
	all_of(code(0x1006, JUMP));
	sp = 0x80000;
	all_of(a);
	all_of(b);
	sp = 0x80000 - 8;
	all_of(ret); /* of an outer slot, to elsewhere: another thread */
	all_of(code(0x7200, JUMP));
	all_of(code(0x7201, RET)); /* of no frames */
	all_of(code(0x7300, JUMP));
}

static void
test_returns(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_returns,
	    "CPU#0;0x1000 5\nCPU#0;0x1001 5\nCPU#0;0x1006;0x2000 2\n"
	    "CPU#0;0x7000 1\nCPU#0;0x1006;0x2000 3\nCPU#0;0x1006;0x2001 3\n"
	    "CPU#0;0x1006;0x2006;0x3000 2\nCPU#0;0x1006;0x2006;0x3001 2\n"
	    "CPU#0;0x1006 3\nCPU#0;0x1006;0x2006;0x3000 1\n"
	    "CPU#0;0x1006;0x2006;0x3001 1\nCPU#0;0x1006;0x2006;0x3002 1\n"
	    "CPU#0;0x1006;0x2006;0x7100 1\nCPU#0;0x1006;0x2006;0x1000 1\n"
	    "CPU#0;0x1006;0x2006;0x1001 1\nCPU#0;0x1006;0x2000 1\n"
	    "CPU#0;0x1006;0x2001 1\nCPU#0;0x1006;0x2002 1\nCPU#0;0x7200 1\n"
	    "CPU#0;0x7201 1\nCPU#0;0x7300 1\n");
}

/* Of two CPUs. */
static void
guest_cpus(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, NOP CALL_FFA),
				    *f = code(0x2000, NOP RET),
				    *t = code(0x5000, NOP CALL_FFA),
				    *g = code(0x6000, NOP RET);

	on_vcpu(7, 1);
	all_of(a);
	sp = 0x70000;
	part(1, t, 2);
	sp = 0x60000;
	all_of(f);
	all_of(code(0x8000, JUMP));
	sp = 0x80000 - 8;
	part(1, g, 2); /* CPU 1 goes on with what CPU 0 did, */
	part(1, code(0x1006, JUMP), 1);
	sp = 0x80000 - 8;
	part(1, a, 2);
	sp = 0x70000 - 8;
	part(1, f, 2); /* and then with its own */
	part(1, code(0x5006, JUMP), 1);
}

static void
test_cpus(void)
{
	reset(COUNT_INSNS, "instructions");
	WRITES(guest_cpus,
	    "CPU#0;0x1000 1\nCPU#0;0x1001 1\nCPU#1;0x5000 1\nCPU#1;0x5001 1\n"
	    "CPU#0;0x1006;0x2000 1\nCPU#0;0x1006;0x2001 1\nCPU#0;0x8000 1\n"
	    "CPU#1;0x5006;0x6000 1\nCPU#1;0x5006;0x6001 1\nCPU#1;0x1006 1\n"
	    "CPU#1;0x1000 1\nCPU#1;0x1001 1\nCPU#1;0x1006;0x2000 1\n"
	    "CPU#1;0x1006;0x2001 1\nCPU#1;0x5006 1\n");
}

/* RISC-V: the return address is in a register, until it is stored. */
static void
guest_riscv(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, RV_NOP RV_CALL),
				    *f = code(0x2004, RV_SAVE RV_CALL),
				    *g = code(0x3008, RV_NOP RV_RET),
				    *end = code(0x200c, RV_LOAD RV_RET),
				    *any = code(0x1100, RV_NOP RV_CALL_A0),
				    *vector = code(0x9000, RV_NOP RV_MRET);

	for (int i = 0; i < 2; i++) {
		all_of(a);
		all_of(f);
		all_of(g);
		all_of(end);
		all_of(code(0x1008, RV_JUMP));
	}
	all_of(code(0x1008, RV_RET)); /* of no frames: a jump */
	part(0, a, 1);
	all_of(vector); /* so it is known, */
	all_of(code(0x1004, RV_CALL));
	all_of(f);
	all_of(g);
	all_of(end);
	all_of(any); /* an interrupt comes before the function, */
	all_of(vector);
	all_of(g);
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* and before what follows a return */
	all_of(g);
	all_of(vector);
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* of two calls neither stores the address */
	all_of(code(0x3100, RV_NOP RV_CALL));
	all_of(code(0x4104, RV_NOP RV_CALL));
	all_of(code(0x5108, RV_NOP RV_RET));
	all_of(code(0x410c, RV_JUMP));
	all_of(code(0x4200, RV_NOP RV_RET));
	all_of(code(0x1108, RV_JUMP));
	all_of(any); /* after deeper frames than these */
	all_of(g);
	all_of(vector);
	all_of(code(0x1108, RV_JUMP));
	all_of(code(0x1300, RV_SAVE RV_JUMP)); /* of no call */
	all_of(code(0x1400, RV_JUMP));
}

static void
test_riscv(void)
{
	reset(COUNT_INSNS, "instructions");
	target = "riscv64";
	WRITES(guest_riscv,
	    "CPU#0;0x1000 2\nCPU#0;0x1004 2\nCPU#0;0x1008;0x2004 3\n"
	    "CPU#0;0x1008;0x2008 3\nCPU#0;0x1008;0x200c;0x3008 3\n"
	    "CPU#0;0x1008;0x200c;0x300c 3\nCPU#0;0x1008;0x200c 3\n"
	    "CPU#0;0x1008;0x2010 3\nCPU#0;0x1008 2\nCPU#0;0x1008 1\n"
	    "CPU#0;0x1000 1\nCPU#0;0x1000;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1000;<signal handler called>;0x9004 1\nCPU#0;0x1004 1\n"
	    "CPU#0;0x1100 4\nCPU#0;0x1104 4\n"
	    "CPU#0;0x1108;0x1104;<signal handler called>;0x9000 1\n"
	    "CPU#0;0x1108;0x1104;<signal handler called>;0x9004 1\n"
	    "CPU#0;0x1108;0x3008 3\nCPU#0;0x1108;0x300c 3\nCPU#0;0x1108 4\n"
	    "CPU#0;0x300c;<signal handler called>;0x9000 2\n"
	    "CPU#0;0x300c;<signal handler called>;0x9004 2\n"
	    "CPU#0;0x1108;0x3100 1\nCPU#0;0x1108;0x3104 1\n"
	    "CPU#0;0x1108;0x3108;0x4104 1\nCPU#0;0x1108;0x3108;0x4108 1\n"
	    "CPU#0;0x1108;0x3108;0x410c;0x5108 1\n"
	    "CPU#0;0x1108;0x3108;0x410c;0x510c 1\nCPU#0;0x1108;0x3108;0x410c 1\n"
	    "CPU#0;0x1108;0x3108;0x4200 1\nCPU#0;0x1108;0x3108;0x4204 1\n"
	    "CPU#0;0x1300 1\nCPU#0;0x1304 1\nCPU#0;0x1400 1\n");
}

/* 4,097 frames: the innermost ones are counted as one. */
static void
guest_deep(void)
{
	const struct qemu_plugin_tb *a = code(0x3000, NOP CALL_SELF),
				    *f = code(0x3000, NOP RET),
				    *up = code(0x3006, RET);

	for (int i = 0; i < 4097; i++)
		all_of(a);
	all_of(f);
	for (int i = 0; i < 4096; i++)
		all_of(up);
	all_of(code(0x3006, JUMP));
	all_of(code(0x4000, JUMP));
}

static void
test_deep(void)
{
	const char *p;
	size_t frames = 0;

	reset(COUNT_CALLS, "calls");
	ask.from = (struct place){.given = true, .addr = 0x3006};
	CHECK(runs(guest_deep) == 0);
	CHECK_TEXT(got, strlen(got), "#kst:unit=calls,exact=1\n");
	reset(COUNT_INSNS, "instructions");
	ask.from = (struct place){.given = true, .addr = 0x4000};
	WRITES(guest_deep, "CPU#0;0x4000 1\n");
	reset(COUNT_READS, "reads");
	ask.until = (struct place){.given = true, .addr = 0x3006};
	CHECK(runs(guest_deep) == 0);
	for (p = got; (p = strstr(p, "0x3006;")) != NULL; p++)
		frames++;
	CHECK(frames == 4095);
	CHECK(strncmp(got, "CPU#0;0x3006;", 13) == 0);
	CHECK(strstr(got, "0x3006;[truncated];0x3001 1\n#") != NULL);
	/* of a deep stack the root and the innermost frames */
	frames = 0;
	for (p = ending; (p = strstr(p, "0x3006")) != NULL; p++)
		frames++;
	CHECK(frames == END_FRAMES - 1);
	CHECK(strncmp(ending, "#kst-end:0 1 ", 13) == 0);
	CHECK(strstr(ending, "\n#kst-end:CPU#0;0x3006;") != NULL);
}

static void
write_log(const char *text, size_t len, const char *mode)
{
	FILE *f = fopen(ask.serial, mode);

	CHECK(f != NULL && fwrite(text, len, 1, f) == 1 && fclose(f) == 0);
}

#define LOG(text, mode) write_log(text, sizeof text - 1, mode)

/* The log is looked at every 1,024 blocks. */
static void
guest_log(void)
{
	const struct qemu_plugin_tb *a = code(0x1000, JUMP),
				    *b = code(0x2000, JUMP);

	for (int i = 0; i < 1024; i++)
		all_of(a);
	LOG("booted\nr\0ea", "w");
	for (int i = 0; i < 1024; i++)
		all_of(a);
	LOG("dy", "a");
	for (int i = 0; i < 1024; i++)
		all_of(b);
	LOG(" now\nready\nthe end\n", "a");
	for (int i = 0; i < 3000; i++)
		all_of(a);
	CHECK(ended);
}

static void
test_log(void)
{
	reset(COUNT_INSNS, "instructions");
	snprintf(ask.serial, sizeof ask.serial, "%s.log", path);
	ask.from = (struct place){.given = true, .line = "ready"};
	ask.until = (struct place){.given = true, .line = "end"};
	WRITES(guest_log, "CPU#0;0x1000 1023\nCPU#0;0x2000 1\n");
	unlink(ask.serial);
}

static void
guest_nothing(void)
{
}

static void *
begin_block(void *b)
{
	all_of(b);
	return NULL;
}

static void
guest_two_threads(void)
{
	struct qemu_plugin_tb *a = code(0x1000, JUMP);
	pthread_t other;

	all_of(a);
	pthread_create(&other, NULL, begin_block, a);
	pthread_join(other, NULL);
}

static void
guest_1024_cpus(void)
{
	for (unsigned i = 1; i < 1024; i++)
		on_vcpu(7, i);
}

static void
guest_1025_cpus(void)
{
	guest_1024_cpus();
	on_vcpu(7, 1024);
}

/* What is refused. */
static void
test_refused(void)
{
	reset(COUNT_INSNS, "instructions");
	CHECK(runs(guest_nothing) == 0 && *got == 0);
	CHECK(runs(guest_1024_cpus) == 0);
	if (freopen("/dev/null", "w", stderr) == NULL)
		return;
	CHECK(runs(guest_1025_cpus) == 1);
	CHECK(runs(guest_two_threads) == 1);
	newest = 3;
	CHECK(runs(guest_cpus) == 0);
	newest = 4;
	CHECK(runs(guest_cpus) == 1);
	CHECK(runs(guest_calls) == 0);
	newest = 6;
	CHECK(runs(guest_nothing) == 0);
	newest = 8;
	CHECK(runs(guest_nothing) == 1);
	reset(COUNT_INSNS, "instructions");
	target = "mips";
	CHECK(runs(guest_nothing) == 1);
	target = "i386";
	CHECK(runs(guest_nothing) == 0);
	target = "aarch64";
	CHECK(runs(guest_nothing) == 0);
	ask.size++;
	CHECK(runs(guest_nothing) == 1);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_calls();
	test_ranges();
	test_pieces();
	test_parts();
	test_ends();
	test_traps();
	test_reset();
	test_other_traps();
	test_threads();
	test_returns();
	test_cpus();
	test_riscv();
	test_deep();
	test_log();
	test_refused();
	unlink(path);
	return unit_end();
}
