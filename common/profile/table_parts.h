/* SPDX-License-Identifier: ISC */
/*
 * Private to common/profile: what a table is. A stack is an array of
 * name numbers in one growing array of all stacks; the hash table holds entry
 * numbers. A distinct stack takes 64 bytes and 4 for each frame; each distinct
 * name is stored once.
 */
#ifndef KST_TABLE_PARTS_H
#define KST_TABLE_PARTS_H

#include "base/buf.h"
#include "set/slots.h"
#include "profile/table.h"

struct entry {
	size_t at; /* of the stack, in ids */
	uint32_t n;
	uint32_t adds;	       /* how many lines or samples, saturating */
	struct count count[2]; /* the second of differential text */
};

struct table {
	struct intern *names;
	struct entry *entries;
	size_t cap;
	struct slots slots; /* by the stack */
	uint32_t *ids;
	size_t ids_len, ids_cap;
	struct count total;
	uint64_t overflows;
	bool differential;
	int column; /* which count is added to */
	table_watcher *watcher;
	void *watcher_arg;
	/* for a stream, its last stack and how many there were */
	bool streams;
	size_t streamed;
	struct buf last;
	struct entry sum;
};

#endif
