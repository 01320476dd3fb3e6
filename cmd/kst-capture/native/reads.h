/* SPDX-License-Identifier: ISC */
/* Private to the room: the sampler's reads of memory. */
#ifndef READS_H
#define READS_H

#include "native/sampler.h"

/* Adds one to the sampler's list. */
void reads_want(struct sampler *s, size_t cpu, uint64_t addr, size_t len);

/*
 * [addr, addr + len) in reads that the protocol can carry. A read that runs
 * into a page that is not mapped fails as a whole: `pages` ends them there.
 */
void reads_range(
    struct sampler *s, size_t cpu, uint64_t addr, size_t len, bool pages);

/*
 * Unwinds the CPU's stack from its snapshot. While it is stopped (`more`),
 * memory that is missing is read.
 */
void reads_unwind(
    struct sampler *s, struct vcpu *c, struct unwinder *u, bool more);

/* Any amount of a stopped CPU's memory. */
int reads_bytes(
    void *sampler, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/* The same as the CPU sees it that is looked at; -1 when there is none. */
int reads_now(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/*
 * Whether code has not been read yet that a stack which begins at an address
 * needs: its function's, and the call that the return address follows.
 */
bool reads_lack_code(const struct sampler *s, struct unwinder *u,
    const struct vcpu *c, uint64_t pc);

/*
 * Reads the code that a stack of an earlier sample ended for, when the guest
 * ran on already. Any CPU that is in the kernel sees it.
 */
void reads_missed(struct sampler *s);

#endif
