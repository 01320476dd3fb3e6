/* SPDX-License-Identifier: ISC */
#include "io/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/summary.h"

void
fault_say_at(
    struct fault *f, const char *file, uint64_t line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (f->n++ >= FAULT_SAY) {
		summary_fault(0, "");
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	summary_fault(line, text);
	msg("%s:%" PRIu64 ": %s", msg_str(file), line, text);
}

uint64_t
fault_sum(const struct fault *f, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		total += f[i].n;
		if (f[i].n > FAULT_SAY)
			msg("%s: %" PRIu64 " times in all", f[i].what, f[i].n);
	}
	return total;
}
