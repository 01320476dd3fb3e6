/* SPDX-License-Identifier: ISC */
/* What answers at an address: QEMU, or another stub, and how to speak. */
#ifndef RSP_WHO_H
#define RSP_WHO_H

#include <stdbool.h>
#include <stddef.h>

struct rsp_link;

struct rsp_who {
	bool qemu;	  /* with monitor commands and CPUs as threads */
	bool program;	  /* it holds a program, all of it in user mode */
	bool names;	  /* it has a document of threads with names */
	bool vcont;	  /* it is resumed by `vCont;c`, else by `c` */
	size_t packet;	  /* bytes of memory in one answer */
	const char *kind; /* "no QEMU: gdbserver"; NULL: it is QEMU */
};

/*
 * The first questions. l->stop_seen then says whether the stub has reported
 * the stop; rsp_state.h tells what that means. Returns -1 with l->w.why.
 */
int rsp_meet(struct rsp_link *l, struct rsp_who *who);

#endif
