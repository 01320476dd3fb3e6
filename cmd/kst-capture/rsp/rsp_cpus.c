/* SPDX-License-Identifier: ISC */
/*
 * Knows how a stub lists the CPUs, each as a thread, and what gdb calls them.
 */
#include "rsp/rsp_cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/sampler.h"
#include "rsp/layout.h"
#include "rsp/rsp_link.h"
#include "rsp/rsp_who.h"

enum { CPUS_MAX = 4096 };

/* `p01.02` is 1.2 in gdb's words; QEMU's CPUs are all of process 1. */
static void
title_cpu(struct vcpu *c, const struct rsp_who *who)
{
	const char *dot = strchr(c->id, '.');
	const char *tid = dot ? dot + 1 : c->id;
	unsigned long pid = dot ? strtoul(c->id + 1, NULL, 16) : 1;

	if (dot != NULL || who->qemu)
		snprintf(c->title, sizeof c->title, "Thread %lu.%lu",
		    pid & 0xffffffff, strtoul(tid, NULL, 16) & 0xffffffff);
	else
		snprintf(c->title, sizeof c->title, "Thread %lu",
		    strtoul(tid, NULL, 16));
}

/* Whether the list begins anew, which would have no end. */
static bool
is_known(const struct sampler *s, const char *id, size_t len)
{
	for (size_t i = 0; i < s->n_cpu; i++)
		if (strlen(s->cpu[i].id) == len &&
		    memcmp(s->cpu[i].id, id, len) == 0)
			return true;
	return false;
}

/* The ids in `ID,ID…,` */
static int
add_cpus(struct rsp_link *l, const struct rsp_who *who, struct sampler *s,
    const char *p)
{
	for (const char *comma; (comma = strchr(p, ',')); p = comma + 1) {
		size_t n = (size_t)(comma - p);
		struct vcpu *c;

		if (n == 0 || n >= sizeof s->cpu->id || s->n_cpu == CPUS_MAX ||
		    is_known(s, p, n) ||
		    strspn(p, "p0123456789abcdefABCDEF.") < n)
			return wire_fail(&l->w, "damaged list of CPUs");
		c = sampler_add(s);
		memcpy(c->id, p, n);
		title_cpu(c, who);
	}
	return 0;
}

/* The characters that XML writes as names; others of ours are taken out. */
static void
plain_name(char *name)
{
	static const char *const entities[] = {
	    "<lt;", ">gt;", "&amp;", "'apos;", "?quot;"};
	char *to = name;

	for (const char *p = name; *p; p++) {
		char c = (unsigned char)*p < ' ' || *p == '"' ? '?' : *p;

		for (size_t i = 0; i < 5 && *p == '&'; i++)
			if (strncmp(p + 1, entities[i] + 1,
				strlen(entities[i] + 1)) == 0) {
				c = entities[i][0];
				p += strlen(entities[i] + 1);
			}
		*to++ = c;
	}
	*to = 0;
}

/* <thread id="p1.2" core="0" name="worker"> */
static void
name_cpus(struct rsp_link *l, struct sampler *s)
{
	char *text = link_document(l, "threads:read:"), *p = text;
	char id[sizeof s->cpu->id], name[sizeof s->cpu->name];

	while (p != NULL && (p = strstr(p, "<thread ")) != NULL) {
		char *end = strchr(p, '>');

		if (end == NULL)
			break;
		if (layout_attribute(p, end, "id", id, sizeof id) == 0 &&
		    layout_attribute(p, end, "name", name, sizeof name) == 0)
			for (size_t i = 0; i < s->n_cpu; i++)
				if (strcmp(s->cpu[i].id, id) == 0) {
					plain_name(name);
					strcpy(s->cpu[i].name, name);
				}
		p = end;
	}
	free(text);
}

/* The whole list as `ID,ID…,` */
static int
ask_all(struct rsp_link *l, struct buf *ids)
{
	const char *ask = "qfThreadInfo";

	for (int i = 0; i <= CPUS_MAX; i++) {
		if (link_ask(l, ask) != 0)
			return -1;
		if (l->in.len == 0 || l->in.data[0] != 'm')
			break;
		buf_add(ids, l->in.data + 1, l->in.len - 1);
		buf_addc(ids, ',');
		ask = "qsThreadInfo";
	}
	return 0;
}

int
rsp_cpus(struct rsp_link *l, const struct rsp_who *who, struct buf *list,
    struct sampler *s, bool *same)
{
	struct buf ids = BUF_INIT;
	int status = ask_all(l, &ids);

	*same = status == 0 && s->n_cpu > 0 &&
		strcmp(buf_str(&ids), buf_str(list)) == 0;
	if (status == 0 && !*same) {
		sampler_forget(s);
		status = add_cpus(l, who, s, buf_str(&ids));
		if (status == 0 && who->names)
			name_cpus(l, s);
		if (status == 0 && s->n_cpu == 0 && who->qemu)
			status = wire_fail(&l->w, "the stub knows no CPU");
		if (status == 0 && s->n_cpu == 0)
			strcpy(sampler_add(s)->title, "Thread 1");
	}
	buf_done(list);
	*list = ids;
	return status;
}
