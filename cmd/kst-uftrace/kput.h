/* SPDX-License-Identifier: ISC */
/* The kernel's records, on the tracks of their tasks. */
#ifndef KPUT_H
#define KPUT_H

#include <stdbool.h>
#include <stdint.h>

struct emit;
struct kernel_record;
struct track;

void kput(struct emit *e, struct track *t, const struct kernel_record *r);

/* A begin or an end that was not recorded, of a function of the kernel. */
void kput_made(struct emit *e, struct track *t, uint64_t time, bool is_exit,
    uint64_t addr);

#endif
