/* SPDX-License-Identifier: ISC */
/* A small guest whose counts are known, to see whether a QEMU counts right. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdint.h>

struct request;

/*
 * Writes the guest for the processor that the command's name tells, and gives
 * the command QEMU's options for it. Asks for its code, counted twice. Returns
 * 0, or an exit status after a message.
 */
int selftest_prepare(char ***command, int file, struct request *r);

/* What was counted; `judged` one by one, and how many of them differ. */
struct selftest_result {
	uint64_t insns, stacks, lost, judged, differ;
};

/* Says whether all is as it is known. Returns EXIT_OK or EXIT_FAILED. */
int selftest_judge(const char *command, const struct selftest_result *r);

#endif
