/* SPDX-License-Identifier: ISC */
/*
 * Measures for how long a guest was stopped. From outside only bounds are seen:
 * QEMU stops the guest's clock when it reads the request, before the processors
 * have parked, and both may wait for a processor of the host. So a timer of the
 * guest's is read at some stops. The time that it lost against the host is
 * the true sum, and says where between the bounds the stops are. Reading the
 * timer changes nothing.
 */
#ifndef STOOD_H
#define STOOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends what a command of QEMU's monitor prints. -1: it cannot be asked. */
typedef int monitor_ask(void *arg, const char *command, struct buf *text);

/* QEMU's monitor; ask NULL: there is none. */
struct monitor {
	monitor_ask *ask;
	void *arg;
};

/* The moments of a stop, in clock_now()'s time. */
struct stop {
	uint64_t asked, stood; /* before the request; it was seen to stand */
	uint64_t going, gone;  /* before the request; it was seen to go */
	uint64_t told; /* ns that the processors stood, by QEMU; 0: not told */
};

/* A device of QEMU's that counts by the guest's clock. */
struct stood_timer {
	const char *name;   /* as `info mtree -f` has it, */
	const char *view;   /* and the view: another may have it elsewhere */
	const char *read;   /* the monitor's command, before its address */
	const char *before; /* what stands before the count, in the answer */
	uint64_t offset;    /* of the count in the device */
	uint64_t mask, hz;
};

/* Zero it to begin. */
struct stood {
	const struct stood_timer *timer; /* NULL: none that is believed */
	uint64_t at;			 /* its address */
	unsigned tries;			 /* looks for it */
	bool by_clock;			 /* the timer has told */
	uint64_t park; /* ns, the shortest from a request to a stop; 0: none */
	double share;  /* of that time, which stops last beyond the least */
	uint64_t ticks, since; /* of the timer, since that time; 0: never */
	uint64_t half;	       /* ns by which that time may be wrong */
	uint64_t next, pause;  /* it is read again then, and later */
	double least, most;    /* ns, of the stops since it was read; */
	double seen;	       /* in which they were seen to begin and end, */
	double lost, said;     /* of all stops, by the timer, and as said */
};

/* Looks for the timer. */
void stood_begin(struct stood *s, const struct monitor *m);

/* To be called while the guest is stopped: reads its timer, if that is due. */
void stood_look(
    struct stood *s, const struct stop *stop, const struct monitor *m);

/*
 * To be called when the guest runs again: returns for how long it was stopped,
 * in ns.
 */
uint64_t stood_add(struct stood *s, const struct stop *stop);

#endif
