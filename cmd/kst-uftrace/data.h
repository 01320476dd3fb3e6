/* SPDX-License-Identifier: ISC */
/* A uftrace.data directory: what its info, task.txt and events.txt say. */
#ifndef DATA_H
#define DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct specs;
struct syms;

/* A program that a process ran from some time on. */
struct session {
	uint64_t pid, time;
	uint32_t space; /* for syms_find() */
	char *exename;
};

struct task {
	uint64_t tid, pid, ppid; /* ppid 0: not forked */
};

/* An event of the user's own: its number and name. */
struct user_event {
	uint64_t id;
	char *name;
};

struct data {
	const char *dir;
	bool big; /* byte order */
	bool lp64;
	bool relative; /* symbol addresses are relative to the mapping */
	struct specs *specs;
	struct syms *syms;
	struct session *sessions; /* by pid, then time */
	size_t n_sessions;
	struct task *tasks; /* by tid */
	size_t n_tasks;
	struct user_event *events;
	size_t n_events;
	bool failed; /* something was missing or wrong, and was said */
};

/* Returns -1 after a message when there is nothing to be read. */
int data_open(struct data *d, const char *dir);
void data_close(struct data *d);

/*
 * The sessions of a task: the first of them, and how many; a forked task
 * without its own has its parent's, and a task nobody knows the first ones.
 */
const struct session *data_sessions(
    const struct data *d, uint64_t tid, size_t *n);

/* The process of a task, the task itself if nothing is known. */
uint64_t data_pid(const struct data *d, uint64_t tid);

#endif
