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

enum {
	PROCS_MAX = 1 << 16,
	TEXT_MAX = 64 << 20,
	FRAMES_MAX = 1 << 20, /* bytes of .eh_frame that are read */
	NAMELESS_MAX = 64     /* programs without a file */
};

/* A program without a file, by what its memory holds. */
struct nameless {
	uint64_t hash, text, eh_frame;
	struct program program;
};

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
	struct nameless nameless[NAMELESS_MAX];
	size_t n_nameless;
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

/* A program that no file is of: its stacks are unwound all the same. */
static const struct program *
identify_frames(struct procs *p, const uint64_t *field, const uint8_t *eh)
{
	const uint64_t text = field[OS_TEXT], addr = field[OS_EH_FRAME];
	const size_t n = field[OS_EH_FRAME_SIZE];
	const uint64_t hash = hash_bytes(eh, n);
	struct nameless *new = p->nameless + p->n_nameless;

	for (struct nameless *k = p->nameless; k < new; k++)
		if (k->hash == hash && k->text == text && k->eh_frame == addr)
			return &k->program;
	if (p->n_nameless == NAMELESS_MAX)
		return NULL;
	new->program.module =
	    unwinder_add_frames(p->u, text, field[OS_TEXT_SIZE], addr, eh, n);
	if (new->program.module == NULL)
		return NULL;
	unwind_module_use(new->program.module, false);
	new->hash = hash;
	new->text = text;
	new->eh_frame = addr;
	new->program.name = "<unknown>";
	p->n_nameless++;
	return &new->program;
}

static const struct program *
read_frames(struct procs *p, const uint64_t *field, struct vcpu *c,
    procs_read *read, void *arg)
{
	const uint64_t n = field[OS_EH_FRAME_SIZE];
	const struct program *found = NULL;
	uint8_t *eh;

	if (n == 0 || n > FRAMES_MAX || field[OS_TEXT_SIZE] == 0)
		return NULL;
	eh = xmalloc(n);
	if (read(arg, c, field[OS_EH_FRAME], eh, n) == 0)
		found = identify_frames(p, field, eh);
	free(eh);
	return found;
}

const struct process *
procs_find(struct procs *p, struct vcpu *c, procs_read *read, void *arg)
{
	uint64_t field[OS_FIELDS] = {0};
	struct known **head, *k;

	for (int i = 0; i < OS_FIELDS; i++)
		if (p->os->offset[i] != UINT32_MAX &&
		    snap_word(&c->snap, p->os->metadata + p->os->offset[i], 8,
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
	if (k->process.program == NULL)
		k->process.program = read_frames(p, field, c, read, arg);
	k->next = *head;
	*head = k;
	p->n++;
	return &k->process;
}
