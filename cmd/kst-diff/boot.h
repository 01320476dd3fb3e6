/* SPDX-License-Identifier: ISC */
/*
 * The block bootstrap: how much captures vary, beyond independent samples. A
 * block is some captures in a row; 1000 times as many blocks as there are get
 * drawn from them, by a fixed seed.
 */
#ifndef BOOT_H
#define BOOT_H

#include "measure.h"

/*
 * How many samples are worth one independent sample: the variance of the key's
 * share (or weight, for costs) over that of independent samples, of the side
 * where it is larger, at least 1. *df: degrees of freedom of the blocks.
 */
double boot_effect(const struct measure *m, uint32_t key, double *df);

#endif
