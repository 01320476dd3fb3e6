/* SPDX-License-Identifier: ISC */
/* A uftrace.data directory: its info, task.txt and events.txt. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfs;
struct specs;
struct syms;

/* A program that a process ran from a time on. */
struct session {
	uint64_t pid, time;
	uint32_t view; /* for syms_find() */
	char *exename;
};

struct task {
	uint64_t tid;	    /* first, to be found by */
	uint64_t pid, ppid; /* ppid 0: not forked */
};

/* A user event. */
struct user_event {
	uint64_t id;
	char *name;
};

struct data {
	const char *dir;
	bool big; /* byte order */
	bool lp64;
	bool relative; /* symbol addresses are relative to the mapping */
	bool depths;   /* each record tells how many calls are around it */
	struct specs *specs;
	struct syms *syms;
	struct session *sessions; /* by pid, then time */
	size_t n_sessions, cap_sessions;
	uint32_t no_view;   /* for tasks without a session */
	struct task *tasks; /* by tid */
	size_t n_tasks, cap_tasks;
	struct user_event *events;
	size_t n_events, cap_events;
	bool mangled; /* names stay as they are */
	bool failed;  /* something was missing or wrong, and reported */
};

/* In tasks.c: reads task.txt and the symbols. */
void data_read_tasks(struct data *d);

/*
 * Returns -1 after a message when nothing can be read. elfs gives symbols and
 * must outlive the struct.
 */
int data_open(struct data *d, const char *dir, struct elfs *elfs);
void data_close(struct data *d);

/*
 * The name of an event, uftrace's own or a user's; NULL if the event is
 * unknown.
 */
const char *data_event_name(const struct data *d, uint64_t id);

/* NULL if task.txt does not name it. */
const struct task *data_task(const struct data *d, uint64_t tid);

/*
 * What a task ran at a time: the session of its process, or of the process that
 * forked it. If all sessions began later, it is the first one; NULL if there is
 * none. The answer holds before *until.
 */
const struct session *data_session_at(
    const struct data *d, uint64_t tid, uint64_t time, uint64_t *until);

#endif
