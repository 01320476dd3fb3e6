/* SPDX-License-Identifier: ISC */
/* What the calls of a function cost, of a profile that has both. */
#ifndef COMPARE_H
#define COMPARE_H

struct profile;

/*
 * Sets what profile_call() says of costs. A function that is called by others
 * now would seem to cost another amount, so each call after is compared with
 * those of its own stack.
 */
void calls_compare(struct profile *p);

#endif
