/* SPDX-License-Identifier: ISC */
/*
 * A CPU of riscv64 in its firmware, in machine mode: finds what the firmware
 * has interrupted, and the memory of that, which is mapped differently.
 */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/vcpu.h"

/*
 * Replaces the CPU's registers by those of what its firmware has interrupted.
 * Returns false, with nothing changed, if that cannot be known for sure.
 */
bool firmware_leave(struct vcpu *c, vcpu_read *read, void *arg);

/*
 * Whether the CPU is in the kernel's own code of machine mode, which has
 * interrupted code with page tables that machine mode does not use.
 */
bool firmware_translates(struct vcpu *c);

#endif
