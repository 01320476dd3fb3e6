/* SPDX-License-Identifier: ISC */
/*
 * Tells stubs apart, and lists CPUs, which are threads to a stub, by gdb's
 * names. Only QEMU's stubs answer qqemu.sstepbits; that of qemu-user also has
 * the program's auxiliary vector. A stub that can do without acknowledgements
 * is asked to, so that many packets fit into a write.
 *
 * Before 8.1 QEMU reports the stop that a new connection makes by itself, and
 * says nothing when the guest stood still already. Since then it reports only
 * stops that were asked for: the guest is `paused` in either case, but for
 * states that have a name of their own, such as `paused (prelaunch)` under -S.
 */
#include "rsp/rsp_who.h"

#include "rsp/rsp_release.h"
#include "rsp/rsp_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "native/native.h"
#include "native/sampler.h"
#include "rsp/layout.h"
#include "rsp/rsppkt.h"
#include "wire/clock.h"
#include "wire/peer.h"

enum { CPUS_MAX = 4096, LIST_MAX = CPUS_MAX * sizeof((struct vcpu){0}.id) };

/*
 * Signals that a program gets must not stop it for us: all but SIGINT, by
 * which gdbserver stops it, and SIGTRAP.
 */
static const char pass_signals[] =
    "QPassSignals:1;3;4;6;7;8;9;a;b;c;d;e;f;10;11;12;13;14;15;16;17;18;19;1a;"
    "1b;1c;1d;1e;1f;20;21;22;23;24;25";

static bool
answer_is(const struct rsp_link *l, const char *begin)
{
	return bytes_starts(l->in.data, l->in.len, begin);
}

/* PacketSize=HEX is the length of a packet: two digits a byte. */
static size_t
packet_size(const char *features)
{
	const char *size = strstr(features, "PacketSize=");
	unsigned long n = size ? strtoul(size + 11, NULL, 16) : 0;

	return n >= 64 && n / 2 < SAMPLER_BLOCK ? n / 2 & ~(size_t)7
						: SAMPLER_BLOCK;
}

/* What a stub other than that of QEMU's machines wants to be asked. */
static int
prepare(struct rsp_link *l, const char *features)
{
	bool server = strstr(features, "QPassSignals+") != NULL;

	l->program = server;
	l->kind = server ? "the gdb stub is gdbserver, not QEMU"
			 : "the gdb stub is not QEMU";
	l->names = strstr(features, "qXfer:threads:read+") != NULL;
	if (strstr(features, "QStartNoAckMode+") != NULL) {
		if (link_ask(l, "QStartNoAckMode") != 0)
			return -1;
		l->no_acks = answer_is(l, "OK");
	}
	if (server && link_ask(l, pass_signals) != 0)
		return -1;
	if (link_ask(l, "?") != 0)
		return -1;
	if (answer_is(l, "W") || answer_is(l, "X"))
		return link_ended(l);
	if (link_ask(l, "vCont?") != 0)
		return -1;
	l->vcont = answer_is(l, "vCont;c");
	return 0;
}

int
rsp_meet(struct rsp_link *l)
{
	char *features;
	bool user;
	int status;

	/* Without multiprocess+ a thread is a number, and D;1 is for all. */
	if (link_greet(l, "qSupported:xmlRegisters=i386;vContSupported+") != 0)
		return -1;
	features = xmemdup0(l->in.data, l->in.len);
	l->packet = packet_size(features);
	status = link_ask(l, "qqemu.sstepbits");
	user = status == 0 && answer_is(l, "ENABLE=") &&
	       strstr(features, "qXfer:auxv:read+") != NULL;
	l->qemu = status == 0 && answer_is(l, "ENABLE=") && !user;
	l->vcont = l->qemu;
	if (status == 0 && !l->qemu)
		status = prepare(l, features);
	if (user) {
		l->program = true;
		l->kind = "the gdb stub is qemu-user: a program, not a machine";
	}
	free(features);
	return status;
}

int
rsp_state(struct rsp_link *l, bool *paused)
{
	struct buf version = BUF_INIT, state = BUF_INIT;
	int status = 0;

	*paused = false;
	if (!l->stop_seen) {
		status = link_monitor(l, "info version", &version);
		if (status == 0)
			status = link_monitor(l, "info status", &state);
		*paused = rsp_reports_stop(buf_str(&version)) ||
			  strstr(buf_str(&state), "paused (") != NULL;
	}
	l->stop_seen = false;
	buf_done(&version);
	buf_done(&state);
	return status;
}

/* `p01.02` is 1.2 in gdb's words; QEMU's CPUs are all of process 1. */
static void
title_cpu(struct vcpu *c, bool qemu)
{
	const char *dot = strchr(c->id, '.');
	const char *tid = dot ? dot + 1 : c->id;
	unsigned long pid = dot ? strtoul(c->id + 1, NULL, 16) : 1;

	if (dot != NULL || qemu)
		snprintf(c->title, sizeof c->title, "Thread %lu.%lu",
		    pid & 0xffffffff, strtoul(tid, NULL, 16) & 0xffffffff);
	else
		snprintf(c->title, sizeof c->title, "Thread %lu",
		    strtoul(tid, NULL, 16));
}

static struct vcpu *
find_cpu(const struct sampler *s, const char *id, size_t len)
{
	for (size_t i = 0; i < s->shot.n_cpu; i++)
		if (bytes_is(id, len, s->shot.cpu[i].id))
			return &s->shot.cpu[i];
	return NULL;
}

