/* SPDX-License-Identifier: ISC */
/* A sampler as a backend. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/backend.h"
#include "wire/stood.h"

struct sample;
struct sampler;
struct sampler_ops;
struct vcpu;

/*
 * Makes a state of `size` bytes, all zero except the struct sampler. The guest
 * has been met and runs. NULL after a message.
 */
void *sampler_open(
    size_t size, const struct sampler_ops *ops, const struct target *t);

/* As struct backend has them. */
enum sampled sampler_sample(void *state, struct sample *s);
enum sampled sampler_idle(void *state, uint64_t deadline);
int sampler_close(void *state, bool hurry);

/*
 * Somebody else has stopped the guest, which stays stopped. Says why; returns
 * -1.
 */
int sampler_foreign(struct sampler *s);

/*
 * Asks QEMU's monitor where its process has the guest's memory, if that process
 * was opened, and where the guest has a timer. `ask` NULL: there is no monitor.
 * With -v, says how memory is read.
 */
void sampler_monitor(struct sampler *s, monitor_ask *ask, void *arg);

/* Removes all CPUs. */
void sampler_forget(struct sampler *s);

/* Appends a CPU, zeroed. */
struct vcpu *sampler_add(struct sampler *s);

#endif
