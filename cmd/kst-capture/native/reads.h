/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: reads the guest's memory as a sample asks for it, from
 * outside where that is possible, else by the protocol.
 */
#ifndef READS_H
#define READS_H

#include "native/sampler.h"

/* Stops the guest, as in struct sampler_ops; forgets what was read before. */
int reads_stop(struct sampler *s);

/*
 * Asks again where the guest's memory is, if some was not where it had been.
 * The guest may have been reset, or got more memory. It is stopped for some ms.
 */
void reads_look_again(struct sampler *s);

/*
 * If the protocol reads memory: reads where the CPUs' stacks begin, in one
 * exchange, because each unwinding asks for that first.
 */
void reads_stacks(struct sampler *s);

/*
 * For the unwinder, with the sampler as arg: a word of the stopped CPU s->now,
 * or of the thread s->view, read with the block around it.
 */
int reads_word(void *sampler, uint64_t addr, uint64_t *word);

/* Whether --stack-bytes leaves that word out. */
bool reads_cut(const struct sampler *s, const struct vcpu *c, uint64_t addr);

/* Reads any amount of a stopped CPU's memory. */
int reads_bytes(
    void *sampler, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/*
 * Gives a thread the page tables of its process, the first of which is at an
 * address of the kernel's. False if memory is not read from outside.
 */
bool reads_switch(struct sampler *s, struct vcpu *c, uint64_t tables);

/* Reads memory as s->view sees it, or else s->now. -1 if there is neither. */
int reads_now(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/*
 * Reads the kernel's memory through s->view: while the guest runs if memory is
 * read from outside, else only while it is stopped.
 */
int reads_view(void *sampler, uint64_t addr, uint8_t *to, size_t n);

/* For unwind_settings, with the sampler as arg: code as it is in memory. */
size_t reads_code(void *s, uint64_t addr, uint8_t *to, size_t n);

#endif
