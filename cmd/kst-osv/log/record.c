/* SPDX-License-Identifier: ISC */
#include "log/record.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "io/out.h"
#include "trace/trace.h"

enum { THREAD_COLUMNS = 15, CPU_COLUMNS = 3, FRACTION = 9 };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       is_digit(c) || c == '_';
}

/*
 * The start of the time whose last digit is at p[end - 1]; 0 if there is none
 * (it must follow something).
 */
static size_t
time_before(const char *p, size_t end, uint64_t *time)
{
	size_t at = end;

	while (at > 0 && (is_digit(p[at - 1]) || p[at - 1] == '.'))
		at--;
	return end - at > FRACTION + 1 && p[end - FRACTION - 1] == '.' &&
		       num_seconds(p + at, end - at, time) == 0
		   ? at
		   : 0;
}

/*
 * The thread's name: what precedes the CPU, or its columns if text is glued to
 * it.
 */
static void
thread_before(
    const char *p, size_t cpu_at, size_t cpu_end, struct osv_record *r)
{
	size_t begin = 0, end = cpu_at;

	r->glued = false;
	if (cpu_end > THREAD_COLUMNS + 1 + CPU_COLUMNS &&
	    p[cpu_end - CPU_COLUMNS - 1] == ' ') {
		end = cpu_end - CPU_COLUMNS - 1;
		begin = end - THREAD_COLUMNS;
		r->glued = true;
	}
	while (end > begin && p[end - 1] == ' ')
		end--;
	r->thread = (struct piece){p + begin, end - begin};
}

/* Whether a record's head ends in `NAME(` with its `(` at `paren`. */
static bool
head_before(const char *p, size_t paren, struct osv_record *r)
{
	size_t name = paren, at, cpu_end;
	uint64_t cpu;

	while (name > 0 && is_word(p[name - 1]))
		name--;
	if (name == paren || name < 2 || p[name - 1] != ' ' ||
	    !is_digit(p[name - 2]))
		return false;
	at = time_before(p, name - 1, &r->time);
	cpu_end = at;
	while (cpu_end > 0 && p[cpu_end - 1] == ' ')
		cpu_end--;
	if (at == 0 || cpu_end == at)
		return false;
	at = cpu_end;
	while (at > 0 && is_digit(p[at - 1]))
		at--;
	if (at == 0 || p[at - 1] != ' ' ||
	    num_u64(p + at, cpu_end - at, &cpu) != 0 || cpu > UINT32_MAX)
		return false;
	r->cpu = (uint32_t)cpu;
	r->name = (struct piece){p + name, paren - name};
	thread_before(p, at, cpu_end, r);
	return true;
}

bool
record_parse(const char *line, size_t len, struct osv_record *r)
{
	const char *end = line + len, *paren = line;

	if (len > 0 && end[-1] == '\r')
		end--;
	for (;;) {
		paren = memchr(paren, '(', (size_t)(end - paren));
		if (paren == NULL)
			return false;
		if (head_before(line, (size_t)(paren - line), r))
			break;
		paren++;
	}
	r->ptr = 0;
	r->frames = NULL;
	r->n_frames = 0;
	r->cut = end[-1] != ')' || end - 1 == paren;
	paren++;
	r->args = (struct piece){paren, (size_t)(end - paren) - !r->cut};
	return true;
}

uint64_t
record_time_step(uint64_t time)
{
	uint64_t step = 1;

	while (time >> 24) {
		time >>= 1;
		step <<= 1;
	}
	return step;
}

void
stack_put(const struct osv_record *r, uint64_t seq)
{
	struct buf name = BUF_INIT;

	trace_meta_add(&name, r->thread.p, r->thread.len);
	out_printf("[kst-capture seq=%" PRIu64 " time=%" PRIu64 ".%09" PRIu64
		   "]\n",
	    seq, r->time / 1000000000, r->time % 1000000000);
	out_printf("Thread 1 (Thread 0x%" PRIx64 " (CPU#%u [running])):\n",
	    r->ptr, r->cpu);
	out_puts("[kst-process name=");
	out_put(name.p, name.len);
	out_puts("]\n");
	for (size_t i = 0; i < r->n_frames; i++)
		out_printf(
		    "#%-2zu 0x%016" PRIx64 " in ?? ()\n", i, r->frames[i]);
	buf_done(&name);
}
