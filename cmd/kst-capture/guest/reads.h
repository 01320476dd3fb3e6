/* SPDX-License-Identifier: ISC */
/* Private to the room: the sampler's reads of memory. */
#ifndef READS_H
#define READS_H

#include "guest/sampler.h"

/* Adds one to the sampler's list. */
void reads_want(struct sampler *s, size_t cpu, uint64_t addr, size_t len);

/*
 * [addr, addr + len) in reads that the protocol can carry. A read that runs
 * into a page that is not mapped fails as a whole: `pages` ends them there.
 */
void reads_range(
    struct sampler *s, size_t cpu, uint64_t addr, size_t len, bool pages);

/* More of a stopped CPU's memory: the block around the address. */
int reads_more(void *sampler, struct vcpu *c, uint64_t addr);

/* Any amount of a stopped CPU's memory. */
int reads_bytes(
    void *sampler, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

#endif
