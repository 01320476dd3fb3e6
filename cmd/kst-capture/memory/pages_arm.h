/* SPDX-License-Identifier: ISC */
/* Private to the room: the walks of arm and aarch64. */
#ifndef PAGES_ARM_H
#define PAGES_ARM_H

#include "memory/pages.h"

enum pages pages_arm(const struct paging *p, struct pages_walk *w);
enum pages pages_aarch64(const struct paging *p, struct pages_walk *w);

#endif
