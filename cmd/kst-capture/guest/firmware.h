/* SPDX-License-Identifier: ISC */
/* Recognising a guest that reboots: all its CPUs are back in the firmware. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdbool.h>

struct buf;

/*
 * Whether all CPUs of a sample (trace text) are where machines begin and
 * their firmware runs: in the lowest MiB, or in the last 16 MiB below 4 GiB.
 */
bool in_firmware(const struct buf *text);

#endif
