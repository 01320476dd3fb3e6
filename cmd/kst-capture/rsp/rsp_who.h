/* SPDX-License-Identifier: ISC */
/* Who answers: the first questions to a stub. */
#ifndef RSP_WHO_H
#define RSP_WHO_H

#include <stdbool.h>

struct buf;
struct rsp_link;
struct sampler;

/* The first questions, which tell what answers there. Returns -1 with l->w.why.
 */
int rsp_meet(struct rsp_link *l);

/*
 * To be asked of QEMU once, after that. Sets *paused when the guest is known to
 * have stood still before the connection was made. Returns -1 when the
 * conversation has failed.
 */
int rsp_state(struct rsp_link *l, bool *paused);

/*
 * Asks for the CPUs, or threads, and sets those of the sampler, with the ids to
 * ask for them by ("": it has one, which needs no asking for). `list` holds
 * what the stub said last time: when it says it again, nothing is changed.
 * Returns -1 with l->w.why: the conversation has failed, or the list is not
 * one, has more than 4096, or one twice.
 */
int rsp_cpus(struct rsp_link *l, struct buf *list, struct sampler *s);

#endif
