/* SPDX-License-Identifier: ISC */
/*
 * Calls kst-count's plugin as QEMU does whose plugin interface has version API,
 * by declarations of our own after QEMU's public header. A guest of two blocks,
 * a call and a return, is executed three times. host PLUGIN RESULT: RESULT is
 * where the plugin writes. host ... -plugin PLUGIN,result=RESULT: the same as
 * kst-count calls QEMU, with its request in that file. HOST_CUR and HOST_MIN in
 * the environment are other versions than API that it says it has. HOST_IDLE:
 * the guest is idle then, or goes on if it is 2, until QEMU is ended.
 * HOST_CARD: what `info network` answers, if the machine is that of
 * HOST_MACHINE.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/request.h"

#define EXPORT __attribute__((visibility("default")))

struct info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp, max;
	} vcpus;
};

/* An instruction, and what is called or added when it is executed. */
struct insn {
	uint64_t addr;
	const char *bytes;
	size_t size;
	uint64_t *add, how_much;
	struct {
		void (*call)(unsigned, uint32_t, uint64_t, void *);
		void *data;
	} mem[2];
	size_t n_mem;
};

struct tb {
	struct insn insn[2];
	size_t n;
	void (*exec)(unsigned, void *);
	void *data;
};

static void *exit_data;
static volatile sig_atomic_t ended;

static void
on_term(int sig)
{
	(void)sig;
	ended = 1;
}

static struct tb caller = {
    .n = 2, .insn = {{0x1000, "\x90", 1}, {0x1001, "\xe8\xfa\x0f\0\0", 5}}};
static struct tb callee = {.n = 1, .insn = {{0x2000, "\xc3", 1}}};

#if API < 7
typedef void (*vcpu_cb)(uint64_t id, unsigned vcpu);
typedef void (*tb_cb)(uint64_t id, struct tb *tb);
typedef void (*exit_cb)(uint64_t id, void *data);
#define REGISTER_ARGS(type) uint64_t id, type cb
#define KEEP_DATA (void)0
#else
typedef void (*vcpu_cb)(unsigned vcpu, void *data);
typedef void (*tb_cb)(struct tb *tb, void *data);
typedef void (*exit_cb)(void *data);
#define REGISTER_ARGS(type) uint64_t id, type cb, void *data
#define KEEP_DATA (user_data = data)
static void *user_data;
#endif

static vcpu_cb on_vcpu;
static tb_cb on_tb;
static exit_cb on_exit_;

EXPORT void qemu_plugin_register_vcpu_init_cb(REGISTER_ARGS(vcpu_cb));
EXPORT void qemu_plugin_register_vcpu_tb_trans_cb(REGISTER_ARGS(tb_cb));
EXPORT void qemu_plugin_register_atexit_cb(uint64_t id, exit_cb cb, void *data);
EXPORT void qemu_plugin_register_vcpu_tb_exec_cb(
    struct tb *tb, void (*cb)(unsigned, void *), int flags, void *data);
EXPORT void qemu_plugin_register_vcpu_mem_cb(struct insn *x,
    void (*cb)(unsigned, uint32_t, uint64_t, void *), int flags, int rw,
    void *data);
EXPORT bool qemu_plugin_mem_is_store(uint32_t info);
EXPORT size_t qemu_plugin_tb_n_insns(const struct tb *tb);
EXPORT struct insn *qemu_plugin_tb_get_insn(struct tb *tb, size_t i);
EXPORT uint64_t qemu_plugin_insn_vaddr(const struct insn *x);
EXPORT size_t qemu_plugin_insn_size(const struct insn *x);

void
qemu_plugin_register_vcpu_init_cb(REGISTER_ARGS(vcpu_cb))
{
	(void)id;
	KEEP_DATA;
	on_vcpu = cb;
}

void
qemu_plugin_register_vcpu_tb_trans_cb(REGISTER_ARGS(tb_cb))
{
	(void)id;
	KEEP_DATA;
	on_tb = cb;
}

void
qemu_plugin_register_atexit_cb(uint64_t id, exit_cb cb, void *data)
{
	(void)id;
	on_exit_ = cb;
	exit_data = data;
}

void
qemu_plugin_register_vcpu_tb_exec_cb(
    struct tb *tb, void (*cb)(unsigned, void *), int flags, void *data)
{
	(void)flags;
	tb->exec = cb;
	tb->data = data;
}

void
qemu_plugin_register_vcpu_mem_cb(struct insn *x,
    void (*cb)(unsigned, uint32_t, uint64_t, void *), int flags, int rw,
    void *data)
{
	(void)flags, (void)rw;
	x->mem[x->n_mem].call = cb;
	x->mem[x->n_mem++].data = data;
}

bool
qemu_plugin_mem_is_store(uint32_t info)
{
	return info;
}

size_t
qemu_plugin_tb_n_insns(const struct tb *tb)
{
	return tb->n;
}

struct insn *
qemu_plugin_tb_get_insn(struct tb *tb, size_t i)
{
	return &tb->insn[i];
}

uint64_t
qemu_plugin_insn_vaddr(const struct insn *x)
{
	return x->addr;
}

size_t
qemu_plugin_insn_size(const struct insn *x)
{
	return x->size;
}

#if API < 3
EXPORT const void *qemu_plugin_insn_data(const struct insn *x);

const void *
qemu_plugin_insn_data(const struct insn *x)
{
	return x->bytes;
}
#else
EXPORT size_t qemu_plugin_insn_data(const struct insn *x, void *to, size_t n);

