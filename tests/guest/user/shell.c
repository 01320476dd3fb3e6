/* SPDX-License-Identifier: ISC */
/*
 * A program of ring 3: of each cycle 50 % in read_line, 20 % in run_command,
 * 30 % in the kernel on its behalf.
 */
#include "user.h"

static u64 lines;

static FRAME void
read_char(u64 until)
{
	while (tsc() < until)
		lines++;
}

static FRAME void
read_line(u64 until)
{
	read_char(until);
	lines++;
}

static FRAME void
run_command(u64 until)
{
	while (tsc() < until)
		lines += 3;
}

static FRAME void
print(u64 until)
{
	call(SYS_WORK, until);
	lines++;
}

FRAME void
user_main(u64 ms)
{
	u64 cycle = CYCLE_MS * ms;

	for (;;) {
		u64 start = tsc() - tsc() % cycle, now = tsc() - start;

		if (now < cycle * 50 / 100)
			read_line(start + cycle * 50 / 100);
		else if (now < cycle * 70 / 100)
			run_command(start + cycle * 70 / 100);
		else
			print(start + cycle);
		call(SYS_YIELD, 0);
	}
}
