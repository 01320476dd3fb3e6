/* SPDX-License-Identifier: ISC */
/* Knows how a stub lists the CPUs, each as a thread, and what gdb calls them.
 */
#include "rsp/rsp_cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rsp/rsp_link.h"
#include "guest/sampler.h"

enum { CPUS_MAX = 4096 };

/* `p01.02` is 1.2 in gdb's words. */
static void
name_cpu(struct vcpu *c, const char *id, size_t len, size_t number)
{
	char *dot, *end;
	unsigned long pid, tid;

	memcpy(c->id, id, len);
	c->id[len] = 0;
	dot = strchr(c->id, '.');
	if (c->id[0] == 'p' && dot != NULL) {
		pid = strtoul(c->id + 1, &end, 16);
		tid = strtoul(dot + 1, &end, 16);
		snprintf(c->title, sizeof c->title, "Thread %lu.%lu",
		    pid & 0xffffffff, tid & 0xffffffff);
	} else {
		snprintf(c->title, sizeof c->title, "Thread %zu", number);
	}
}

/* Whether the list begins anew, which would have no end. */
static bool
is_known(const struct sampler *s, const char *id, size_t len)
{
	for (size_t i = 0; i < s->n_cpu; i++)
		if (bytes_is(id, len, s->cpu[i].id))
			return true;
	return false;
}

/* The ids in `mID,ID…` */
static int
add_cpus(struct rsp_link *l, struct sampler *s, const char *p, size_t len)
{
	while (len > 0) {
		const char *comma = memchr(p, ',', len);
		size_t n = comma ? (size_t)(comma - p) : len;

		if (n == 0 || n >= sizeof s->cpu->id || s->n_cpu == CPUS_MAX ||
		    is_known(s, p, n) ||
		    strspn(p, "p0123456789abcdefABCDEF.") < n)
			return link_fail(l, "a list of CPUs that is none");
		name_cpu(sampler_add(s), p, n, s->n_cpu);
		p += n + (comma != NULL);
		len -= n + (comma != NULL);
	}
	return 0;
}

int
rsp_cpus(struct rsp_link *l, struct sampler *s)
{
	const char *ask = "qfThreadInfo";

	for (int i = 0; i <= CPUS_MAX; i++) {
		if (link_ask(l, ask) != 0)
			return -1;
		if (l->in.len == 0 || l->in.data[0] != 'm')
			break;
		if (add_cpus(l, s, l->in.data + 1, l->in.len - 1) != 0)
			return -1;
		ask = "qsThreadInfo";
	}
	if (s->n_cpu == 0)
		return link_fail(l, "the stub knows no CPU");
	return 0;
}
