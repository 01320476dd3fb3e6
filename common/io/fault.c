/* SPDX-License-Identifier: ISC */
#include "io/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/msg.h"
#include "base/summary.h"

__attribute__((format(printf, 4, 0))) static void
say(struct fault *f, const char *file, uint64_t line, const char *fmt,
    va_list ap)
{
	char text[1024];

	if (f->n++ >= FAULT_SAY) {
		summary_fault(0, "");
		return;
	}
	vsnprintf(text, sizeof text, fmt, ap);
	summary_fault(line, text);
	msg("%s:%" PRIu64 ": %s", msg_str(file), line, text);
}

void
fault_say(struct fault *f, const struct in *in, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(f, in_name(in), in_line(in), fmt, ap);
	va_end(ap);
}

void
fault_say_at(
    struct fault *f, const char *file, uint64_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(f, file, line, fmt, ap);
	va_end(ap);
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
