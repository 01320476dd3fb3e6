/* SPDX-License-Identifier: ISC */
/* The CPUs, or threads, that a stub knows. */
#ifndef RSP_CPUS_H
#define RSP_CPUS_H

#include <stdbool.h>
#include "base/buf.h"

struct rsp_link;
struct rsp_who;
struct sampler;

/*
 * Asks for the CPUs and sets those of the sampler, with the ids to ask for them
 * by ("": it has one, which needs no asking for). `list` holds what the stub
 * said last time: *same when it says it again, and nothing is changed. Returns
 * -1 with a reason in l->w.why: the conversation has failed, or the list is not
 * one, has more than 4096, or one twice.
 */
int rsp_cpus(struct rsp_link *l, const struct rsp_who *who, struct buf *list,
    struct sampler *s, bool *same);

#endif
