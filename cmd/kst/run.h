/* SPDX-License-Identifier: ISC */
#ifndef RUN_H
#define RUN_H

/*
 * Becomes kst-NAME, one that stands beside this command first. Returns an exit
 * status if it cannot; a name that is not a command's ends this one.
 */
int run(const char *name, char **argv);

#endif
