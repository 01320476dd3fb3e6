/* SPDX-License-Identifier: ISC */
/*
 * Knows that metadata which are equal in every word are the same process: a
 * pid that comes again with another program differs in its sizes.
 */
#include "guest/procs.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/xalloc.h"

enum { PROCS_MAX = 1 << 16, TEXT_MAX = 64 << 20 };

struct known {
	uint64_t field[OS_FIELDS];
	struct process process;
	struct known *next; /* of the same hash bucket */
};

enum { BUCKETS = 1024 };

struct procs {
	const struct osfile *os;
	struct programs *programs;
	struct unwinder *u;
	bool names;
	struct known *bucket[BUCKETS];
	size_t n;
};

struct procs *
procs_new(const struct osfile *os, struct programs *programs,
    struct unwinder *u, bool names)
{
	struct procs *p = xcalloc(1, sizeof *p);

	p->os = os;
	p->programs = programs;
	p->u = u;
	p->names = names;
	return p;
}

static void
forget_all(struct procs *p)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (p->bucket[i] != NULL) {
			struct known *k = p->bucket[i];

			p->bucket[i] = k->next;
			free(k);
		}
	}
	p->n = 0;
}

void
procs_free(struct procs *p)
{
	if (p == NULL)
		return;
	forget_all(p);
	free(p);
}

/* Which program it is, by reading its .text and hashing that. */
static const struct program *
identify(struct procs *p, const uint64_t *field, struct vcpu *c,
    procs_read *read, void *arg)
{
	uint64_t size = field[OS_TEXT_SIZE];
	const struct program *found = NULL;
	uint8_t *text;

	if (p->programs == NULL || size == 0 || size > TEXT_MAX ||
	    !programs_sized(p->programs, size))
		return NULL;
	text = xmalloc(size);
	if (read(arg, c, field[OS_TEXT], text, size) == 0)
		found = programs_find(p->programs, hash_bytes(text, size),
		    field[OS_IMAGE_BASE], p->u, p->names);
	free(text);
	return found;
}

const struct process *
procs_find(struct procs *p, struct vcpu *c, procs_read *read, void *arg)
{
	uint64_t field[OS_FIELDS] = {0};
	struct known **head, *k;

	for (int i = 0; i < OS_FIELDS; i++)
		if (p->os->offset[i] != UINT32_MAX &&
		    snap_word(&c->snap, p->os->metadata + p->os->offset[i],
			&field[i]) != 0)
			return NULL;
	head = &p->bucket[hash_bytes(field, sizeof field) % BUCKETS];
	for (k = *head; k != NULL; k = k->next)
		if (memcmp(k->field, field, sizeof field) == 0)
			return &k->process;
	if (p->n == PROCS_MAX)
		forget_all(p);
	k = xcalloc(1, sizeof *k);
	memcpy(k->field, field, sizeof field);
	k->process.pid = field[OS_PID];
	k->process.program = identify(p, field, c, read, arg);
	k->next = *head;
	*head = k;
	p->n++;
	return &k->process;
}
