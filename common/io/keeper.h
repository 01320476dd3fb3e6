/* SPDX-License-Identifier: ISC */
/*
 * The process that opens and names a program's output files, so that the
 * program needs no right to a folder. Each program has at most one. It knows
 * the files beforehand: whoever took the program over can write these files,
 * but no others.
 */
#ifndef KST_KEEPER_H
#define KST_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct out_file;

/*
 * Starts the process. `nth`, which is called in that process, describes file
 * number k, or returns false if there is none. Returns 0, or -1 with errno.
 */
int keeper_start(
    bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg);

/*
 * Opens a file for keeper_name(), and drops the one before. *replaces says
 * whether a file of that name exists. Returns the file, which the caller
 * closes; or, after a message, -1 with an exit status in *status.
 */
int keeper_open(uint64_t k, bool *replaces, int *status);

/*
 * Gives the file its name. After the last file the process ends by itself,
 * without being asked. Returns 0, or -1 with errno.
 */
int keeper_name(bool last);

/*
 * Drops a file that has no name yet, or says where it was left, and ends the
 * process. A signal handler may call it.
 */
void keeper_end(void);

#endif
