/* SPDX-License-Identifier: ISC */
/* Asks the first questions of a stub, to find out who answers. */
#ifndef RSP_WHO_H
#define RSP_WHO_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct rsp_link;
struct sampler;
struct vcpu;

/* Finds out what answers. Returns -1 with the reason in l->w.why. */
int rsp_meet(struct rsp_link *l);

/*
 * To be called once afterwards, for QEMU. Sets *paused if the guest is known to
 * have been stopped before the connection was made. Returns -1 if the
 * conversation has failed.
 */
int rsp_state(struct rsp_link *l, bool *paused);

/*
 * Asks for the CPUs, or threads. Sets those of the sampler, and the ids to ask
 * for them by ("": there is only one, which needs no id). `list` has what the
 * stub said last time; if it says the same again, nothing is changed. Returns
 * -1 with the reason in l->w.why: the conversation has failed, or the list is
 * damaged, has more than 4096 CPUs, or one of them twice.
 */
int rsp_cpus(struct rsp_link *l, struct buf *list, struct sampler *s);

/*
 * A document of the stub's description, for layout_read(). The name may be one
 * that the stub has given.
 */
char *rsp_document(void *link, const char *name);

/*
 * Asks for a CPU's registers of these numbers (-1: none), in the order of enum
 * unwind_spare, while it is stopped. Returns as link_packet().
 */
int rsp_ask_spare(struct rsp_link *l, const int32_t *spare, struct vcpu *c);

/*
 * Adds a question to the next write: what the CPU does; and takes the answer
 * into c->extra, such as `CPU#1 [halted ]`. Returns as link_packet().
 */
void rsp_put_state(struct rsp_link *l, const struct vcpu *c);
int rsp_take_state(struct rsp_link *l, struct vcpu *c, uint64_t deadline);

#endif
