/* SPDX-License-Identifier: ISC */
/* The only file that knows about processors. */
#include "processors.h"

#include <sched.h>
#include <unistd.h>

uint64_t
processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return (uint64_t)CPU_COUNT(&set);
	return 1;
}

void
processor_keep(uint64_t slot)
{
	cpu_set_t set, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && --slot == 0) {
			CPU_SET(i, &one);
			(void)sched_setaffinity(0, sizeof one, &one);
			return;
		}
}

void
processor_free(void)
{
	cpu_set_t set;

	if (sched_getaffinity(getppid(), sizeof set, &set) == 0)
		(void)sched_setaffinity(0, sizeof set, &set);
}
