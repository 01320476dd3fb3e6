/* SPDX-License-Identifier: ISC */
/*
 * A filter gives up the rights that it does not need, before it reads a byte of
 * its input: a fault in it, which hostile input may find, then opens no other
 * file, no connection and no other program.
 */
#ifndef KST_RIGHTS_H
#define KST_RIGHTS_H

#include <stdbool.h>

struct rights {
	char *const *reads; /* files and folders that may still be opened */
	int n_reads;
	const char *dirs[2]; /* or NULL: where files may be made and removed */
	bool runs;	     /* it starts other programs */
};

/* For `reads`, n_reads 1: every file may be read. */
extern char *const rights_all[];

/* Reads these operands and no other file. */
void rights_files(char *const *operands, int n);

/*
 * Keeps these rights and what is open. Does nothing where the system cannot do
 * it, or with KST_NO_SANDBOX=1.
 */
void rights_keep(const struct rights *r);

#endif
