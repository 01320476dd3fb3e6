/* SPDX-License-Identifier: ISC */
/* How the QEMU that loads it calls. */
#ifndef VERSION_H
#define VERSION_H

#include "qemu/api.h"
#include "decode/insn.h"

/* What is done, whichever version's callbacks call it. */
struct version_calls {
	void (*translate)(struct qemu_plugin_tb *tb);
	void (*add_vcpu)(unsigned vcpu);
	void (*finish)(void);
};

/* Ends QEMU if its interface is newer than those that are known. */
void version_check(int version);

/* The guest's processor. Ends QEMU if it is not a known one. */
enum insn_arch version_arch(const qemu_info_t *info);

void version_register(
    qemu_plugin_id_t id, int version, const struct version_calls *c);

struct reader;

/* Reads the guest's memory as the CPUs see it, if this QEMU lets plugins. */
const struct reader *version_reader(void);

enum { VERSION_BYTES = 16 };

/* Copies at most VERSION_BYTES of an instruction; returns how many. */
size_t version_bytes(const struct qemu_plugin_insn *insn, uint8_t *to);

/*
 * Has QEMU count what is executed of a block's n instructions. Those that
 * cannot fail, which `fails` tells, are counted with the next one.
 */
void version_count(struct qemu_plugin_tb *tb, const bool *fails, size_t n);

/* How many the first n vCPUs have executed. */
uint64_t version_executed(unsigned n);

/*
 * Where QEMU counts what a vCPU executes, or that of all. It may be elsewhere
 * once there is another vCPU.
 */
const uint64_t *version_counter(unsigned vcpu);

#endif