/* The ids in `ID,ID…,` */
static int
add_cpus(struct rsp_link *l, struct sampler *s, const char *p)
{
	for (const char *comma; (comma = strchr(p, ',')); p = comma + 1) {
		size_t n = (size_t)(comma - p);
		struct vcpu *c;

		/* A list that begins anew would have no end. */
		if (n == 0 || n >= sizeof s->shot.cpu->id ||
		    s->shot.n_cpu == CPUS_MAX || find_cpu(s, p, n) != NULL ||
		    strspn(p, "p0123456789abcdefABCDEF.") < n)
			return wire_fail(&l->w, "damaged list of CPUs");
		c = sampler_add(s);
		memcpy(c->id, p, n);
		title_cpu(c, l->qemu);
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
	char *text = link_document(l, "threads", ""), *p = text;
	char id[sizeof s->shot.cpu->id], name[sizeof s->shot.cpu->name];

	while (p != NULL && (p = strstr(p, "<thread ")) != NULL) {
		char *end = strchr(p, '>');
		struct vcpu *c;

		if (end == NULL)
			break;
		if (layout_attribute(p, end, "id", id, sizeof id) == 0 &&
		    layout_attribute(p, end, "name", name, sizeof name) == 0 &&
		    (c = find_cpu(s, id, strlen(id))) != NULL) {
			plain_name(name);
			strcpy(c->name, name);
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
		if (ids->len > LIST_MAX)
			return wire_fail(&l->w, "damaged list of CPUs");
		ask = "qsThreadInfo";
	}
	return 0;
}

/* A line `NAME: N` of a process's status. */
static long
status_of(long pid, const char *name)
{
	char path[64], line[256];
	size_t n = strlen(name);
	long value = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/status", pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, name, n) == 0 && line[n] == ':')
			value = atol(line + n + 1);
	if (f != NULL)
		fclose(f);
	return value;
}

/* The process of a thread, for rsp_who.pid: a gdbserver here must trace it. */
static pid_t
find_process(struct rsp_link *l, const char *thread)
{
	long pid = status_of(strtol(thread, NULL, 16), "Tgid");
	char path[64], name[16] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/comm",
	    pid ? status_of(pid, "TracerPid") : 0);
	f = peer_is_local(l->w.fd) ? fopen(path, "re") : NULL;
	if (f == NULL)
		return 0;
	if (fgets(name, sizeof name, f) == NULL ||
	    strcmp(name, "gdbserver\n") != 0 || getpgid((pid_t)pid) == pid)
		pid = 0;
	fclose(f);
	return (pid_t)pid;
}

int
rsp_cpus(struct rsp_link *l, struct buf *list, struct sampler *s)
{
	struct buf ids = BUF_INIT;
	int status = ask_all(l, &ids);

	if (status == 0 &&
	    (s->shot.n_cpu == 0 || strcmp(buf_str(&ids), buf_str(list)) != 0)) {
		sampler_forget(s);
		status = add_cpus(l, s, buf_str(&ids));
		if (status == 0 && l->names)
			name_cpus(l, s);
		if (status == 0 && l->program && !l->qemu && s->shot.n_cpu > 0)
			l->pid = find_process(l, s->shot.cpu->id);
		if (status == 0 && s->shot.n_cpu == 0 && l->qemu)
			status = wire_fail(&l->w, "the stub reports no CPU");
		if (status == 0 && s->shot.n_cpu == 0)
			strcpy(sampler_add(s)->title, "Thread 1");
	}
	buf_done(list);
	*list = ids;
	return status;
}

char *
rsp_document(void *link, const char *name)
{
	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789-_.") != strlen(name))
		return NULL;
	return link_document(link, "features", name);
}

int
rsp_ask_spare(struct rsp_link *l, const int32_t *spare, struct vcpu *c)
{
	const uint64_t deadline = clock_now() + l->w.timeout;
	uint8_t v[8];

	if (c->id[0])
		link_putf(l, "Hg%s", c->id);
	for (int i = 0; i < UNWIND_SPARES; i++)
		if (spare[i] >= 0)
			link_putf(l, "p%" PRIx32, (uint32_t)spare[i]);
	if (link_send(l) != 0 || (c->id[0] && link_packet(l, deadline) != 0))
		return -1;
	for (int i = 0; i < UNWIND_SPARES; i++) {
		if (spare[i] < 0)
			continue;
		if (link_packet(l, deadline) != 0)
			return -1;
		c->regs.has_spare[i] =
		    l->in.len == 16 && rsp_unhex(v, l->in.data, 8) == 0;
		if (c->regs.has_spare[i])
			c->regs.spare[i] = uint_load(v, 8, false);
	}
	return 0;
}

void
rsp_put_state(struct rsp_link *l, const struct vcpu *c)
{
	link_putf(l, "qThreadExtraInfo,%s", c->id);
}

int
rsp_take_state(struct rsp_link *l, struct vcpu *c, uint64_t deadline)
{
	size_t n;

	if (link_packet(l, deadline) != 0)
		return -1;
	n = l->in.len / 2;
	if (n >= sizeof c->extra)
		n = sizeof c->extra - 1;
	if (l->in.len % 2 != 0 ||
	    rsp_unhex((uint8_t *)c->extra, l->in.data, n) != 0)
		n = 0;
	c->extra[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)c->extra[i] < ' ')
			c->extra[i] = '?';
	return 0;
}
