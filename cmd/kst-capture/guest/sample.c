/* SPDX-License-Identifier: ISC */
#include "guest/sample.h"

#include <stddef.h>

void
sample_clear(struct sample *s)
{
	s->text.len = 0;
	s->stacks = s->booting = s->user = 0;
	s->ends = (struct ends){0};
	s->stop_ns = 0;
	s->extra = NULL;
}

/* Machines begin, and firmware runs, in the lowest MiB or the last 16 MiB
 * below 4 GiB. */
void
sample_stack(struct sample *s, uint64_t pc)
{
	s->stacks++;
	s->booting +=
	    pc && (pc < 0x100000 || (pc >= 0xff000000 && pc <= 0xffffffff));
}

bool
sample_is_boot(const struct sample *s)
{
	return s->stacks > 0 && s->booting == s->stacks;
}
