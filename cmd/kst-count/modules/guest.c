/* SPDX-License-Identifier: ISC */
/* Modules come and go: what is known of one is compared with memory again. */
#include "modules/guest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "linux/reader.h"
#include "live/programs.h"
#include "live/slide.h"
#include "modules/ask.h"
#include "trace/spans.h"

enum { NAME = 56, KNOWN = 256 };

_Static_assert((int)MODULES_MAX <= (int)PROGRAMS_MODULES_MAX, "numbers");

/* A part of a module's code. */
struct known {
	unsigned number;
	uint64_t name_at;
	uint8_t name[NAME];
	struct module_part part;
};

static struct {
	struct guest g;
	int to, from;
	struct known v[KNOWN];
	unsigned n, next; /* of more, the first one goes */
} all = {.to = -1, .from = -1};

void
guest_open(const struct guest *g)
{
	all.g = *g;
	all.to = open(g->to, O_WRONLY | O_CLOEXEC);
	all.from = open(g->answers, O_RDONLY | O_CLOEXEC);
}

static bool
copy(uint64_t addr, uint8_t *to, size_t n)
{
	return all.g.r->read(all.g.r->arg, addr, to, n) == 0;
}

static bool
is_there(const struct known *k)
{
	uint8_t name[NAME], base[8];

	return copy(k->name_at, name, sizeof name) &&
	       copy(k->part.base_at, base, sizeof base) &&
	       memcmp(k->name, name, sizeof name) == 0 &&
	       uint_load(base, sizeof base, false) == k->part.low;
}

static struct known *
find(uint64_t pc)
{
	for (unsigned i = 0; i < all.n; i++) {
		struct known *k = &all.v[i];

		if (pc - k->part.low >= k->part.size)
			continue;
		if (is_there(k))
			return k;
		k->part.size = 0;
	}
	return NULL;
}

static void
add(const struct module_place *p)
{
	for (unsigned i = 0; i < 2; i++) {
		struct known k = {
		    programs_module(p->number), p->name_at, {0}, p->part[i]};
		unsigned at = 0;

		if (k.part.size == 0 || !copy(k.name_at, k.name, NAME))
			continue;
		while (at < all.n && all.v[at].part.size > 0)
			at++;
		if (at == KNOWN)
			at = all.next++ % KNOWN;
		all.n += at == all.n;
		all.v[at] = k;
	}
}

/* Reads memory for the other process until that knows. */
static bool
ask(struct ask *a)
{
	bool good = all.from >= 0 && ask_send(all.to, a);

	while (good && (good = ask_take(all.from, a)) && a->kind == ASK_READ) {
		a->kind =
		    copy(a->addr, a->bytes, a->n) ? ASK_BYTES : ASK_FAILED;
		good = ask_send(all.to, a);
	}
	if (good)
		return a->kind == ASK_ANSWER && a->answer.found;
	if (all.to >= 0)
		close(all.to);
	all.to = -1;
	return false;
}

static void
set(uint64_t *to, uint64_t addr)
{
	*to = addr ? addr : *to;
}

unsigned
guest_program(uint64_t pc, uint64_t at)
{
	const struct guest *g = &all.g;
	struct ask a = {.kind = ASK_FIND, .addr = pc};
	const struct known *k;

	if (all.to < 0 || (pc ^ g->low) >> 63 ||
	    at - g->low < g->top - g->low || !slide_seen(g->slide))
		return 0;
	if ((k = find(pc)) != NULL)
		return k->number;
	a.by = g->slide->home ? 0 : slide_last(g->slide);
	if (!ask(&a) || a.answer.place.number >= MODULES_MAX)
		return 0;
	add(&a.answer.place);
	set(g->from, a.answer.from);
	set(g->until, a.answer.until);
	set(g->in, a.answer.in);
	spans_add(a.answer.only, a.answer.n_only, a.answer.in);
	return programs_module(a.answer.place.number);
}