size_t
qemu_plugin_insn_data(const struct insn *x, void *to, size_t n)
{
	n = n < x->size ? n : x->size;
	memcpy(to, x->bytes, n);
	return n;
}

#endif

#if API < 2
EXPORT void qemu_plugin_register_vcpu_insn_exec_inline(
    struct insn *x, int op, uint64_t *ptr, uint64_t imm);

void
qemu_plugin_register_vcpu_insn_exec_inline(
    struct insn *x, int op, uint64_t *ptr, uint64_t imm)
{
	(void)op;
	x->add = ptr;
	x->how_much = imm;
}
#else
static uint64_t counter[4]; /* of each CPU, as a scoreboard */

struct score_u64 {
	void *score;
	size_t offset;
};

EXPORT void *qemu_plugin_scoreboard_new(size_t size);
EXPORT void *qemu_plugin_scoreboard_find(void *score, unsigned vcpu);
EXPORT void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    struct insn *x, int op, struct score_u64 entry, uint64_t imm);

void *
qemu_plugin_scoreboard_new(size_t size)
{
	return size == sizeof *counter ? counter : NULL;
}

void *
qemu_plugin_scoreboard_find(void *score, unsigned vcpu)
{
	return (uint64_t *)score + vcpu;
}

void
qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    struct insn *x, int op, struct score_u64 entry, uint64_t imm)
{
	(void)op;
	x->add = (uint64_t *)entry.score; /* of CPU 0 */
	x->how_much = imm;
}
#endif

#define ADDED(name)             \
	EXPORT void name(void); \
	void name(void)         \
	{                       \
	}
#if API >= 3
ADDED(qemu_plugin_register_vcpu_tb_exec_cond_cb)
#endif
#if API >= 4
ADDED(qemu_plugin_read_memory_vaddr)
#endif
#if API >= 5
ADDED(qemu_plugin_translate_vaddr)
#endif
#if API >= 6
ADDED(qemu_plugin_set_pc)
#endif

/* All but a nop access memory: the return address. */
static void
execute(struct tb *tb)
{
	tb->exec(0, tb->data);
	for (size_t i = 0; i < tb->n; i++) {
		struct insn *x = &tb->insn[i];

		*x->add += x->how_much;
		for (size_t m = 0; m < x->n_mem && *x->bytes != '\x90'; m++)
			x->mem[m].call(
			    0, tb == &caller, 0x8000, x->mem[m].data);
	}
}

static int
number(const char *name, int otherwise)
{
	return getenv(name) ? atoi(getenv(name)) : otherwise;
}

/* Writes what kst-count asks of the plugin: all instructions. */
static bool
ask(const char *path)
{
	struct request r = {.size = sizeof r,
	    .whats = 1,
	    .unit = "instructions",
	    .high = UINT64_MAX};
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(&r, sizeof r, 1, f) == 1;

	return f && fclose(f) == 0 && ok;
}

static void
translate(struct tb *tb)
{
#if API < 7
	on_tb(1, tb);
#else
	on_tb(tb, user_data);
#endif
}

int
main(int argc, char **argv)
{
	struct info info = {"x86_64",
	    {number("HOST_MIN", API < 3	   ? 0
				: API == 7 ? 7
					   : 2),
		number("HOST_CUR", API)},
	    true, {1, 1}};
	char result[4096], *args[] = {result};
	int (*install)(uint64_t, const struct info *, int, char **);
	void *plugin;
	int *version;

	/* API 7 came with 11.1 */
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts(API == 7 ? "QEMU emulator version 11.1.1"
				     : "QEMU emulator version 11.0.0") < 0;
	if (argc > 2 && strcmp(argv[argc - 1], "stdio") == 0) {
		const char *machine = strcmp(argv[1], "-M") == 0 ? argv[2] : "";
		const char *of = getenv("HOST_MACHINE");

		if (getenv("HOST_CARD") && strcmp(of ? of : "", machine) == 0)
			puts(getenv("HOST_CARD"));
		return 0;
	}
	if (argc > 3) {
		argv[2] = strstr(argv[argc - 1], ",result=");
		if (argv[2] == NULL || strcmp(argv[argc - 2], "-plugin") != 0)
			return 2;
		*argv[2]++ = 0;
		argv[2] += strlen("result=");
		argv[1] = argv[argc - 1];
	} else if (argc != 3 || !ask(argv[2])) {
		return 2;
	}
	snprintf(result, sizeof result, "result=%s", argv[2]);
	if ((plugin = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL)) == NULL ||
	    (version = dlsym(plugin, "qemu_plugin_version")) == NULL)
		return fprintf(stderr, "%s\n", dlerror()) < 0 ? 2 : 3;
	if (*version < info.version.min || *version > info.version.cur)
		return fprintf(stderr, "refused: version %d\n", *version) < 0
			   ? 2
			   : 3;
	*(void **)&install = dlsym(plugin, "qemu_plugin_install");
	if (install == NULL || install(1, &info, 1, args) != 0)
		return 3;
#if API < 7
	on_vcpu(1, 0);
#else
	on_vcpu(0, user_data);
#endif
	translate(&caller);
	translate(&callee);
	for (int i = 0; i < 3; i++) {
		execute(&caller);
		execute(&callee);
	}
	signal(SIGTERM, on_term);
	while (getenv("HOST_IDLE") && !ended) {
		usleep(10000);
		for (int i = 0; number("HOST_IDLE", 0) == 2 && i < 1024; i++) {
			execute(&caller);
			execute(&callee);
		}
	}
#if API < 7
	on_exit_(1, exit_data);
#else
	on_exit_(exit_data);
#endif
	return 0;
}
