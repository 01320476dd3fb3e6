/* SPDX-License-Identifier: ISC */
/* The CPUs that a stub knows. */
#ifndef RSP_CPUS_H
#define RSP_CPUS_H

struct rsp_link;
struct sampler;

/*
 * Asks for the CPUs and adds them to the sampler, with the ids to ask for them
 * by. Returns -1 with a reason in l->why: the conversation has failed, or the
 * list is none, has no CPU, more than 4096, or one twice.
 */
int rsp_cpus(struct rsp_link *l, struct sampler *s);

#endif
