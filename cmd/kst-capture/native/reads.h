/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: the guest's memory as a sample asks for it, from outside
 * where that can be, else by the protocol.
 */
#ifndef READS_H
#define READS_H

#include "native/sampler.h"

/* Stops the guest, as in struct sampler_ops; forgets what was read before. */
int reads_stop(struct sampler *s);

/*
 * Asks again where the guest's memory is, if some was not where it had been:
 * it may have been reset, or got more. The guest stands still for some ms.
 */
void reads_look_again(struct sampler *s);

/*
 * Where the CPUs' stacks begin, in one exchange, if the protocol reads: each
 * unwinding asks for that first.
 */
void reads_stacks(struct sampler *s);

/*
 * For the unwinder, with the sampler as arg: a word of the stopped CPU that is
 * looked at, s->now, with the block around it.
 */
int reads_word(void *sampler, uint64_t addr, uint64_t *word);

/* Whether --stack-bytes leaves that word out. */
bool reads_cut(const struct sampler *s, const struct vcpu *c, uint64_t addr);

/* Any amount of a stopped CPU's memory. */
int reads_bytes(
    void *sampler, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/* The same as s->now sees it; else by s->view. -1 when there is neither. */
int reads_now(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/*
 * The kernel's memory by s->view: while the guest runs if its memory is read
 * from outside, else only while it stands.
 */
int reads_view(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/* For unwind_settings, with the sampler as arg: code as it is in memory. */
size_t reads_code(void *s, uint64_t addr, uint8_t *to, size_t n);

#endif
