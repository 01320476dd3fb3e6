/* SPDX-License-Identifier: ISC */
#include "modules/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "linux/reader.h"
#include "elf/elfsym.h"
#include "kimage/ksyms.h"
#include "kimage/view.h"
#include "live/programs.h"
#include "modules/ask.h"
#include "naming.h"
#include "rights/rights.h"
#include "run.h"

/* Names of all modules, memory of the process, and how long its end takes. */
enum { NAMES_MAX = 256 << 20, END_MS = 20000 };
#define MEMORY_MAX (UINT64_C(4) << 30)

struct server {
	const struct options *o;
	int to, from, file; /* to: messages come here */
	bool ended;
	char kernel[sizeof((struct ask *)0)->bytes];
	struct elfsym *elf; /* of the kernel; NULL: not read yet */
	uint64_t bias;	    /* of its file */
	struct modules *modules;
	struct ksyms all;  /* functions of all modules */
	unsigned gathered; /* modules */
	struct reader reader;
	struct ask message;
};

static bool
take(struct server *s)
{
	if (!ask_take(s->to, &s->message) || s->message.kind == ASK_END)
		s->ended = true;
	return !s->ended;
}

static int
read_guest(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct server *s = arg;

	while (n > 0 && !s->ended) {
		const size_t part =
		    n < sizeof s->message.bytes ? n : sizeof s->message.bytes;

		s->message.kind = ASK_READ;
		s->message.addr = addr;
		s->message.n = (uint32_t)part;
		if (!ask_send(s->from, &s->message) || !take(s) ||
		    s->message.kind != ASK_BYTES || s->message.n != part)
			return -1;
		memcpy(to, s->message.bytes, part);
		addr += part;
		to += part;
		n -= part;
	}
	return n > 0 ? -1 : 0;
}

/* Notes the function if it was asked for. */
static void
note(const struct options *o, struct ask_answer *a, const char *name,
    uint64_t addr)
{
	if (o->from && strcmp(o->from, name) == 0)
		a->from = addr;
	if (o->until && strcmp(o->until, name) == 0)
		a->until = addr;
	if (o->in && strcmp(o->in, name) == 0)
		a->in = addr;
	for (size_t i = 0; i < o->only.n; i++)
		if (strcmp(o->only.use[i].arg, name) == 0 &&
		    a->n_only < TRACE_ONLY)
			a->only[a->n_only++] = addr;
}

static void
gather(struct server *s, struct elfsym *sym, struct ask_answer *a)
{
	const unsigned number = a->place.number;
	const bool is_new = number >= s->gathered;
	struct ksyms *k = &s->all;
	struct elfsym_func f;

	for (size_t i = 0; elfsym_nth(sym, i, &f); i++) {
		const uint64_t addr =
		    programs_apart(programs_module(number), f.start);
		const size_t from = k->names.len;

		note(s->o, a, f.name, addr);
		if (!is_new || from > NAMES_MAX)
			continue;
		buf_add(&k->names, f.name, f.len);
		buf_addc(&k->names, 0);
		ksyms_add(k, addr, 't', from);
		k->v[k->n - 1].st_size = f.end - f.start;
	}
	s->gathered = is_new ? number + 1 : s->gathered;
}

static void
find(struct server *s, uint64_t addr, uint64_t by)
{
	struct ask_answer a = {0};
	struct buf err = BUF_INIT;
	struct elfsym *sym;

	if (s->modules == NULL &&
	    (s->elf = elfsym_load(s->kernel, 0, &err)) != NULL) {
		s->modules = modules_new(s->elf, NULL, &s->reader);
		s->bias = elfsym_bias(s->elf);
	}
	buf_done(&err);
	if (s->modules == NULL)
		return;
	elfsym_move(s->elf, s->bias + by);
	modules_doubt(s->modules);
	a.found = modules_find(s->modules, addr) &&
		  (sym = modules_symbols(s->modules, addr)) != NULL;
	if (a.found) {
		a.place = modules_place(s->modules, addr);
		gather(s, sym, &a);
	}
	s->message.answer = a;
}

static bool
write_file(struct server *s)
{
	struct view v = {.machine = elfsym_code(s->elf, 0).machine};
	bool good = view_begin(&v, s->file);

	if (good) {
		view_code(&v, &s->all, 0);
		view_symbols(&v, &s->all);
		good = view_write(&v);
	}
	view_done(&v);
	return good;
}

static noreturn void
run_server(struct server *s)
{
	const struct rlimit most = {MEMORY_MAX, MEMORY_MAX};

	setsid();		      /* what ends the guest may be a key */
	port_set_name("kst-modules"); /* not a process that counts */
	setrlimit(RLIMIT_AS, &most);
	rights_keep(&(struct rights){.reads = rights_all,
	    .n_reads = 1,
	    .also = RIGHTS_NAMES | RIGHTS_MEMORY});
	buf_addc(&s->all.names, 0);
	s->reader = (struct reader){read_guest, s};
	while (take(s)) {
		struct ask *m = &s->message;

		if (m->kind == ASK_KERNEL) {
			memcpy(s->kernel, m->bytes, sizeof s->kernel);
			s->kernel[sizeof s->kernel - 1] = 0;
		} else if (m->kind == ASK_FIND) {
			const uint64_t addr = m->addr, by = m->by;

			m->answer = (struct ask_answer){0};
			find(s, addr, by);
			m->kind = ASK_ANSWER;
			m->n = sizeof m->answer;
			if (!s->ended)
				ask_send(s->from, m);
		}
	}
	s->message.kind = ASK_DONE;
	s->message.n = s->all.n > 0 && write_file(s);
	ask_send(s->from, &s->message);
	_exit(0);
}

int
serve_start(struct serve *s, const struct options *o)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1};
	struct server server = {.o = o};
	pid_t pid = -1;

	if ((s->file = naming_file()) < 0)
		return -1;
	if (pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0)
		pid = fork();
	if (pid < 0) {
		msg_errno("cannot start the process that reads modules");
		return -1;
	}
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		server.to = to[0];
		server.from = from[1];
		server.file = s->file;
		run_server(&server);
	}
	close(to[0]);
	close(from[1]);
	s->to = to[1];
	s->from = from[0];
	return 0;
}

void
serve_kernel(const struct serve *s, const char *path)
{
	struct ask a = {.kind = ASK_KERNEL};

	if (strlen(path) < sizeof a.bytes)
		strcpy((char *)a.bytes, path);
	ask_send(s->to, &a);
}

bool
serve_end(struct serve *s)
{
	struct ask a = {.kind = ASK_END};
	struct pollfd p = {.fd = s->from, .events = POLLIN};

	if (ask_send(s->to, &a))
		while (poll(&p, 1, END_MS) > 0 && ask_take(s->from, &a))
			if (a.kind == ASK_DONE)
				return a.n > 0;
	s->died = true;
	msg("the process that reads modules has ended early: their functions "
	    "have only addresses");
	return false;
}
