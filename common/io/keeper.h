/* SPDX-License-Identifier: ISC */
/*
 * The process that opens and names a program's output files, so that the
 * program needs no right to a folder. There is one a program. It knows the
 * files from before: whoever took the program over can have written these, but
 * no other.
 */
#ifndef KST_KEEPER_H
#define KST_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct out_file;

/*
 * Starts it. `nth` describes file number k, or returns false if there is none;
 * it is called in that process. Returns 0, or -1 with errno.
 */
int keeper_start(
    bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg);

/*
 * Opens a file for keeper_name(), and drops the one before. Sets *replaces if
 * there is a file of that name. Returns the file, which the caller closes; or
 * -1 with an exit status in *status, after a message.
 */
int keeper_open(uint64_t k, bool *replaces, int *status);

/*
 * Gives the file its name; after the last one, the process ends at once, which
 * saves a question. Returns 0, or -1 with errno.
 */
int keeper_name(bool last);

/*
 * Drops a file that has no name yet, or says where it was left, and ends the
 * process. A signal handler may call it.
 */
void keeper_end(void);

#endif
