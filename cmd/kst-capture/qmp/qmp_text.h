/* SPDX-License-Identifier: ISC */
/* What QEMU's human monitor prints: registers and memory, as text. */
#ifndef QMP_TEXT_H
#define QMP_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "cfi/regs.h"

struct snap;
struct vcpu;

/*
 * Reads the registers of n CPUs, numbered from 0, from `info registers -a`:
 * sets ok, regs and extra of each.
 */
void qmp_registers(
    const char *text, enum unwind_arch arch, struct vcpu *cpu, size_t n);

/*
 * Adds the words that `x/Ngx ADDR` printed, of at most `len` bytes from addr,
 * to a snapshot. The text may end early, where memory is not mapped.
 */
void qmp_memory(const char *text, uint64_t addr, size_t len, struct snap *s);

#endif
