/* SPDX-License-Identifier: ISC */
/* The processes that descend from this one. */
#ifndef TREE_H
#define TREE_H

/* Sends all of them a signal, zombies excepted. */
void tree_signal(int sig);

#endif
