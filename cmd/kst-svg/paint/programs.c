/* SPDX-License-Identifier: ISC */
/*
 * Which functions are of programs: below the entry of a system call is the
 * program that made it, and so is what that program calls, up to the next
 * entry. A name that is also the kernel's, such as memcpy, is of where it has
 * more weight.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "colour/colour.h"
#include "frames/tree.h"
#include "paint/paint.h"
#include "set/intern.h"

enum entry {
	ENTRY_NONE,
	ENTRY_OTHER, /* of an exception or interrupt: also from the kernel; a
			state */
	ENTRY_CALL
};

struct entry_name {
	const char *begin;
	enum entry entry;
};

static enum entry
entry_of(const char *name, size_t len)
{
	static const struct entry_name v[] = {{"do_syscall_", ENTRY_CALL},
	    {"entry_SYSCALL_", ENTRY_CALL}, {"entry_INT80", ENTRY_CALL},
	    {"el0_svc", ENTRY_CALL}, {"el0t_64_sync", ENTRY_CALL},
	    {"do_trap_ecall_u", ENTRY_CALL}, {"Xsyscall", ENTRY_CALL},
	    {"usertrap", ENTRY_CALL}, {"CPU#", ENTRY_OTHER},
	    {"running", ENTRY_OTHER}, {"halted", ENTRY_OTHER},
	    {"asm_", ENTRY_OTHER}, {"exc_", ENTRY_OTHER},
	    {"sysvec_", ENTRY_OTHER}, {"common_interrupt", ENTRY_OTHER},
	    {"el0", ENTRY_OTHER}, {"el1", ENTRY_OTHER},
	    {"ret_from_exception", ENTRY_OTHER},
	    {"handle_exception", ENTRY_OTHER}, {"do_page_fault", ENTRY_OTHER},
	    {"Xintr", ENTRY_OTHER}, {"Xresume", ENTRY_OTHER},
	    {"alltraps", ENTRY_OTHER}, {"error_entry", ENTRY_OTHER}};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (bytes_starts(name, len, v[i].begin))
			return v[i].entry;
	return ENTRY_NONE;
}

/* Whether any name enters the kernel by a system call. */
static bool
find_entries(const struct tree *t, unsigned char *entry)
{
	bool any = false;

	for (uint32_t id = 0; id < intern_count(t->names); id++) {
		size_t len;
		const char *name = intern_str(t->names, id, &len);

		entry[id] = (unsigned char)entry_of(name, len);
		any |= entry[id] == ENTRY_CALL;
	}
	return any;
}

enum { CALLS = 1, PROGRAM = 2 };

/* Of each node, whether a system call is entered from it, with no other entry.
 */
static void
find_calls(const struct tree *t, const unsigned char *entry, unsigned char *is,
    uint32_t *up)
{
	for (uint32_t i = 1; i < t->n; i++) {
		const struct node *n = &t->nodes[i];

		up[n->depth] = i;
		if (entry[n->name] != ENTRY_CALL)
			continue;
		for (uint32_t d = n->depth - 1;
		     d > 0 && !is[up[d]] && !entry[t->nodes[up[d]].name]; d--)
			is[up[d]] = CALLS;
	}
}

void
programs_find(const struct picture *p, unsigned *name_class)
{
	const struct tree *t = p->t;
	uint32_t n_names = intern_count(t->names);
	unsigned char *entry = xcalloc(n_names + 1, sizeof *entry);
	unsigned char *is = xcalloc(t->n, sizeof *is);
	uint32_t *up = xcalloc((size_t)t->depth_max + 1, sizeof *up);
	double *more = xcalloc(n_names + 1, sizeof *more);

	if (colour_has_programs(p->c) && find_entries(t, entry)) {
		find_calls(t, entry, is, up);
		for (uint32_t i = 1; i < t->n; i++) {
			const struct node *n = &t->nodes[i];
			double w = (double)tree_total(t, i, 0);

			up[n->depth] = i;
			if (!entry[n->name] &&
			    (is[i] == CALLS ||
				(n->depth > 1 &&
				    is[up[n->depth - 1]] == PROGRAM)))
				is[i] = PROGRAM;
			more[n->name] += is[i] == PROGRAM ? w : -w;
		}
	}
	for (uint32_t id = 0; id < n_names; id++)
		if (more[id] > 0) {
			size_t len;
			const char *name = intern_str(t->names, id, &len);

			name_class[id] = colour_of_program(p->c, name, len);
		}
	free(more);
	free(up);
	free(is);
	free(entry);
}
