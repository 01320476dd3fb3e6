/* SPDX-License-Identifier: ISC */
/*
 * Says what happens while a thread is in sched_wait: the time in which its CPU
 * was idle, and the time from its sched_wake on. Both become spans within
 * sched_wait.
 */
#ifndef WAITS_H
#define WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct osv_record;
struct osv_threads;
struct osv_track;

/* A thread that waits. */
struct waiting {
	uint64_t ptr;	      /* 0: not known */
	uint64_t since, wake; /* 0: not woken yet */
	uint32_t track, cpu;
};

struct cpu_idle {
	bool idle;
	uint64_t since;
};

struct waits {
	struct waiting *v; /* in the order of their begins */
	size_t n, cap;
	struct cpu_idle *cpus; /* by number */
	size_t n_cpus;
};

/* The track's thread waits. To be called after the begin is written. */
void waits_begin(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r);

/* The thread runs again. To be called before the end is written. */
void waits_end(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r);

/* Its CPU became idle or busy, or a thread was woken. */
void waits_note(struct osv_threads *t, const struct osv_record *r);

/* To be called at the log's end. */
void waits_finish(struct osv_threads *t);

#endif
