/* SPDX-License-Identifier: ISC */
/*
 * The kernel_header file of uftrace: how the kernel lays out its ring buffer's
 * pages and the events in them, as tracefs says it.
 */
#ifndef KHEADER_H
#define KHEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum record_kind {
	RECORD_NOTE,
	RECORD_SWITCH,
	RECORD_ENTRY, /* this and all further: the kernel's */
	RECORD_EXIT,
	RECORD_EVENT,
	RECORD_LOST
};

/* Where a number is; size 0: nowhere. */
struct kfield {
	uint32_t at, size;
};

/* An event's layout. */
struct kformat {
	uint64_t id;
	enum record_kind kind;
	char *name; /* "SYSTEM:NAME" */
	struct kfield pid, func;
	struct kfield other; /* the task that it is about */
};

struct kheader {
	bool big;
	uint64_t page; /* size */
	struct kfield time, commit, data, type;
	struct kformat *formats; /* by id */
	size_t n;
	struct fault bad;
	bool failed; /* could not be read, or makes no sense; said */
};

/* Reads DIR/kernel_header; `big`: the byte order unless it says it. */
void kheader_read(struct kheader *h, const char *dir, bool big);
void kheader_done(struct kheader *h);

/* NULL for an unknown event. */
const struct kformat *kheader_format(const struct kheader *h, uint64_t id);

#endif
