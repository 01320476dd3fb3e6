/* SPDX-License-Identifier: ISC */
/*
 * A CPU of riscv64 in its firmware, in machine mode: what the firmware has
 * interrupted, and the memory of that, which is mapped otherwise.
 */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vcpu;

/* Reads n bytes of memory as the CPU addresses it at this moment. */
typedef int firmware_read(
    void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/*
 * Replaces the CPU's registers by those of what its firmware has interrupted.
 * Returns false, with all as it was, when nothing tells for sure.
 */
bool firmware_leave(struct vcpu *c, firmware_read *read, void *arg);

/* Where an address of what was interrupted is in physical memory; or -1. */
int firmware_place(struct vcpu *c, uint64_t addr, uint64_t *at,
    firmware_read *read, void *arg);

#endif
