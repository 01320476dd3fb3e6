/* SPDX-License-Identifier: ISC */
#include "base/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "base/summary.h"

void
fault_say(struct fault *f, const struct in *in, const char *fmt, ...)
{
	char text[1024];
	const char *name = in_name(in);
	va_list ap;

	if (f->n++ >= FAULT_SAY) {
		summary_fault(0, "");
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	summary_fault(in_line(in), text);
	msg("%s:%" PRIu64 ": %s", msg_str(name), in_line(in), text);
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
