/* SPDX-License-Identifier: ISC */
/*
 * What answers at an address: QEMU, or another stub, how to speak, and whether
 * the guest ran before the stub stopped it for us.
 */
#ifndef RSP_WHO_H
#define RSP_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buf;
struct rsp_link;
struct sampler;

struct rsp_who {
	bool qemu;     /* with monitor commands and CPUs as threads */
	bool program;  /* it holds a program, all of it in user mode */
	bool names;    /* it has a document of threads with names */
	bool vcont;    /* it is resumed by `vCont;c`, else by `c` */
	size_t packet; /* bytes of memory in one answer */
	/*
	 * gdbserver stops a program by a signal to its process group. One that
	 * does not lead its group, and runs on this machine, can only be
	 * signalled by us; 0: it need not, or cannot.
	 */
	pid_t pid;
	const char *kind; /* "no QEMU: gdbserver"; NULL: it is QEMU */
};

/* The first questions. Returns -1 with l->w.why. */
int rsp_meet(struct rsp_link *l, struct rsp_who *who);

/*
 * To be asked of QEMU once, after that. Sets *paused when the guest is known to
 * have stood still before the connection was made. Returns -1 when the
 * conversation has failed.
 */
int rsp_state(struct rsp_link *l, bool *paused);

/*
 * Asks for the CPUs, or threads, and sets those of the sampler, with the ids to
 * ask for them by ("": it has one, which needs no asking for). `list` holds
 * what the stub said last time: *same when it says it again, and nothing is
 * changed. Returns -1 with l->w.why: the conversation has failed, or the list
 * is not one, has more than 4096, or one twice.
 */
int rsp_cpus(struct rsp_link *l, struct rsp_who *who, struct buf *list,
    struct sampler *s, bool *same);

#endif
