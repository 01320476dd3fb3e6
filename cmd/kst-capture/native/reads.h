/* SPDX-License-Identifier: ISC */
/* Private to the room: reads of the guest's memory for a sample. */
#ifndef READS_H
#define READS_H

#include "native/sampler.h"

/*
 * Adds [addr, addr + len) to the sampler's list, in reads that the protocol can
 * carry. A read that runs into a page that is not mapped fails as a whole, so
 * each is of one page.
 */
void reads_range(struct sampler *s, struct vcpu *c, uint64_t addr, size_t len);

/*
 * What a stack from sp on is likely to need: up to its end, and what was read
 * besides when it was unwound before. Returns whether its end is known.
 */
bool reads_stack(struct sampler *s, struct vcpu *c, uint64_t sp);

/*
 * Unwinds the CPU's stack from its snapshot. If it is s->now, which stands
 * still, the first memory that is missing is added to the list, and c->waits is
 * set: once that is read, the stack is to be unwound anew.
 */
void reads_unwind(struct sampler *s, struct vcpu *c);

/*
 * Whether the snapshot has the bytes around pc. If not, they are added in that
 * way, with the stack from sp on, unless that is 0.
 */
bool reads_program(struct sampler *s, struct vcpu *c, uint64_t pc, uint64_t sp);

/* Reads the list, from outside what can be, and the rest by the protocol. */
int reads_list(struct sampler *s, const struct sampler_read *list, size_t n);

/* Stops the guest, as in struct sampler_ops; forgets what was read before. */
int reads_stop(struct sampler *s, const struct sampler_read *list, size_t n);

/*
 * A CPU's memory by the page tables of its last stop, also while the guest
 * runs; -1 when only its stub can read.
 */
int reads_running(struct sampler *s, const struct vcpu *c, uint64_t addr,
    uint8_t *to, size_t n);

/* Learns what stacks needed besides themselves, from list[begin] on. */
void reads_learn(struct sampler *s, size_t begin);

/* Any amount of a stopped CPU's memory. */
int reads_bytes(
    void *sampler, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/* The same as the CPU sees it that is looked at; -1 when there is none. */
int reads_now(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/*
 * The kernel's memory by s->view: while the guest runs if its memory is read
 * from outside, else only while it stands.
 */
int reads_view(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/*
 * Whether code has not been read yet that a stack which begins at an address
 * needs: its function's, and the call that the return address follows.
 */
bool reads_lack_code(
    const struct sampler *s, const struct vcpu *c, uint64_t pc);

/*
 * For unwind_settings, with the sampler as arg: code as it is in memory, while
 * the guest runs what was read before.
 */
size_t reads_code(void *s, uint64_t addr, uint8_t *to, size_t n);

#endif
