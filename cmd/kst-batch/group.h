/* SPDX-License-Identifier: ISC */
/* Processes that end with this one, however it ends. */
#ifndef GROUP_H
#define GROUP_H

#include <sys/types.h>

/*
 * As fork(), but the child and all that it starts is a process group of its
 * own, which is killed when the child or this process ends. The process whose
 * number is returned watches over it, and hands SIGTERM on to the child.
 */
pid_t group_fork(void);

#endif
