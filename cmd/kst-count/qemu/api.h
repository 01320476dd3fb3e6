/* SPDX-License-Identifier: ISC */
/*
 * The part of QEMU's interface for TCG plugins that is used, after its public
 * documentation, "QEMU TCG Plugins": version 1 (QEMU 6.0 to 8.2), 2 (9.0), 3
 * (9.1), 4 (9.2, 10.0), 5 (10.1), 6 (to 11.0) and 7. A function that one of
 * them lacks is weak, and NULL there.
 */
#ifndef API_H
#define API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_EXPORT __attribute__((visibility("default")))
#define API_SOME __attribute__((weak))
#define API_NEWEST 7

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
} qemu_info_t;

/* A number of each vCPU. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

/*
 * Up to version 6 a callback gets the plugin's id first, and userdata only at
 * exit. Since version 7 it gets userdata last, and no id.
 */
typedef void (*api_any_cb)(void);
typedef void (*api_exec_cb)(unsigned vcpu, void *userdata);
typedef void (*api_mem_cb)(
    unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata);

/* What QEMU looks for. */
extern API_EXPORT int qemu_plugin_version;
API_EXPORT int qemu_plugin_install(
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* Up to version 6 the first two do not take userdata, and ignore it. */
void qemu_plugin_register_vcpu_init_cb(
    qemu_plugin_id_t id, api_any_cb cb, void *userdata);
void qemu_plugin_register_vcpu_tb_trans_cb(
    qemu_plugin_id_t id, api_any_cb cb, void *userdata);
void qemu_plugin_register_atexit_cb(
    qemu_plugin_id_t id, api_any_cb cb, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
    api_exec_cb cb, enum qemu_plugin_cb_flags flags, void *userdata);
/* If only one kind is asked for, QEMU 7.2 mostly takes loads for stores. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
    api_mem_cb cb, enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
    void *userdata);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
    const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

/* All versions have it, but only QEMU, not each test that is one. */
API_SOME void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *insn, api_exec_cb cb,
    enum qemu_plugin_cb_flags flags, void *userdata);

/* Up to version 2: returns the bytes' address. Later: copies them, returns how
 * many.
 */
uintptr_t qemu_plugin_insn_data(
    const struct qemu_plugin_insn *insn, void *to, size_t len);

/* Version 1: adds to one number, whichever vCPU executes. */
API_SOME void qemu_plugin_register_vcpu_insn_exec_inline(
    struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *ptr,
    uint64_t imm);

/* Later: to each vCPU's. */
API_SOME struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
API_SOME void *qemu_plugin_scoreboard_find(
    struct qemu_plugin_scoreboard *score, unsigned vcpu);
API_SOME void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
    qemu_plugin_u64 entry, uint64_t imm);

/*
 * Since version 4: reads memory as the vCPU that executes sees it, to an array
 * of GLib, which QEMU has loaded.
 */
struct api_bytes {
	uint8_t *data;
	unsigned len;
};
API_SOME bool qemu_plugin_read_memory_vaddr(
    uint64_t addr, struct api_bytes *to, size_t len);
API_SOME struct api_bytes *g_byte_array_new(void);
API_SOME struct api_bytes *g_byte_array_set_size(
    struct api_bytes *to, unsigned len);

/*
 * Not of the interface, but what QEMU's debugger uses: where a QEMU has modules
 * of its own, as distributions build it, all of its functions can be found.
 * cpu_memory_rw_debug() returns 0, or -1.
 */
struct api_cpu;
API_SOME struct api_cpu *qemu_get_cpu(int number);
API_SOME int cpu_memory_rw_debug(
    struct api_cpu *cpu, uint64_t addr, void *to, size_t len, bool write);

/* Not called: versions 3, 5 and 6 begin with them. */
API_SOME void qemu_plugin_register_vcpu_tb_exec_cond_cb(void);
API_SOME void qemu_plugin_translate_vaddr(void);
API_SOME void qemu_plugin_set_pc(void);

#endif
