/* SPDX-License-Identifier: ISC */
#include "stacks.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/out.h"
#include "record.h"
#include "text/trace.h"

void
stack_put(
    const struct record *r, const uint64_t *frames, size_t n, uint64_t seq)
{
	struct buf name = BUF_INIT;

	trace_meta_add(&name, r->thread, r->thread_len);
	out_printf("[kst-capture seq=%" PRIu64 " time=%" PRIu64 ".%09" PRIu64
		   "]\n",
	    seq, r->time / 1000000000, r->time % 1000000000);
	out_printf("Thread 1 (Thread 0x%" PRIx64 " (CPU#%u [running])):\n",
	    r->ptr, r->cpu);
	out_puts("[kst-process name=");
	out_put(name.p, name.len);
	out_puts("]\n");
	for (size_t i = 0; i < n; i++)
		out_printf("#%-2zu 0x%016" PRIx64 " in ?? ()\n", i, frames[i]);
	buf_done(&name);
}
