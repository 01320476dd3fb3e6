/* SPDX-License-Identifier: ISC */
/* The ELF files that the user names, FILE[@[+]ADDR] as elfsym.h has it. */
#ifndef FILES_H
#define FILES_H

struct target;

/* Loads one and adds it to the target's. Returns -1 after a message. */
int files_add(struct target *t, const char *spec);
void files_done(struct target *t);

#endif
